"""`lode serve`: the web application and its API."""

from pathlib import Path
from typing import Any

import click

from motherlode.app.cli.common import json_option, show_json
from motherlode.app.text import count

_PORT = 8420


@click.command("serve")
@click.argument("place", metavar="DIR|PARENT", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=_PORT,
    show_default=True,
    help="The port to listen on; 0 is any free port.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--token", envvar="LODE_TOKEN", default="", help="The token to log in with; also LODE_TOKEN."
)
@click.option("--name", "names", multiple=True, help="A host name of the server (repeatable).")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Number of jobs that run at the same time.",
)
@click.option("--log", is_flag=True, help="Log each request to standard error.")
@json_option
def command(place: Path, names: tuple[str, ...], *, as_json: bool, **options: Any) -> None:
    """Serve the portal DIR, or all portals of the folder PARENT, as a web application with an API.

    Only this machine can reach it, unless --host or --name is given. Then users have to log in with
    a token; if --token is not given, a token is generated and shown. Running jobs go on when the
    server ends; waiting jobs are dropped.

    \b
    lode serve portals
    lode serve birds --port 9000
    lode serve portals --host 0.0.0.0 --name portals.example.org
    """
    from motherlode.app.application import serve  # noqa: PLC0415 - loaded only to run it
    from motherlode.app.server.settings import ServerSettings, with_token  # noqa: PLC0415

    settings = with_token(
        ServerSettings(
            place=place,
            host=options["host"],
            port=options["port"],
            token=options["token"],
            names=names,
            running_jobs=options["jobs"],
            log=options["log"],
        )
    )
    shown_token = settings.token if settings.token != options["token"] else ""

    def ready(address: str) -> None:
        if as_json:
            show_json({"address": address, "token": shown_token or None})
        else:
            click.echo(f"Serving {place} at {address}   (Ctrl-C ends it)")
            if shown_token:
                click.echo(f"Log in with this token: {shown_token}")

    jobs = serve(settings, ready)
    if jobs.running:
        running = count(jobs.running, "job")
        click.echo(f"\n{running} still running; 'lode serve {place}' shows them again.", err=True)
    for job in jobs.waiting:
        click.echo(f"Not started, and dropped: {job.command} {job.portal}.", err=True)
