"""`lode`: finds the command, runs it, and turns whatever goes wrong into one sentence and an exit code."""

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from motherlode import __version__
from motherlode.app.cli.interrupting import INTERRUPTED
from motherlode.records import LodeError

# Where each command lives, and what the overview says of it: nothing is imported for `lode --help`.
COMMANDS = {
    "new": "Make a portal from bookmarks, seeds or a query.",
    "ask": "Answer a query by a short crawl from a few pages, and keep it as a portal.",
    "topics": "Show and edit a portal's topic tree.",
    "crawl": "Fetch pages into a portal, from its topics' examples on.",
    "status": "Show what a portal is now, and what to do next.",
    "stats": "Show what a portal holds, in figures.",
    "train": "Learn the topics from their examples, and judge what was fetched.",
    "judge": "Say where a page or a file would go, how surely, and why.",
    "feedback": "Show the pages that a crawl learned from by itself; accept, reject or trim them.",
    "search": "Search what a portal has fetched: words, phrases, fields, filters, rankings.",
    "mark": "Mark search results as good or bad for their topic, for the topics to learn from.",
    "index": "Make a portal's search index, or bring it up to date.",
    "links": "Show the hubs and authorities of a topic.",
    "cluster": "Show what the pages of a topic fall into, and make topics of that.",
    "export": "Write a portal as JSON, CSV, Parquet, WARC, WACZ, bookmarks or a graph.",
    "serve": "Serve portals as a web application with an API.",
    "refresh": "Fetch a portal's pages again, and keep what has changed.",
    "explain": "Say how a URL was found, ranked, fetched and judged, or why it was not.",
    "config": "Show a portal's settings, with every default.",
    "hosts": "Show the hosts that a portal has met, and how they behaved.",
    "analyse": "Read one document and show what a crawl would make of it.",
    "fetch": "Fetch one URL and show what a crawl would see of it.",
    "sandbox": "Serve and make webs for experiments, on this machine alone.",
    "lab": "Compare policies on a web whose truth is known.",
    "demo": "Try the main job end to end, on this machine alone.",
}

EXIT_CODES = {
    0: "done (a crawl that reached a limit it was given is done, too)",
    1: "failed",
    2: "wrong usage",
    3: "bad configuration or input file",
    4: "no such portal, or another process is writing it",
    11: "interrupted; the same command resumes",
    14: "page limit reached, with --fail-on-limit",
    15: "time limit reached, with --fail-on-limit",
}


class LazyGroup(click.Group):
    """A group whose commands are modules of this package, each with a `command`."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"motherlode.app.cli.commands.{name}").command
        return command

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
@click.option("--debug", is_flag=True, help="Show the whole traceback when something goes wrong.")
def lode(**_: Any) -> None:
    """Motherlode crawls the Web for your topics alone and hands back a portal.

    Name a topic by example: bookmarks, a few pages, a query. A portal is a directory that holds
    everything about one undertaking; most commands take it as their first argument.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `lode`. Every way out leads through here."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments
    # A command takes --debug as well as `lode` itself does.
    arguments = [argument for argument in arguments if argument != "--debug"]
    _prepare()
    try:
        code = _run(arguments)
        _hear_nothing()
        sys.exit(code)
    except LodeError as error:
        if debug:
            raise
        sys.exit(_say(str(error), error.exit_code))
    except Exception as error:
        if debug:
            raise
        said = f"{type(error).__name__}: {error}"
        sys.exit(_say(f"This is a bug in Motherlode ({said}); run again with --debug for details.", 1))


def _run(arguments: list[str]) -> int:
    try:
        colour = False if os.environ.get("NO_COLOR") else None
        code = lode.main(arguments, prog_name="lode", standalone_mode=False, color=colour)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0  # what a command gave to `ctx.exit`
    except click.exceptions.NoArgsIsHelpError as error:  # a group without a command: its help, as it is
        click.echo(error.format_message(), err=True)
        return 2
    except SystemExit:  # click's own way out when the reader has seen enough
        _drop_output()
    except click.ClickException as error:
        return _say(error.format_message(), 2)
    except (KeyboardInterrupt, click.Abort):
        return _say("Interrupted.", INTERRUPTED)
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        _drop_output()
    except OSError as error:
        if error.filename is not None:
            raise
        _drop_output()
        return _say(f"The output cannot be written: {error.strerror or error}.", 1)
    return 0


def _prepare() -> None:
    """Output that never fails for its encoding, and an end by signal that cleans up like Ctrl-C."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        getattr(sys, name).reconfigure(errors="replace")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def _hear_nothing() -> None:
    """Who presses Ctrl-C once more while we are leaving gets the exit code that is due all the same."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _drop_output() -> None:
    """What is still buffered goes nowhere, so that Python's own end does not stumble over it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(sentence: str, code: int) -> int:
    shown = " ".join("".join(c if c.isprintable() else " " for c in sentence).split())
    with suppress(OSError):
        click.echo(f"lode: {shown}", err=True)
    return code
