"""`lode feedback`: what a crawl chose to learn from, for a person to accept, reject or trim (SPEC B15)."""

import shlex
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.effects import show_effect
from motherlode.app.services.addresses import address_in
from motherlode.app.services.feedback import (
    NOTHING,
    Candidates,
    Done,
    Sayings,
    attempt,
    keep,
    number_of,
    waits,
)
from motherlode.policies.bingo.feedback import Archetype, Block, archetypes, blocks_of
from motherlode.portal import Portal
from motherlode.records import UsageError


@click.command("feedback")
@portal_argument
@click.option("--topic", metavar="TOPIC", help="Only this topic and those below it.")
@click.option("--accept", metavar="URL|all", multiple=True, help="Keep it for good (repeatable).")
@click.option(
    "--reject", metavar="URL|all", multiple=True, help="Learn from it no more, and never again (repeatable)."
)
@click.option(
    "--move", metavar="URL TOPIC", nargs=2, multiple=True, help="It belongs to TOPIC, or OTHERS (repeatable)."
)
@click.option("--show", metavar="URL", help="Show the blocks of a page, with their numbers.")
@click.option("--trim", metavar="URL", help="Learn from a part of an example alone, with --blocks.")
@click.option("--blocks", metavar="3-7,9", help="The blocks that --trim keeps; all: the whole page again.")
@click.option("--note", metavar="TEXT", default="", help="Why, for yourself; kept with what was said.")
@click.option("--try", "trying", is_flag=True, help="Keep nothing; learn anew and show what would change.")
@set_option
@json_option
def command(
    directory: Path,
    topic: str | None,
    show: str | None,
    overrides: tuple[str, ...],
    *,
    as_json: bool,
    **said: Any,
) -> None:
    """Show the archetypes of DIR: pages of the crawl that it has begun to learn from by itself.

    \b
    lode feedback DIR --accept all --reject https://news.example/
    lode feedback DIR --move https://bats.example/ mammals/bats --note "no birds"
    lode feedback DIR --show https://owls.example/
    lode feedback DIR --trim https://owls.example/ --blocks 3-7,9
    lode feedback DIR --reject https://news.example/ --try

    'lode crawl DIR --feedback' ends where there is most to say: when it has learned, before it harvests.
    'lode crawl DIR' goes on from there with what was accepted. What nothing is said of stays for now, and
    may be dropped for better pages.
    """
    trying = said.pop("trying")
    sayings = Sayings(topic=topic, **said)
    _check(sayings, show, trying=trying)
    if show is not None:
        _show_blocks(directory, show, overrides, as_json=as_json)
    elif sayings.are_any and not trying:
        _tell(keep(directory, sayings, overrides), directory, as_json=as_json)
    elif sayings.are_any or trying:
        _tell(attempt(directory, sayings, overrides), directory, as_json=as_json)
    else:
        _list(directory, topic, overrides, as_json=as_json)


# --- what was said --------------------------------------------------------------------------------------


def _check(said: Sayings, show: str | None, *, trying: bool) -> None:
    if (said.trim is None) != (said.blocks is None):
        raise UsageError("--trim URL and --blocks 3-7,9 go together; --show URL shows the numbers.")
    if show is not None and (said.are_any or trying):
        raise UsageError("--show shows a page and does nothing else; leave the other options out.")
    if said.note and not said.are_any:
        raise UsageError("--note says why something is accepted, rejected, moved or trimmed; say what.")


# --- what is shown --------------------------------------------------------------------------------------


def _list(directory: Path, topic: str | None, overrides: tuple[str, ...], *, as_json: bool) -> None:
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        tree = portal.tree()
        found = archetypes(session, tree, number_of(topic, tree))
        waiting = waits(session)
    if as_json:
        show_json(Candidates(waiting, found))
        return
    where = shlex.quote(str(directory))
    if not found:
        click.echo(f"There are no archetypes yet; 'lode crawl {where}' finds some while it learns.")
        return
    for path, group in groupby(found, key=lambda one: one.topic):
        mine = list(group)
        accepted = sum(one.accepted for one in mine)
        click.echo(f"{harmless(path)}: {count(len(mine), 'archetype')}, {accepted:,} accepted")
        for one in mine:
            _show_archetype(one)
        click.echo()
    if waiting:
        click.echo(f"The learning phase is over; 'lode crawl {where}' goes on with what is left here.")
    if waiting and all(one.accepted for one in found):
        click.echo(f"Next: lode crawl {where}")
    else:
        click.echo(f"Next: lode feedback {where} --accept URL|all --reject URL|all")


def _show_archetype(one: Archetype) -> None:
    marks = ", ".join(["accepted"] * one.accepted + ["trimmed"] * one.trimmed)
    title = click.style(harmless(one.title or one.url), bold=True)
    click.echo(f"  {title}{f' ({marks})' if marks else ''}")
    click.echo(f"    {harmless(one.url)}")
    sure = "unknown" if one.confidence is None else f"{one.confidence:+.3f}"
    click.echo(f"    confidence {sure}, authority {one.authority:.3f}")
    if one.terms:
        click.echo(f"    {harmless(', '.join(one.terms))}")


def _show_blocks(directory: Path, url: str, overrides: tuple[str, ...], *, as_json: bool) -> None:
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        page, blocks = blocks_of(session, address_in(session, url, portal.config.urls).url)
    if as_json:
        show_json({"url": page.page.url, "title": page.title, "blocks": blocks})
        return
    click.echo(harmless(f"{page.page.url}  {page.title}".rstrip()))
    click.echo(f"{count(len(blocks), 'block')}; * is of the main text, - was trimmed away.\n")
    width = len(f"{len(blocks):,}")
    for block in blocks:
        click.echo(f"{block.number:>{width},}{_mark(block)} {harmless(block.text)}")


def _mark(block: Block) -> str:
    return ("*" if block.main else " ") + (" " if block.kept else "-")


def _tell(done: Done, directory: Path, *, as_json: bool) -> None:
    if as_json:
        show_json(done)
        return
    told = done.told
    if done.effect is None:
        where = shlex.quote(str(directory))
        click.echo(f"{told[0].upper()}{told[1:]}. Next: lode crawl {where}, or lode train {where}")
        return
    said = f"With {told}, learning" if told != NOTHING else "Learning"
    click.echo(f"{said} anew would change this; nothing of it was kept.\n")
    show_effect(done.effect)
