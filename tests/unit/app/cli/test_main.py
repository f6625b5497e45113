"""`lode` itself: what its overview says, and how mistakes are told."""

import subprocess
import sys

import pytest

from motherlode.app.cli.main import COMMANDS, EXIT_CODES
from support.helpers import CliRun, said_one_sentence

WITHOUT_A_PORTAL = {"sandbox", "lab", "serve"}  # so there are no settings to override


def test_help_names_every_command_and_exit_code(lode: CliRun) -> None:
    run = lode("--help")
    assert run.returncode == 0
    assert all(name in run.stdout for name in COMMANDS)
    assert all(meaning[:20] in run.stdout for meaning in EXIT_CODES.values())


def test_the_overview_says_of_each_command_what_it_says_of_itself(lode: CliRun) -> None:
    for name in COMMANDS:
        run = lode(name, "--help")
        assert run.returncode == 0
        assert "--set" in run.stdout or name in WITHOUT_A_PORTAL
        assert "--json" in run.stdout


def test_help_loads_nothing_heavy() -> None:
    heavy = "sqlalchemy, numpy, msgspec, rich, publicsuffixlist"
    code = f"""
import sys
from motherlode.app.cli.main import main
try:
    main(["--help"])
except SystemExit:
    pass
print([name for name in {heavy.split(", ")!r} if name in sys.modules], file=sys.stderr)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stderr.strip() in ("[]", "['msgspec']")


def test_version(lode: CliRun) -> None:
    assert lode("--version").stdout.startswith("Motherlode 0.")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("cofig",), 2, "There is no command 'cofig'; did you mean 'config'?"),
        (("new",), 2, "Missing argument 'DIR'."),
        (("new", "x"), 2, "Name the topics one way"),
        (("new", "x", "--query", "a", "--topic", "b"), 2, "Name the topics one way"),
        (("new", "x", "--query", "  "), 2, "The query is empty; write what you look for."),
        (("new", "x", "--seed", "http://a/"), 2, "comes before any topic"),
        (("new", "x", "--seed", "http://a/", "--topic", "t"), 2, "comes before any topic"),
        (
            ("new", "x", "--topic", "t", "--seed", "nonsense"),
            2,
            "'nonsense' cannot be crawled: not a URL.",
        ),
        (("new", "x", "--topic", "/"), 2, "A topic needs a name."),
        (("new", "x", "--topic", "a/" * 1200), 2, "Topics nest at most 100 deep"),
        (("topics", "x" * 300), 4, "cannot be a portal: File name too long"),
        (
            ("new", "x", "--query", "a", "--set", "urls.max_ulr=3"),
            2,
            "did you mean 'urls.max_url'?",
        ),
        (("new", "x", "--bookmarks", "missing.html"), 3, "There is no file missing.html."),
        (
            ("topics", "missing"),
            4,
            "missing does not exist; 'lode new missing --topic NAME --seed URL' makes a portal there.",
        ),
        (("config", "."), 4, ". is not a portal"),
        (("topics", "missing", "add", "x"), 4, "does not exist"),
        (("config", "missing", "--nonsense"), 2, "No such option"),
    ],
)
def test_mistakes_are_told_in_one_sentence(
    lode: CliRun, arguments: tuple[str, ...], code: int, says: str
) -> None:
    run = lode(*arguments)
    assert run.returncode == code
    assert said_one_sentence(run)
    assert says in run.stderr
    assert run.stdout == ""
