"""`lode sandbox`: recorded and generated webs on this machine, to crawl without the Web."""

import sys
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from shlex import quote

import click

from motherlode.app.cli.common import json_option, show_json
from motherlode.app.cli.types import FiniteNumber
from motherlode.app.text import count
from motherlode.lab.description import PortalPlan, WebPlan
from motherlode.lab.loader import open_web
from motherlode.lab.web import LabWeb
from motherlode.records import BadInputError, LodeError, UsageError

web_argument = click.argument("directory", metavar="WEB", type=click.Path(path_type=Path))
# Not checked by click, so that the message for an unreadable file is the same everywhere.
file_type = click.Path(path_type=Path, readable=False)
new_web_argument = click.argument("directory", metavar="NEW", type=click.Path(path_type=Path))


MAX_HOSTS_SCANNED = 100_000  # for those that misbehave


@click.group("sandbox")
def command() -> None:
    """Make and serve webs for experiments: recorded, generated, misbehaving.

    WEB is a directory. A recorded web has WARC files, labels.tsv (a URL, a tab, a topic's path) and
    about.toml. A generated web has only about.toml, with the options of 'generate'. Every
    command takes --json.

    \b
    lode sandbox generate toy --seed 7 --pages 3000 --hosts 60
    lode sandbox serve toy --port 8080
    curl --proxy http://127.0.0.1:8080 http://HOST/
    """


@command.command("serve")
@web_argument
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port on 127.0.0.1; 0 is any free port.",
)
@click.option(
    "--dns-port",
    type=click.IntRange(0, 65535),
    help="Also answer DNS queries on this UDP port: every host is 127.0.0.1.",
)
@click.option(
    "--misbehave",
    "habits",
    metavar="HOST=HABIT",
    multiple=True,
    help=(
        "Let a host, or all hosts that match a pattern, misbehave: '*.test=slow-drip:2' "
        "(repeatable)."
    ),
)
@click.option("--processes", type=click.IntRange(1, 64), default=1, help="Number of processes.")
@click.option("--attached", is_flag=True, help="End when standard input ends.")
@json_option
def serve(  # noqa: PLR0913 - one parameter an option
    directory: Path,
    port: int,
    dns_port: int | None,
    habits: tuple[str, ...],
    processes: int,
    *,
    attached: bool,
    as_json: bool,
) -> None:
    """Serve all hosts of WEB over HTTP on 127.0.0.1, by the Host header, until interrupted.

    A crawler connects to it by its configuration, any other client by using the port as its proxy.
    """
    from motherlode.lab.misbehaviour import Habits  # noqa: PLC0415 - loaded only to serve
    from motherlode.lab.serving import sandbox  # noqa: PLC0415

    web = open_web(directory)
    assigned = Habits([_assignment(text, web) for text in habits], web.habit_of)

    def ready(port: int, dns_port: int | None) -> None:
        if as_json:
            show_json({"port": port, "dns_port": dns_port, **_summary(web)})
        else:
            _announce(web, port, dns_port)
        sys.stdout.flush()

    sandbox.serve(web, assigned, sandbox.Doors(port, dns_port, processes, attached), ready)


def _assignment(text: str, web: LabWeb) -> tuple[str, str]:
    from motherlode.lab.misbehaviour.habits import parse_habit  # noqa: PLC0415 - loaded only to serve

    host, sign, habit = text.rpartition("=")
    if not sign or not host or not habit:
        raise UsageError(
            f"--misbehave {text}: write HOST=HABIT; 'lode sandbox habits' lists the habits."
        )
    try:
        parse_habit(habit)
    except BadInputError as error:
        raise UsageError(f"--misbehave {text}: {error}") from error
    if not web.has_host(host) and not any(
        fnmatchcase(name, host) for name in islice(web.hosts(), MAX_HOSTS_SCANNED)
    ):
        raise UsageError(f"--misbehave {text}: no host of this web matches '{host}'.")
    return host, habit


def _announce(web: LabWeb, port: int, dns_port: int | None) -> None:
    about = web.about
    click.echo(f"{about.name}: {count(about.pages, 'page')} on {count(about.hosts, 'host')}.")
    click.echo(
        f"Serving on 127.0.0.1:{port}"
        + (f", DNS on port {dns_port}" if dns_port is not None else "")
    )
    first = quote(next(web.urls(), "http://HOST/"))
    from motherlode.lab.serving.search_site import (  # noqa: PLC0415 - loaded only to serve
        DESCRIPTION_URL,
    )

    _announce_portals(web)
    click.echo(f"Its search engine: --source opensearch:{DESCRIPTION_URL}")
    click.echo(f"Try: curl --proxy http://127.0.0.1:{port} {first}   (Ctrl-C ends it)")


def _announce_portals(web: LabWeb) -> None:
    """Name the pages with the search forms of the portals, if there are any."""
    from motherlode.lab.portals.portal_web import PortalWeb  # noqa: PLC0415 - loaded only to serve

    if isinstance(web, PortalWeb):
        for site in web.portals.values():
            click.echo(f"Portal: {site.url(site.design.form_path)}")


@command.command("show")
@web_argument
@json_option
def show(directory: Path, *, as_json: bool) -> None:
    """Show WEB: its size, its topics with their pages, and the hosts that misbehave."""
    web = open_web(directory)
    try:
        topics, labelled = web.labels().topics(), len(web.labels())
    except LodeError as error:  # too many to list
        topics, labelled, unlisted = {}, 0, str(error)
    else:
        unlisted = ""
    habits = {
        host: habit
        for host in islice(web.hosts(), MAX_HOSTS_SCANNED)
        if (habit := web.habit_of(host))
    }
    if as_json:
        show_json({**_summary(web), "labels": labelled, "topics": topics, "misbehaving": habits})
        return
    about = web.about
    click.echo(
        f"{about.name}, {about.kind}: {count(about.pages, 'page')} on {count(about.hosts, 'host')}"
    )
    for line in (about.note, about.licence and f"Licence: {about.licence}", unlisted):
        if line:
            click.echo(line)
    if not unlisted:
        click.echo(f"{count(labelled, 'page')} with labels" + (":" if topics else "."))
    for path, number in topics.items():
        click.echo(f"{number:>8,}  {path}")
    if habits:
        click.echo(f"{count(len(habits), 'host')} with bad habits:")
    for host, habit in habits.items():
        click.echo(f"  {host}  {habit}")


def _summary(web: LabWeb) -> dict[str, object]:
    about = web.about
    return {"name": about.name, "kind": about.kind, "pages": about.pages, "hosts": about.hosts}


@command.command("habits")
@json_option
def habits(*, as_json: bool) -> None:
    """List the ways in which a host can misbehave."""
    from motherlode.lab.misbehaviour import HABITS  # noqa: PLC0415 - loaded only to list them

    if as_json:
        fields = ("summary", "figure", "unit")
        show_json({name: {f: getattr(kind, f) for f in fields} for name, kind in HABITS.items()})
        return
    for name, kind in HABITS.items():
        figure = f" (:{kind.figure:g} {kind.unit})" if kind.unit else ""
        click.echo(f"{name:<18} {kind.summary}{figure}")


@command.command("generate")
@new_web_argument
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=1,
    help="The same seed is the same web, byte for byte.",
)
@click.option(
    "--pages",
    type=click.IntRange(20, 10**10),
    default=3000,
    help="Number of pages, which are made on demand.",
)
@click.option("--hosts", type=click.IntRange(4, 10**8), default=60, help="Number of hosts.")
@click.option(
    "--misbehaving", type=FiniteNumber(0, 1), default=0.0, help="The share of hosts that misbehave."
)
@click.option(
    "--portals",
    "portal_count",
    type=click.IntRange(0, 100),
    default=0,
    help="Number of catalogues of papers behind search forms, of seven designs.",
)
@click.option(
    "--papers",
    type=file_type,
    help="Let the portals hold the papers of this folder, instead of ones that are made up.",
)
@json_option
def generate(  # noqa: PLR0913 - one parameter an option
    directory: Path,
    *,
    seed: int,
    pages: int,
    hosts: int,
    misbehaving: float,
    portal_count: int,
    papers: Path | None,
    as_json: bool,
) -> None:
    """Describe a generated web in the directory NEW: a few lines, whatever its size."""
    from motherlode.lab.description import write_plan  # noqa: PLC0415 - loaded only to write one

    portals = _portal_plan(seed, portal_count, papers)
    try:
        plan = WebPlan(seed=seed, pages=pages, hosts=hosts, misbehaving=misbehaving)
    except ValueError as error:
        raise UsageError(f"--pages {pages} --hosts {hosts}: {error}.") from error
    write_plan(directory, plan, portals)
    if as_json:
        also = {"portals": portals} if portals else {}
        show_json({"web": str(directory), "generated": plan, **also})
        return
    click.echo(f"Made {directory}: {count(pages, 'page')} on {count(hosts, 'host')}.")
    if portals:
        click.echo(f"Beside them, {count(portals.number, 'portal')} with papers.")
    click.echo(f"Next: lode sandbox serve {quote(str(directory))}")


def _portal_plan(seed: int, portal_count: int, papers: Path | None) -> PortalPlan | None:
    """Return the plan of the portals that are asked for; None: the web has none."""
    if papers is None:
        return PortalPlan(number=portal_count, seed=seed) if portal_count else None
    if not portal_count:
        raise UsageError("--papers: say how many portals hold the papers, such as --portals 7.")
    from motherlode.lab.portals.records import read_papers  # noqa: PLC0415 - loaded only to check

    read_papers(papers)
    return PortalPlan(number=portal_count, papers=str(papers.resolve()), seed=seed)


@command.command("record")
@new_web_argument
@click.argument("sources", metavar="WARC...", nargs=-1, required=True, type=file_type)
@click.option(
    "--labels",
    "labelled",
    type=file_type,
    help=(
        "Label pages after this file: lines of URL, tab, topic; or bookmarks, whose folders are "
        "topics."
    ),
)
@click.option("--note", default="", help="A sentence about the web, for its about.toml.")
@json_option
def record(
    directory: Path, sources: tuple[Path, ...], labelled: Path | None, note: str, *, as_json: bool
) -> None:
    """Make a recorded web NEW from WARC files of any origin, and label it."""
    from motherlode.lab.recorded.recorder import record as make  # noqa: PLC0415 - loaded only to record

    web = make(directory, sources, labelled, note)
    if as_json:
        show_json({"web": str(directory), **_fields(web)})
        return
    click.echo(f"Made {directory}: {count(web.pages, 'page')} on {count(web.hosts, 'host')}.")
    for damage in web.damage:
        click.echo(f"Only the records before the damage were used: {damage}", err=True)
    if labelled is not None:
        verb = "is" if web.strangers == 1 else "are"
        strangers = f"{count(web.strangers, 'labelled page')} {verb} not in it"
        click.echo(f"{count(web.labels, 'page')} with labels; {strangers}.")
    click.echo(f"Next: lode sandbox serve {quote(str(directory))}")


def _fields(record: object) -> dict[str, object]:
    import msgspec  # noqa: PLC0415 - loaded only for this

    fields: dict[str, object] = msgspec.to_builtins(record)
    return fields
