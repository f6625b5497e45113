"""`lode explain`: how a URL was found, ranked, fetched and judged, or why it was not."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from textwrap import wrap
from time import time

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, set_option, show_json
from motherlode.app.services.pages import explain_url
from motherlode.app.text import count
from motherlode.documents.features.spaces import TERMS
from motherlode.explain.explanations import (
    EXPLAINED_LINKS,
    DiscoveryPath,
    ExplainedJudgement,
    Explanation,
    HostSummary,
    QueuePlace,
    RedirectHop,
    RobotsVerdict,
)
from motherlode.explain.link_ranks import MIN_EXAMPLE_RANK, RankExplanation
from motherlode.policies.explanation import RankPart
from motherlode.records import HostState
from motherlode.records.shell_words import shell_word
from motherlode.training.certainty import margin_text, topic_text
from motherlode.training.judgement_reasons import TermContribution

_TERMS = 8
_WIDTH = 88
_Line = tuple[str, str]  # a name and a text; without a name, it continues the line before


@click.command("explain")
@portal_argument
@click.argument("url")
@click.option(
    "--links",
    type=click.IntRange(0),
    default=EXPLAINED_LINKS,
    show_default=True,
    help="Number of its links shown, best first.",
)
@set_option
@json_option
def command(
    directory: Path, url: str, links: int, overrides: tuple[str, ...], *, as_json: bool
) -> None:
    """Explain why the portal DIR has the page at URL, or why not.

    The explanation has the path of links from an example to the page, its rank and the parts of
    it, the state of its host, the rules of robots.txt, its judgement with the terms that decided,
    and its links. Everything comes from the portal; nothing is fetched.
    """
    explanation = explain_url(directory, url, links, overrides)
    if as_json:
        show_json(explanation)
    else:
        _show(explanation, shell_word(str(directory)))


def _show(explanation: Explanation, where: str) -> None:
    title = explanation.fetch.title if explanation.fetch else ""
    click.echo(harmless(f"{explanation.url}  {title}".rstrip()))
    click.echo(f"  {harmless(explanation.why)}")
    for name, lines in (
        ("Found", _discovery_lines(explanation)),
        ("Ranked", _rank_lines(explanation)),
        ("Host", _host_lines(explanation, where)),
        ("Judged", _judgement_lines(explanation.judgement, explanation.marked)),
        ("Links", _link_lines(explanation)),
    ):
        shown = list(lines)
        if shown:
            click.echo(f"\n{name}")
            for label, value in shown:
                click.echo(f"  {label:<11} {harmless(value)}".rstrip())


def _moment(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return "an unknown time"


def _discovery_lines(explanation: Explanation) -> Iterator[_Line]:
    if explanation.examples:
        yield "example of", ", ".join(explanation.examples)
    if explanation.archetypes:
        yield "archetype", "of " + ", ".join(explanation.archetypes)
    if explanation.way is not None:
        yield from _path_lines(explanation.way)
    for hop in explanation.redirects_here:
        yield "also", f"{hop.url}, {_kind_of(hop)}"
    for hop in explanation.redirects_on:
        yield "leads to", f"{hop.target}, {_kind_of(hop)}"
    for url in explanation.similar:
        yield "similar to", url
    if explanation.fetch is not None:
        fetch = explanation.fetch
        content = f"{fetch.mime or 'no type'}, {fetch.size:,} bytes"
        fetched = f"{_moment(fetch.at)}, status {fetch.status}, {content}"
        yield "fetched", fetched + (", waits to be refreshed" if fetch.refresh_waits else "")


def _path_lines(path: DiscoveryPath) -> Iterator[_Line]:
    first, *next_steps = path.steps
    yield "from", f"{first.url}, {path.begins}"
    for step in next_steps:
        yield (
            "by",
            f"“{step.anchor}” to {step.url}"
            if step.anchor
            else f"a link without words to {step.url}",
        )
    if not path.sure:
        yield "", "by the links of today; how it was first found is not stored"
    if path.depth is not None and path.distance is not None:
        off = (
            f", {count(int(path.distance), 'page')} off all topics before it"
            if path.distance
            else ""
        )
        yield "depth", f"{count(path.depth, 'link')} from an example{off}"


def _kind_of(hop: RedirectHop) -> str:
    return f"redirected ({hop.status})" if hop.status else "the same content"


def _rank_lines(explanation: Explanation) -> Iterator[_Line]:
    if explanation.wait is not None:
        yield from _queue_lines(explanation.wait)
    rank = explanation.rank
    if rank is None:
        return
    when = "when it was fetched" if explanation.wait is None else "where it waits"
    yield "rank", f"{_rank_words(rank.rank)} {when} ({rank.policy})"
    for line in wrap(rank.words, _WIDTH):
        yield "", line
    yield from _part_lines(rank)


def _rank_words(rank: float) -> str:
    return "first of all" if rank > MIN_EXAMPLE_RANK else f"{rank:.3f}"


def _queue_lines(wait: QueuePlace) -> Iterator[_Line]:
    queue = "all topics" if wait.queue == "/" else wait.queue
    yield "queue", f"of {queue}, place {wait.place:,}"
    if wait.later:
        yield "", "for harvesting: it is too far from the examples for the learning phase"
    if wait.not_before is not None:
        due = _moment(wait.not_before)
        yield "not before", f"{due}, after {count(wait.attempts, 'attempt')}"


def _part_lines(rank: RankExplanation) -> Iterator[_Line]:
    for part in rank.parts:
        yield f"  {part.name}", f"{_value_text(part)}  {part.words}"
    if rank.now is not None:
        yield "  in all", f" {rank.now:.3f}  by what is known now"


def _value_text(part: RankPart) -> str:
    return f"x{part.value:.3f}" if part.name == "tunnel" else f"{round(part.value, 3) + 0.0:+.3f}"


def _host_lines(explanation: Explanation, where: str) -> Iterator[_Line]:
    if explanation.host is not None:
        yield "host", _host_words(explanation.host)
        if explanation.host.state == HostState.BAD.name.lower():
            host = shell_word(explanation.host.name)
            yield "", f"to try it again: lode hosts {where} --forgive {host}"
    if explanation.robots is not None:
        yield "robots.txt", _robots_words(explanation.robots)


def _host_words(host: HostSummary) -> str:
    if not host.met:
        return f"{host.name}, never contacted"
    text = f"{host.name}, {host.state}" + (f" ({host.reason})" if host.reason else "")
    text += f", alias of {', '.join(host.aliases)}" if host.aliases else ""
    text += f", {count(host.pages, 'page')}, {host.delay:.1f} s between requests"
    wait = (host.next_at or 0.0) - time()
    return text + (f", not contacted for another {wait:,.0f} s" if wait > 0 else "")


def _robots_words(robots: RobotsVerdict) -> str:
    if robots.ignored:
        return "ignored, as the settings say"
    if robots.status is None or robots.fetched_at is None:
        return "not fetched"
    when = f"; status {robots.status}, {_moment(robots.fetched_at)}"
    if robots.allowed is None:
        return f"could not be fetched, so nothing is allowed{when}"
    by = f" by '{robots.rule}'" if robots.rule else ", no rule applies"
    delay = f", asks for {robots.delay:g} s between requests" if robots.delay is not None else ""
    return ("allowed" if robots.allowed else "forbidden") + by + delay + when


def _judgement_lines(judged: ExplainedJudgement | None, marked: tuple[str, ...]) -> Iterator[_Line]:
    if marked:
        yield "marked", f"{', '.join(marked)}, by a user"
    if judged is None:
        return
    topic = judged.topic if judged.on_topic else ""
    yield "topic", f"{topic_text(topic, judged.probability, 'none')}; {margin_text(judged.margin)}"
    if judged.model is not None and judged.learned_at is not None:
        yield (
            "by",
            f"model {judged.model}, version {judged.version}, learned {_moment(judged.learned_at)}",
        )
    if judged.opinion is None:
        return
    lines = [line for sentence in judged.opinion.details for line in wrap(sentence, _WIDTH)]
    for place, line in enumerate(lines):
        yield ("" if place else "because"), line
    terms = [term for term in judged.opinion.terms if not term.word.startswith("#")]
    if judged.opinion.about and judged.opinion.about != topic:
        yield "nearest", judged.opinion.about
    yield from _term_lines("for", [term for term in terms if term.part > 0])
    yield from _term_lines("against", [term for term in terms if term.part < 0])


def _term_lines(name: str, terms: list[TermContribution]) -> Iterator[_Line]:
    if terms:
        yield name, ", ".join(f"{_term_text(term)} {term.part:+.3f}" for term in terms[:_TERMS])


def _term_text(term: TermContribution) -> str:
    return term.word if term.space == TERMS else f"{term.word} ({term.space})"


def _link_lines(explanation: Explanation) -> Iterator[_Line]:
    for lead in explanation.links:
        rank = "" if lead.rank is None else f", {_rank_words(lead.rank)}"
        reason = f": {lead.reason}" if lead.reason else ""
        anchor = f"  “{lead.anchor}”" if lead.anchor else ""
        yield lead.became, f"{lead.url}{rank}{reason}{anchor}"
    if explanation.link_count > len(explanation.links):
        yield "", f"{count(explanation.link_count, 'link')} in all; --links shows more"
