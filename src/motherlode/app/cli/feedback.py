"""`lode feedback`: what a crawl chose to learn from, for a person to accept, reject or trim (SPEC B15)."""

import shlex
from itertools import groupby
from pathlib import Path
from time import time
from typing import Any

import click
from msgspec import Struct

from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.cli.documents import web_address
from motherlode.app.cli.effects import show_effect
from motherlode.app.cli.numbers import numbers_in
from motherlode.engine.feedback import (
    ALL,
    Archetype,
    Block,
    Ruling,
    Wishes,
    archetypes,
    blocks_of,
    effect_of,
    keep_ruling,
    ruling_on,
)
from motherlode.engine.reviewing import Effect
from motherlode.engine.training import KIND
from motherlode.portal import Portal
from motherlode.records import Origin, TopicId, UsageError
from motherlode.store import ledger
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree, parse_path, show_path
from motherlode.urls import UrlRules

MAX_NOTE = 2_000


class Done(Struct, frozen=True):
    """What was done, or, with `--try`, what would be. `effect` is that of learning anew."""

    accepted: list[str]
    rejected: list[str]
    moved: dict[str, str]
    trimmed: list[str]
    kept: bool
    effect: Effect | None = None


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
    edits = bool(said["accept"] or said["reject"] or said["move"] or said["trim"])
    _check(said, show, edits=edits)
    if show is not None:
        _show_blocks(directory, show, overrides, as_json=as_json)
    elif edits and not said["trying"]:
        with (
            Portal.writing(directory, "lode feedback", overrides) as portal,
            portal.store.writing() as session,
        ):
            tree = TopicTree(topic_rows.all_topics(session))
            wishes = _wishes(said, topic, tree, portal.config.urls)
            ruling = ruling_on(session, tree, wishes, time())
            keep_ruling(session, ruling)
        _tell(_done(ruling, tree, kept=True), directory, as_json=as_json)
    elif edits or said["trying"]:
        with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
            tree = portal.tree()
            wishes = _wishes(said, topic, tree, portal.config.urls)
            ruling = ruling_on(session, tree, wishes, time())
            effect = effect_of(session, tree, portal.config, ruling)
        _tell(_done(ruling, tree, kept=False, effect=effect), directory, as_json=as_json)
    else:
        _list(directory, topic, overrides, as_json=as_json)


# --- what was said --------------------------------------------------------------------------------------


def _check(said: dict[str, Any], show: str | None, *, edits: bool) -> None:
    if (said["trim"] is None) != (said["blocks"] is None):
        raise UsageError("--trim URL and --blocks 3-7,9 go together; --show URL shows the numbers.")
    if show is not None and (edits or said["trying"]):
        raise UsageError("--show shows a page and does nothing else; leave the other options out.")
    if said["note"] and not edits:
        raise UsageError("--note says why something is accepted, rejected, moved or trimmed; say what.")


def _wishes(said: dict[str, Any], topic: str | None, tree: TopicTree, rules: UrlRules) -> Wishes:
    trim = () if said["trim"] is None else ((_url(said["trim"], rules), blocks_in(said["blocks"])),)
    return Wishes(
        tuple(_url(url, rules) for url in said["accept"]),
        tuple(_url(url, rules) for url in said["reject"]),
        tuple((web_address(url, rules).url, tree.at(parse_path(path))) for url, path in said["move"]),
        trim,
        _number(topic, tree),
        said["note"].encode(errors="replace").decode()[:MAX_NOTE],
    )


def _url(url: str, rules: UrlRules) -> str:
    return ALL if url == ALL else web_address(url, rules).url


def _number(topic: str | None, tree: TopicTree) -> TopicId | None:
    return None if topic is None else tree.at(parse_path(topic)).id


def blocks_in(text: str) -> tuple[int, ...]:
    """The numbers that a person wrote, in rising order; none of them, for all blocks.

    >>> blocks_in("3-5, 9"), blocks_in("all")
    ((3, 4, 5, 9), ())
    """
    if text.strip() == ALL:
        return ()
    return numbers_in(text, "--blocks")


def _done(ruling: Ruling, tree: TopicTree, *, kept: bool, effect: Effect | None = None) -> Done:
    moved = {one.url or "": show_path(tree.path(one.topic)) for one in ruling.added}
    return Done(
        [one.url or "" for one in ruling.changed if one.text is None and one.origin is Origin.FEEDBACK],
        [one.url or "" for one in ruling.removed if one.url not in moved],
        moved,
        [one.url or "" for one in ruling.changed if one.text is not None],
        kept,
        effect,
    )


# --- what is shown --------------------------------------------------------------------------------------


def _list(directory: Path, topic: str | None, overrides: tuple[str, ...], *, as_json: bool) -> None:
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        tree = portal.tree()
        found = archetypes(session, tree, _number(topic, tree))
        model = ledger.latest_model(session, KIND)
    crawl = {} if model is None else model.report.get("crawl", {})
    waits = bool(crawl.get("learned")) and crawl.get("phase") == "learning"
    if as_json:
        show_json({"waits_for_feedback": waits, "archetypes": found})
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
    if waits:
        click.echo(f"The learning phase is over; 'lode crawl {where}' goes on with what is left here.")
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
        page, blocks = blocks_of(session, web_address(url, portal.config.urls).url)
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
    said = {
        "accepted": len(done.accepted),
        "rejected": len(done.rejected),
        "moved": len(done.moved),
        "trimmed": len(done.trimmed),
    }
    told = ", ".join(f"{number:,} {what}" for what, number in said.items() if number) or "nothing"
    if done.effect is None:
        where = shlex.quote(str(directory))
        click.echo(f"{told[0].upper()}{told[1:]}. Next: lode crawl {where}, or lode train {where}")
        return
    click.echo(f"With {told}, learning anew would change this; nothing of it was kept.\n")
    show_effect(done.effect)
