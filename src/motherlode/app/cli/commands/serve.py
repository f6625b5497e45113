"""`lode serve`: the web application and its API."""

from pathlib import Path
from typing import Any

import click

from motherlode.app.cli.common import count, json_option, show_json

_PORT = 8420


@click.command("serve")
@click.argument("place", metavar="DIR|PARENT", type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=_PORT, show_default=True, help="0: any free port."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--token", envvar="LODE_TOKEN", default="", help="What to log in with; also LODE_TOKEN.")
@click.option("--name", "names", multiple=True, help="A name that the server is reached by (repeatable).")
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=4, show_default=True, help="Run so many at a time."
)
@click.option("--log", is_flag=True, help="Write each request to the standard error.")
@json_option
def command(place: Path, names: tuple[str, ...], *, as_json: bool, **options: Any) -> None:
    """Serve the portal DIR, or all portals of the folder PARENT, as a web application with an API.

    Only this machine reaches it, unless --host or --name say otherwise; then people have to log in with a
    token, which is made up and shown where none is given. Jobs that it has begun go on when it ends; those
    that still wait for their turn are forgotten.

    \b
    lode serve portals
    lode serve birds --port 9000
    lode serve portals --host 0.0.0.0 --name portals.example.org
    """
    from motherlode.app.server.running import serve  # noqa: PLC0415 - loaded only to run it
    from motherlode.app.server.settings import Settings, settled  # noqa: PLC0415

    settings = settled(
        Settings(
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

    left = serve(settings, ready)
    if left.running:
        still = count(left.running, "job")
        click.echo(f"\n{still} still running; 'lode serve {place}' shows them again.", err=True)
    for job in left.waiting:
        click.echo(f"Not begun, and forgotten: {job.command} {job.portal}.", err=True)
