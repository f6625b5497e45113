"""A short module with one importer in its own room joins it, unless it has a reason of its own."""

import ast
from collections import defaultdict
from pathlib import Path

import motherlode

SOURCE = Path(motherlode.__file__).parent
SHORT = 90  # lines
# Folders with one module for each command, format, formula, stage or kind: those stay apart.
ONE_MODULE_EACH = (
    "app/api",
    "app/cli/commands",
    "app/web/views",
    "crawl/stages",
    "documents/formats",
    "export/formats",
    "lab/misbehaviour",
    "learning",
    "sources/bookmarks",
)
EXCEPTIONS = {
    "documents/forms/ownership": "which form a control belongs to: a rule of the HTML standard",
    "documents/forms/purposes": "the linear model: one formula in one file",
    "crawl/exchanges": "what is archived, of pages and of submitted forms",
    "crawl/termination": "when a crawl ends: a decision with a table of tests",
    "export/site/names": "names of files: a rule with examples, which readers of a site see",
    "export/site/spool": "temporary files, so that memory does not grow with pages",
    "library/formats/jabref_groups": "a grammar of its own inside comments of BibTeX",
    "library/metadata/coins": "one vocabulary per module, with its citation",
    "fetch/wire/cookies": "a word of HTTP that a newcomer looks for",
    "fetch/wire/pool": "a word of HTTP that a newcomer looks for",
    "fetch/wire/proxies": "a word of HTTP that a newcomer looks for",
    "lab/copies": "a fact of a web like its labels and its link graph, kept in the cache",
    "lab/portals/generated_papers": "papers that are made up, beside `records`, which reads them",
    "lab/portals/metadata": "the formats in which a page tells a paper's data",
    "lab/portals/sessions": "all that a portal remembers, within bounds",
    "lab/serving/dns": "a protocol of its own, beside `http`",
    "lab/sites/site_ways": "links between the sites of a whole web, which the oracle walks",
    "lexicon/domains": "data that the vocabulary is made of",
    "policies/bingo/site_profiles": "arrays of a whole crawl; a study says when they are needed",
    "policies/ordinal/explanation": "each policy explains its ranks in a module of this name",
    "policies/websites/training_pages": "which pages of a named site are read: asked again and again",
    "portal/lines": "loaded for a message only: tomlkit takes 4 ms",
    "store/driver_errors": "what each message of a database driver means",
}


def room(module: str) -> str:
    """Return the room of a module; the parts of `app` are rooms themselves."""
    steps = module.split("/")
    return "/".join(steps[:2]) if steps[0] == "app" else steps[0]


def importers() -> dict[str, set[str]]:
    """Return the modules that import each module, by their paths below the package."""
    modules = {
        path.relative_to(SOURCE).with_suffix("").as_posix(): path for path in SOURCE.rglob("*.py")
    }
    found = defaultdict[str, set[str]](set)
    for importer, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                for name in names:
                    found[name.removeprefix("motherlode.").replace(".", "/")].add(importer)
    return {module: found[module] for module in modules}


def joinable() -> list[str]:
    """Return short modules whose only importer is a module of the same room."""
    result = []
    for module, users in importers().items():
        lines = len((SOURCE / f"{module}.py").read_text().splitlines())
        if lines < SHORT and len(users) == 1 and not module.startswith(ONE_MODULE_EACH):
            user = next(iter(users))
            # What `__init__` imports is the face of its package.
            if room(user) == room(module) and not user.endswith("__init__"):
                result.append(module)
    return result


def test_short_modules_with_one_importer_have_a_reason() -> None:
    assert sorted(set(joinable()) - set(EXCEPTIONS)) == []


def test_exceptions_are_still_needed() -> None:
    assert sorted(set(EXCEPTIONS) - set(joinable())) == []
