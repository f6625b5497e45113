"""`lode`: runs a command, and turns every error into one sentence and an exit code."""

import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from motherlode import __version__
from motherlode.app.cli.common import PORTAL
from motherlode.app.cli.signals import HANDLER, is_interruption
from motherlode.app.errors import INTERRUPTED
from motherlode.records import LodeError
from motherlode.records.shell_words import name_directory, shell_line

# Every command with its summary: `lode --help` imports none of them.
COMMANDS = {
    "new": "Make a portal from bookmarks, seeds or a query.",
    "ask": "Answer a query by a short crawl from a few pages, and keep it as a portal.",
    "collect": "Build a collection for each of many subjects, in one crawl.",
    "sites": "Find whole websites like some that you name; show, accept and reject them.",
    "topics": "Show and edit a portal's topic tree.",
    "crawl": "Crawl for a portal's topics, starting from their examples.",
    "status": "Show the state of a portal, and what to do next.",
    "stats": "Show the statistics of a portal: pages, hosts, links, failures.",
    "train": "Train the classifier on the topics' examples, and judge all pages.",
    "judge": "Show the topic of a page or a file, how sure it is, and the reasons.",
    "feedback": "Show the pages that a crawl learned from by itself; accept, reject or trim them.",
    "search": "Search the pages of a portal: words, phrases, fields, filters, rankings.",
    "mark": "Mark search results as good or bad for their topic, to learn from them.",
    "collections": "Show the collections of a portal; accept, reject, move or pin pages.",
    "index": "Build or update the search index of a portal.",
    "library": "Keep a library of papers and pages; import and export reference files.",
    "links": "Show the hubs and authorities of a topic.",
    "cluster": "Cluster the pages of a topic, and make subtopics of the clusters.",
    "export": "Write a portal as JSON, CSV, Parquet, WARC, WACZ, bookmarks, a graph or a site.",
    "serve": "Serve portals as a web application with an API.",
    "refresh": "Fetch a portal's pages again, and store the changes.",
    "explain": "Explain how a URL was found, ranked, fetched and judged, or why not.",
    "sources": "Show, add, remove and try the search sources of a portal.",
    "config": "Show a portal's settings, with every default.",
    "hosts": "Show the hosts that a portal has contacted, and their state.",
    "analyse": "Read a document, and show what a crawl would extract from it.",
    "fetch": "Fetch a URL, and show what a crawl would see.",
    "sandbox": "Make and serve webs for experiments, on this machine only.",
    "lab": "Compare crawl policies on a labelled web, and measure crawls.",
    "demo": "Try a crawl from start to end, on this machine only.",
}

# Commands that can be typed again, wherever they were interrupted: they do what is left, or all.
_REPEATABLE = frozenset(COMMANDS) - {
    "new",
    "topics",
    "mark",
    "serve",
    "sandbox",
    "fetch",
    "sources",
}
# Options with which a second run does more than the first one would have done.
_ONCE = frozenset(
    {
        "--undo",
        "--apply",
        "--accept",
        "--reject",
        "--accept-from",
        "--reject-from",
        "--undecided",
        "--move",
        "--pin",
        "--clear",
        "--trim",
        "--ask",
    }
)

EXIT_CODES = {
    0: "done; also a crawl that reached its page or time limit",
    1: "failed",
    2: "wrong usage",
    3: "bad configuration or input file",
    4: "no such portal, or another process is writing it",
    11: "interrupted; the last line is the command that resumes",
    14: "page limit reached, with --fail-on-limit",
    15: "time limit reached, with --fail-on-limit",
}


class LazyGroup(click.Group):
    """A group whose commands are modules, each with a `command`, imported when they run."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(
            f"motherlode.app.cli.commands.{name}"
        ).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; its errors name the directory of its portal in suggested commands."""
        try:
            return super().invoke(ctx)
        except LodeError as error:
            directory = ctx.meta.get(PORTAL)
            if directory is not None:
                error.args = (name_directory(str(error), str(directory)),)
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            from difflib import get_close_matches  # noqa: PLC0415 - only for a message

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else "; 'lode --help' lists them."
            raise click.UsageError(f"There is no command '{args[0]}'{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in EXIT_CODES.items()])
        formatter.write_paragraph()
        formatter.write_text("Begin with 'lode demo', or with 'lode new --help'.")


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="Motherlode %(version)s")
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
def lode(**_: Any) -> None:
    """Motherlode crawls the Web for your topics, and makes a portal of the pages on them.

    Name a topic by example: bookmarks, a few pages, or a query. A portal is a directory with the
    topics, pages and settings of a crawl. Most commands take it as their first argument.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `lode` and exit; every exit is made here."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments
    # --debug may also stand after the command.
    arguments = [argument for argument in arguments if argument != "--debug"]
    _prepare()
    try:
        code = _run(arguments)
        HANDLER.ignore()
        sys.exit(code)
    except SystemExit:
        raise
    except BaseException as error:
        if is_interruption(error):
            HANDLER.ignore()
            sys.exit(_say_interrupted(arguments))
        if debug or not isinstance(error, Exception):
            raise
        sys.exit(_say_error(error))


def _say_interrupted(arguments: Sequence[str]) -> int:
    """Print that the command was interrupted, and how to start it again."""
    HANDLER.silence()
    if arguments[:1] and arguments[0] in _REPEATABLE and not _ONCE.intersection(arguments):
        command = shell_line(["lode", *arguments])
        return _say(f"Interrupted; '{command}' starts again.", INTERRUPTED)
    return _say("Interrupted.", INTERRUPTED)


def _say_error(error: Exception) -> int:
    """Print an error in one sentence, and return its exit code."""
    if isinstance(error, LodeError):
        return _say(str(error), error.exit_code)
    cause = f"{type(error).__name__}: {error}"
    return _say(f"This is a bug in Motherlode ({cause}); run again with --debug for details.", 1)


def _run(arguments: list[str]) -> int:
    try:
        colour = False if os.environ.get("NO_COLOR") else None
        code = lode.main(arguments, prog_name="lode", standalone_mode=False, color=colour)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0  # the code of `ctx.exit`
    except click.exceptions.NoArgsIsHelpError as error:  # a group without a command prints its help
        click.echo(error.format_message(), err=True)
        return 2
    except SystemExit:  # click exits so when the pipe is closed
        _drop_output()
    except click.ClickException as error:
        return _say(error.format_message(), 2)
    except (KeyboardInterrupt, click.Abort):
        return _say_interrupted(arguments)
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        _drop_output()
    except OSError as error:
        if error.filename is not None or is_interruption(error):
            raise
        _drop_output()
        return _say(f"The output cannot be written: {error.strerror or error}.", 1)
    return 0


def _prepare() -> None:
    """Let output never fail for its encoding, and let SIGTERM clean up like Ctrl-C."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        getattr(sys, name).reconfigure(errors="replace")
    HANDLER.install()


def _drop_output() -> None:
    """Drop buffered output, so that Python does not fail to write it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(sentence: str, code: int) -> int:
    shown = " ".join("".join(c if c.isprintable() else " " for c in sentence).split())
    with suppress(OSError):
        click.echo(f"lode: {shown}", err=True)
    return code
