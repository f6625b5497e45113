"""The direction of imports between the rooms and sub-rooms (docs/architecture.md)."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import motherlode

SOURCE = Path(motherlode.__file__).parent

# A room may import from those before it. A room that is named again with a sub-room or a module has
# several places: each module lies in the most particular room that it fits.
ROOMS = (
    "records",
    "urls",
    "lexicon",
    "documents.text",
    "documents.features",
    "documents",
    "documents.forms",
    "documents.html",
    "documents.result_lists",
    "documents.formats",
    "documents.analysis",
    "fetch",
    "fetch.robots",
    "fetch.politeness",
    "fetch.dns",
    "fetch.wire",
    "fetch.form_session",
    "fetch.duplicates",
    "fetch.fetcher",
    "fetch.http",
    "learning",
    "learning.links",
    "learning.clusters",
    "learning.tunnel",
    "learning.sites",
    "learning.ordinal",
    "topics",
    "sources",
    "sources.back_links",
    "sources.bookmarks",
    "sources.search",
    "library",
    "library.formats",
    "library.metadata",
    "library.zotero",
    "sources.wrappers",
    "frontier",
    "policies.registry",
    "policies.options",
    "policies.bingo.options",
    "policies.tunnel.options",
    "policies.websites.options",
    "policies.ordinal.options",
    "store",
    "store.tables",
    "store.queries",
    "search.options",
    "portal",
    "workers",
    "training.certainty",
    "training.samples",
    "training.training_document",
    "training.feedback.marks",
    "training.corpus",
    "training.judgement_table",
    "training.feedback",
    "training",
    "training.collections",
    "policies.websites.stored_sites",
    "policies.websites.site_table",
    "search",
    "export",
    "export.site",
    "export.formats",
    "policies.policy",
    "policies.bounds",
    "policies.follows",
    "crawl",
    "crawl.stages",
    "crawl.supervisor",
    "crawl.loop",
    "crawl.preparation",
    "crawl.refresh",
    "policies.tunnel.model",
    "policies.tunnel.subjects",
    "policies",
    "policies.bingo",
    "policies.tunnel",
    "policies.websites",
    "policies.ordinal",
    "explain",
    "lab",
    "lab.misbehaviour",
    "lab.generated",
    "lab.recorded",
    "lab.portals",
    "lab.serving",
    "lab.loader",
    "lab.replay",
    "lab.trials",
    "lab.sites",
    "lab.learned",
    "lab.experiments",
    "app.errors",
    "app.text",
    "app.requests",
    "app.services",
    "app.jobs",
    "app.server",
    "app.api",
    "app.web",
    "app.application",
    "app.cli",
    "app",
)
# The front doors import nothing from one another, and ask services, never tables.
FRONT_DOORS = ("app.api", "app.web", "app.cli")
# Its rooms know nothing but records and one another.
STORE = "store"
ARCHITECTURE = Path(__file__).parents[2] / "docs" / "architecture.md"


def room_of(module: str) -> str:
    """The most particular room that a module lies in; empty: it lies in none.

    >>> room_of("policies.bingo.steering"), room_of("policies.policy"), room_of("__main__")
    ('policies.bingo', 'policies.policy', '')
    """
    steps = module.split(".")
    names = (".".join(steps[:length]) for length in range(len(steps), 0, -1))
    return next((name for name in names if name in ROOMS), "")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every module of ours that a file imports, with the line."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            names = [f"{node.module}.{name}" for name in names]
        for name in names:
            first, _, rest = name.partition(".")
            if first == "motherlode" and room_of(rest):
                yield rest, node.lineno


def allowed(room: str) -> set[str]:
    """Return the rooms that a room may import from, itself included."""
    before = set(ROOMS[: ROOMS.index(room) + 1])
    if is_in(room, STORE):
        return {name for name in before if name == "records" or is_in(name, STORE)}
    if room in FRONT_DOORS:
        others = {name for name in before if name in FRONT_DOORS or is_in(name, STORE)}
        return before - others | {room}
    return before


def is_in(room: str, parent: str) -> bool:
    return room == parent or room.startswith(f"{parent}.")


def wrong_imports() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        room = room_of(module)
        for imported, line in imports(path):
            if room and room_of(imported) not in allowed(room):
                yield f"{path.relative_to(SOURCE)}:{line} imports {imported}"


def test_every_package_is_a_known_room() -> None:
    """The sub-rooms, too; those of `app` are held together by their front doors alone."""
    packages = {
        ".".join(path.parent.relative_to(SOURCE).parts) for path in SOURCE.rglob("__init__.py")
    }
    unknown = packages - set(ROOMS) - {""}
    assert {name for name in unknown if not is_in(name, "app")} == set()


def test_every_room_exists() -> None:
    def exists(room: str) -> bool:
        path = SOURCE.joinpath(*room.split("."))
        return path.is_dir() or path.with_suffix(".py").is_file()

    assert [room for room in ROOMS if not exists(room)] == []


def test_rooms_import_only_from_the_rooms_before_them() -> None:
    assert list(wrong_imports()) == []


def test_the_table_of_rooms_is_true() -> None:
    """The rooms in docs/architecture.md stand in the order of `ROOMS`, and none is left out."""
    lines = [
        line for line in ARCHITECTURE.read_text("utf-8").splitlines() if line.startswith("| `")
    ]
    cells = [line.split("|")[1] for line in lines]
    named = [re.findall(r"`([a-z_.]+)`", cell) for cell in cells]
    shown = [room for rooms in named for room in rooms]
    assert set(shown) <= set(ROOMS)
    assert {room.partition(".")[0] for room in ROOMS} <= set(shown)
    assert shown == sorted(shown, key=ROOMS.index)


def test_a_wrong_import_would_be_seen(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("from motherlode.app import cli\nimport motherlode.store.schema\n")
    assert [name for name, _ in imports(module)] == ["app.cli", "store.schema"]
    assert "app" not in allowed("store")
    assert not {"store.tables", "urls"} & allowed("store")
    assert not {"store.queries", "urls"} & allowed("store.tables")
    assert not {"policies", "policies.bingo"} & allowed("crawl.refresh")
    assert not {"crawl.stages", "crawl.supervisor"} & allowed("crawl")
    assert not {"training", "training.trainer"} & allowed("training.feedback")
    assert "policies.bingo" not in allowed("policies")
    assert "lab.trials" not in allowed("lab")
    assert "fetch.wire" not in allowed("fetch.dns")
    assert "documents.formats" not in allowed("documents.html")
    assert {"app.services", "app.server"} <= allowed("app.web")
    assert not {"app.cli", "app.web", "store"} & allowed("app.api")
    assert "app.jobs" not in allowed("app.services")


def test_a_class_name_exists_once() -> None:
    files: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                files[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: paths for name, paths in files.items() if len(paths) > 1} == {}
