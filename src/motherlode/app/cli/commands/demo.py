"""`lode demo`: the main job end to end, on this machine alone."""

from pathlib import Path

import click

from motherlode.app.cli.common import json_option, set_option, show_json


@click.command("demo")
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep the portal in DIR; else it is removed at the end.",
)
@click.option("--pages", type=click.IntRange(1), default=1000, show_default=True, help="Crawl so many pages.")
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=7, show_default=True, help="Which web to make up."
)
@set_option
@json_option
def command(keep: Path | None, pages: int, seed: int, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Make up a web on this machine, name topics by example, crawl it, and show what was found."""
    from motherlode.app.cli.demo import run_demo, show_result  # noqa: PLC0415 - loaded only to run it
    from motherlode.portal.reading import parse_override  # noqa: PLC0415

    chosen = dict(parse_override(override) for override in overrides)
    result = run_demo(keep, pages, seed, chosen, quiet=as_json)
    if as_json:
        show_json(result)
    else:
        show_result(result, keep, seed)
