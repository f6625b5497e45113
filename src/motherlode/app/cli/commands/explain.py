"""`lode explain`: how a URL was found, ranked, fetched and judged, or why it was not."""

import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from textwrap import wrap
from time import time

import click

from motherlode.app.cli.common import count, harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.services.addresses import address_in
from motherlode.documents.spaces import TERMS
from motherlode.explain.explainer import explain
from motherlode.explain.explanations import Explanation, Hop, HostSaid, JudgedAs, RobotsSaid, Wait, Way
from motherlode.explain.link_ranks import FIRST_OF_ALL, Part, Ranked
from motherlode.portal import Portal
from motherlode.records import HostState, LodeError
from motherlode.training.opinion import Telling

_TERMS = 8
_WIDTH = 88
_Line = tuple[str, str]  # a name and what is said; without a name, it goes on with what was said before


@click.command("explain")
@portal_argument
@click.argument("url")
@click.option(
    "--links",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Show so many of its links, best first.",
)
@set_option
@json_option
def command(directory: Path, url: str, links: int, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Say why the portal DIR has the page at URL, or why it has not.

    The way to it from an example, with the words of each link; its rank and what that is made of; what its
    host and robots.txt say; its judgement, by which model and because of which terms; what became of its
    links. All of it comes from the portal: nothing is fetched.
    """
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        asked = address_in(session, url, portal.config.urls)
        found = explain(session, portal.config, asked, links)
    if found is None:
        raise LodeError(
            f"{directory} has never seen {asked.url[:200]}: it is no example, and no page that was fetched "
            "links to it."
        )
    if as_json:
        show_json(found)
    else:
        _show(found, shlex.quote(str(directory)))


def _show(found: Explanation, where: str) -> None:
    title = found.fetch.title if found.fetch else ""
    click.echo(harmless(f"{found.url}  {title}".rstrip()))
    click.echo(f"  {harmless(found.why)}")
    for name, lines in (
        ("Found", _found(found)),
        ("Ranked", _ranked(found)),
        ("Host", _host(found, where)),
        ("Judged", _judged(found.judgement, found.marked)),
        ("Links", _links(found)),
    ):
        told = list(lines)
        if told:
            click.echo(f"\n{name}")
            for label, value in told:
                click.echo(f"  {label:<11} {harmless(value)}".rstrip())


def _moment(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return "a moment that no calendar knows"


# --- how it was found -----------------------------------------------------------------------------------


def _found(found: Explanation) -> Iterator[_Line]:
    if found.examples:
        yield "example of", ", ".join(found.examples)
    if found.archetypes:
        yield "archetype", "of " + ", ".join(found.archetypes)
    if found.way is not None:
        yield from _way(found.way)
    for hop in found.redirects_here:
        yield "also", f"{hop.url}, {_kind_of(hop)}"
    for hop in found.redirects_on:
        yield "leads to", f"{hop.target}, {_kind_of(hop)}"
    for url in found.similar:
        yield "much like", url
    if found.fetch is not None:
        came = found.fetch
        told = f"{_moment(came.at)}, status {came.status}, {came.mime or 'no type'}, {came.size:,} bytes"
        yield "fetched", told + (", waits to be refreshed" if came.refresh_waits else "")


def _way(way: Way) -> Iterator[_Line]:
    first, *others = way.steps
    yield "from", f"{first.url}, {way.begins}"
    for step in others:
        yield "by", f"“{step.anchor}” to {step.url}" if step.anchor else f"a link without words to {step.url}"
    if not way.sure:
        yield "", "as links lead there now; how it was found at first is not kept"
    if way.depth is not None and way.distance is not None:
        off = f", {count(int(way.distance), 'page')} off all topics before it" if way.distance else ""
        yield "depth", f"{count(way.depth, 'link')} from an example{off}"


def _kind_of(hop: Hop) -> str:
    return f"redirected ({hop.status})" if hop.status else "the same content"


# --- how it was ranked ----------------------------------------------------------------------------------


def _ranked(found: Explanation) -> Iterator[_Line]:
    if found.wait is not None:
        yield from _wait(found.wait)
    rank = found.rank
    if rank is None:
        return
    taken = "when it was taken" if found.wait is None else "where it waits"
    yield "rank", f"{_rank_words(rank.rank)} {taken} ({rank.policy})"
    for line in wrap(rank.words, _WIDTH):
        yield "", line
    yield from _parts(rank)


def _rank_words(rank: float) -> str:
    return "first of all" if rank > FIRST_OF_ALL else f"{rank:.3f}"


def _wait(wait: Wait) -> Iterator[_Line]:
    queue = "all topics" if wait.queue == "/" else wait.queue
    yield "queue", f"of {queue}, place {wait.place:,}"
    if wait.later:
        yield "", "for harvesting: it is too far from the examples for the learning phase"
    if wait.not_before is not None:
        due = _moment(wait.not_before)
        yield "not before", f"{due}, after {count(wait.attempts, 'attempt')}"


def _parts(rank: Ranked) -> Iterator[_Line]:
    for part in rank.parts:
        yield f"  {part.name}", f"{_valued(part)}  {part.words}"
    if rank.now is not None:
        yield "  in all", f" {rank.now:.3f}  by what is known now"


def _valued(part: Part) -> str:
    return f"x{part.value:.3f}" if part.name == "tunnel" else f"{round(part.value, 3) + 0.0:+.3f}"


# --- its host -------------------------------------------------------------------------------------------


def _host(found: Explanation, where: str) -> Iterator[_Line]:
    if found.host is not None:
        yield "host", _host_words(found.host)
        if found.host.state == HostState.BAD.name.lower():
            yield "", f"another chance for it: lode hosts {where} --forgive {shlex.quote(found.host.name)}"
    if found.robots is not None:
        yield "robots.txt", _robots_words(found.robots)


def _host_words(host: HostSaid) -> str:
    if not host.met:
        return f"{host.name}, never met"
    told = f"{host.name}, {host.state}" + (f" ({host.reason})" if host.reason else "")
    told += f", alias of {', '.join(host.aliases)}" if host.aliases else ""
    told += f", {count(host.pages, 'page')}, rests {host.delay:.1f} s after each"
    wait = (host.next_at or 0.0) - time()
    return told + (f", left alone for another {wait:,.0f} s" if wait > 0 else "")


def _robots_words(robots: RobotsSaid) -> str:
    if robots.ignored:
        return "passed over, as the configuration says"
    if robots.status is None or robots.fetched_at is None:
        return "not asked for"
    when = f"; status {robots.status}, {_moment(robots.fetched_at)}"
    if robots.allowed is None:
        return f"could not be had, so nothing is allowed{when}"
    by = f" by '{robots.rule}'" if robots.rule else ", no rule is about it"
    delay = f", asks for {robots.delay:g} s between visits" if robots.delay is not None else ""
    return ("allowed" if robots.allowed else "forbidden") + by + delay + when


# --- its judgement --------------------------------------------------------------------------------------


def _judged(judged: JudgedAs | None, marked: tuple[str, ...]) -> Iterator[_Line]:
    if marked:
        yield "marked", f"{', '.join(marked)}, by a person"
    if judged is None:
        return
    topic = judged.topic if judged.on_topic else "none"
    yield "topic", f"{topic} ({judged.confidence:+.3f})"
    if judged.model is not None and judged.learned_at is not None:
        yield "by", f"model {judged.model}, version {judged.version}, learned {_moment(judged.learned_at)}"
    if judged.opinion is None:
        return
    terms = [one for one in judged.opinion.terms if not one.word.startswith("#")]
    if judged.opinion.about and judged.opinion.about != topic:
        yield "nearest", judged.opinion.about
    yield from _terms("for", [one for one in terms if one.part > 0])
    yield from _terms("against", [one for one in terms if one.part < 0])


def _terms(name: str, terms: list[Telling]) -> Iterator[_Line]:
    if terms:
        yield name, ", ".join(f"{_labelled(one)} {one.part:+.3f}" for one in terms[:_TERMS])


def _labelled(one: Telling) -> str:
    return one.word if one.space == TERMS else f"{one.word} ({one.space})"


# --- its links ------------------------------------------------------------------------------------------


def _links(found: Explanation) -> Iterator[_Line]:
    for lead in found.links:
        rank = "" if lead.rank is None else f", {_rank_words(lead.rank)}"
        reason = f": {lead.reason}" if lead.reason else ""
        anchor = f"  “{lead.anchor}”" if lead.anchor else ""
        yield lead.became, f"{lead.url}{rank}{reason}{anchor}"
    if found.link_count > len(found.links):
        yield "", f"{count(found.link_count, 'link')} in all; --links shows more"
