"""A command that a message suggests works in the state in which it is suggested."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click
import pytest

from motherlode.app.cli.main import lode
from motherlode.lab.serving.background import sandbox
from motherlode.portal import Portal, PortalLock
from motherlode.records import Example, Origin
from motherlode.store.tables import topics as topic_rows
from support.helpers import run_lode
from support.hints import commands_in, help_examples, hints_in, parse, words_of
from support.read_only import read_only
from support.training_webs import place

OWL, ARCHETYPE = place("owl", 0), place("owl", 1)
STATES = (
    "no portal",
    "new",
    "a query",
    "no example",
    "fetched",
    "crawled",
    "searched",
    "with archetypes",
)
VALUES = {
    "QUERY": "owl",
    "URL": OWL,
    "URL|all": "all",
    "TOPIC": "owls",
    "DIR": "p",
    "NAME": "owls",
    "FILE": "urls.txt",
}
# Options that keep a suggested command short; none of them makes a refused one work.
BOUNDS = {
    "crawl": ("--pages", "5", "--time", "2s"),
    "refresh": ("--pages", "2"),
}
ASKED = (
    ("status", "p"),
    ("stats", "p"),
    ("topics", "p"),
    ("search", "p", "owl"),
    ("search", "p", "owl", "--as-is"),
    ("mark", "p"),
    ("mark", "p", "--good", "1"),
    ("mark", "p", "--good", "1", "--topic", "owls"),
    ("judge", "p", OWL),
    ("judge", "p", "--again"),
    ("judge", "p", "--again", "--results"),
    ("links", "p", "--topic", "owls"),
    ("links", "p", "--topic", "nothing"),
    ("cluster", "p", "--topic", "owls"),
    ("topics", "p", "add", "herons"),
    ("feedback", "p"),
    ("feedback", "p", "--try"),
    ("feedback", "p", "--accept", "all"),
    ("feedback", "p", "--reject", OWL),
    ("train", "p", "--preview"),
    ("train", "p", "--offline"),
    ("train", "p", "--undo"),
    ("train", "p", "--undo", "--preview"),
    ("feedback", "p", "--undo"),
    ("index", "p"),
    ("explain", "p", OWL),
    ("hosts", "p", "--forgive", "nothing.test"),
    ("config", "p", "no.such.key"),
    ("refresh", "p", "--pages", "1", "--older-than", "0s"),
)
Meanwhile = Callable[[Path], AbstractContextManager[object]]


def idle(_: Path) -> AbstractContextManager[object]:
    return nullcontext()


def being_crawled(portal: Path) -> AbstractContextManager[object]:
    return PortalLock(portal, "test")


def made(folder: Path, *words: str) -> None:
    run = run_lode(folder, "new", "p", *words)
    assert run.returncode == 0, run.stderr


@pytest.fixture(scope="module")
def states(
    finished_birds: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Path]]:
    """Folders with a portal `p`, each in another state."""
    base = tmp_path_factory.mktemp("states")
    with sandbox(finished_birds / "web") as running:
        seeds = ("--topic", "owls", "--seed", OWL, "--topic", "OTHERS", "--seed", place("news", 0))
        connect = ("--set", f"network.connect={running.address}")
        folders = {}
        for name in STATES:
            folders[name] = base / name.replace(" ", "-")
            folders[name].mkdir()
            (folders[name] / "urls.txt").write_text("http://owls.test/\n")
        made(folders["new"], *seeds)
        made(folders["a query"], "--query", "owls")
        made(folders["no example"], "--topic", "owls")
        made(folders["fetched"], *seeds, *connect)
        assert run_lode(folders["fetched"], "crawl", "p", "--pages", "2").returncode == 0
        made(folders["crawled"], *seeds, *connect)
        crawl = ("crawl", "p", "--pages", "12", "--no-index")
        assert run_lode(folders["crawled"], *crawl).returncode == 0
        shutil.copytree(folders["crawled"], folders["searched"], dirs_exist_ok=True)
        assert run_lode(folders["searched"], "search", "p", "owl").returncode == 0
        shutil.copytree(folders["searched"], folders["with archetypes"], dirs_exist_ok=True)
        add_archetype(folders["with archetypes"] / "p")
        yield folders


def add_archetype(directory: Path) -> None:
    with Portal.writing(directory, "test") as portal, portal.batch() as session:
        topic = portal.tree().at(("owls",)).id
        archetype = Example(topic, ARCHETYPE, origin=Origin.ARCHETYPE)
        assert topic_rows.add_examples(session, [archetype])


def refused_hints(folder: Path, tmp_path: Path, meanwhile: Meanwhile = idle) -> list[str]:
    """Run each command on a copy, and there what its output suggests; return what was refused."""
    tried: set[str] = set()
    refused = []
    for number, arguments in enumerate(ASKED):
        copy = tmp_path / str(number)
        shutil.copytree(folder, copy)
        with meanwhile(copy / "p"):
            run = run_lode(copy, *arguments)
            assert "Traceback" not in run.stderr, run.stderr
            for hint in hints_in(run.stdout + run.stderr):
                if hint not in tried and (error := refusal(copy, hint)):
                    refused.append(f"{' '.join(arguments)} suggests {hint}: {error}")
                tried.add(hint)
    assert tried
    return refused


def refusal(folder: Path, hint: str) -> str:
    """Return why a suggested command is refused; empty if it is not."""
    reviews = hint.startswith("lode feedback")
    words = words_of(hint, {**VALUES, "URL": ARCHETYPE} if reviews else VALUES)
    run = run_lode(folder, *words, *BOUNDS.get(words[0], ()))
    could_not_fetch = words[0] in ("crawl", "train") and "no such host" in run.stderr
    return "" if run.returncode == 0 or could_not_fetch else run.stderr


@pytest.mark.parametrize("state", STATES)
def test_a_suggested_command_is_not_refused(
    states: dict[str, Path], tmp_path: Path, state: str
) -> None:
    assert refused_hints(states[state], tmp_path) == []


@pytest.mark.parametrize("state", ["new", "crawled", "with archetypes"])
def test_nor_while_another_process_writes_the_portal(
    states: dict[str, Path], tmp_path: Path, state: str
) -> None:
    assert refused_hints(states[state], tmp_path, being_crawled) == []


@pytest.mark.system
@pytest.mark.parametrize("state", ["new", "crawled", "with archetypes"])
def test_nor_where_the_portal_cannot_be_written(
    states: dict[str, Path], tmp_path: Path, state: str
) -> None:
    assert refused_hints(states[state], tmp_path, read_only) == []


# --- examples in help texts and documentation ---


def all_commands(
    command: click.Command = lode, name: str = "lode"
) -> Iterator[tuple[str, click.Command]]:
    """Yield every command and subcommand with its full name."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            below = command.get_command(context, word)
            assert below is not None
            yield from all_commands(below, f"{name} {word}")


def test_examples_of_help_texts_are_command_lines() -> None:
    examples = [
        words
        for _, command in all_commands()
        for line in help_examples(command.help or "")
        for words in commands_in(line)
    ]
    assert len(examples) > 30
    for words in examples:
        parse(words)


def test_commands_that_help_texts_mention_exist() -> None:
    names = {name for name, _ in all_commands()}
    for _, command in all_commands():
        for mentioned in re.findall(r"'(lode [a-z ]+[a-z])", command.help or ""):
            assert any(mentioned.startswith(name) for name in names - {"lode"}), mentioned


def documented_lines() -> Iterator[tuple[str, str]]:
    """Yield the commands that README and documentation type at a prompt, with their file.

    A command whose output is an error shows what is refused.
    """
    root = Path(__file__).parents[4]
    for path in (root / "README.md", *sorted((root / "docs").rglob("*.md"))):
        text = path.read_text().replace("\\\n", " ")
        for line in re.findall(r"^\s*\$ (.*\blode .*)$(?!\nlode: )", text, re.MULTILINE):
            yield path.name, line


def test_commands_of_the_documentation_are_command_lines() -> None:
    count = 0
    for file, line in documented_lines():
        for words in commands_in(line):
            try:
                parse(words)
            except click.UsageError as error:
                pytest.fail(f"{file}: {line}: {error.format_message()}")
            count += 1
    assert count > 80
