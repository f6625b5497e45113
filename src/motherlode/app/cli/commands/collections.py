"""`lode collections`: show the collections of a portal, and curate them."""

import shlex
from pathlib import Path

import click

from motherlode.app.cli.common import harmless, json_option, portal_argument, show_json
from motherlode.app.cli.request_options import request_options
from motherlode.app.cli.tables import TextTable
from motherlode.app.requests.collections import CollectionsRequest
from motherlode.app.services.collections import (
    DROPPED,
    FULL,
    ChoiceMade,
    CollectionSummary,
    CollectionView,
    MemberView,
    collection_in,
    collections_in,
    make_choices,
)
from motherlode.app.text import count
from motherlode.records import ChoiceKind
from motherlode.training.collections.selection import MemberSource

_MAX_TITLE_CHARS = 100
_MAX_WORDS_SHOWN = 5
_CHOICE_TEXTS = {
    ChoiceKind.ACCEPT: "accepted by you",
    ChoiceKind.MOVE: "moved here by you",
    ChoiceKind.PIN: "pinned by you",
}
_DONE_TEXTS = {
    ChoiceKind.ACCEPT: "accepted for",
    ChoiceKind.MOVE: "moved to",
    ChoiceKind.PIN: "pinned in",
    ChoiceKind.REJECT: "rejected",
    ChoiceKind.CLEAR: "cleared: it joins by its merit again",
}


@click.command("collections")
@portal_argument
@request_options(CollectionsRequest)
@json_option
def command(directory: Path, request: CollectionsRequest, *, as_json: bool) -> None:
    """Show the collections of the portal DIR, or the members of the one of SUBJECT; curate them.

    \b
    lode collections DIR
    lode collections DIR "solar cells"
    lode collections DIR --reject URL
    lode collections DIR --move URL SUBJECT
    lode collections DIR SUBJECT --pin URL
    lode collections DIR --undo

    A page joins the collection of its nearest subject if its merit, the correlation with that
    subject, is high enough (tunnel.min_merit), best first up to tunnel.max_members. A PDF or
    PostScript file that a member links to joins with that member's merit. Your choices hold in all
    later crawls; of several about a page, the last one counts.
    """
    if request.makes_choices or request.undo:
        result = make_choices(directory, request)
        if as_json:
            show_json(result)
            return
        for choice in (*result.made, *result.undone):
            click.echo(f"{'Taken back: ' if result.undone else ''}{_choice_text(choice)}")
    elif request.subject is not None:
        view = collection_in(directory, request)
        if as_json:
            show_json(view)
        else:
            _show_collection(view, directory)
    else:
        summaries = collections_in(directory, request)
        if as_json:
            show_json(summaries)
        else:
            _show_table(summaries, directory)


def _show_table(summaries: list[CollectionSummary], directory: Path) -> None:
    table = TextTable("subject", "state", "members", "yours", "best", "median")
    for summary in summaries:
        merits = (
            None if merit is None else f"{merit:.3f}" for merit in (summary.best, summary.median)
        )
        table.add(
            harmless(summary.subject), summary.state, summary.members, summary.curated, *merits
        )
    table.show(words=2)
    members = count(sum(summary.members for summary in summaries), "member")
    click.echo(f"\n{count(len(summaries), 'subject')}, {members}.")
    for summary in summaries:
        if summary.state != FULL:
            mark = " was dropped" if summary.state == DROPPED else ""
            click.echo(f"'{harmless(summary.subject)}'{mark}: {summary.problem}; {summary.advice}.")
    largest = max(summaries, key=lambda summary: summary.members, default=None)
    if largest is not None and largest.members:
        place, subject = shlex.quote(str(directory)), shlex.quote(harmless(largest.subject))
        click.echo(f"Next: lode collections {place} {subject}")


def _show_collection(view: CollectionView, directory: Path) -> None:
    summary = view.summary
    click.echo(f"{harmless(summary.subject)}: {count(summary.members, 'member')}.")
    for rank, member in enumerate(view.members, 1):
        _show_member(rank, member)
    hidden = summary.members - len(view.members)
    if hidden:
        click.echo(f"\n{count(hidden, 'member')} more; a higher --limit shows them.")
    if summary.state != FULL:
        click.echo(f"\n{summary.problem[:1].upper()}{summary.problem[1:]}; {summary.advice}.")
    if view.members:
        place = shlex.quote(str(directory))
        click.echo(f"\nNext: lode export {place} --format bookmarks --output collections.html")


def _show_member(rank: int, member: MemberView) -> None:
    title = harmless(member.title[:_MAX_TITLE_CHARS]) or harmless(member.url)
    merit = "  -  " if member.merit is None else f"{member.merit:.3f}"
    click.echo(f"\n{rank:>3}. {merit}  {click.style(title, bold=True)}")
    click.echo(f"     {harmless(member.url)}")
    click.echo(f"     {harmless(_source_text(member))}")
    if member.why:
        terms = member.why[:_MAX_WORDS_SHOWN]
        words = ", ".join(f"{harmless(term.word)} {term.part:.3f}" for term in terms)
        click.echo(f"     why: {words}")
    if len(member.path) > 1:
        click.echo(f"     path: {harmless(_path_text(member))}")


def _source_text(member: MemberView) -> str:
    choice = _CHOICE_TEXTS[ChoiceKind(member.choice)] if member.choice else ""
    source = {
        MemberSource.READ: "",
        MemberSource.LINK: f"not read; linked from {member.found_on}",
        MemberSource.USER: "not read",
    }[MemberSource(member.source)]
    return "; ".join(text for text in (choice, source) if text) or "read by the crawl"


def _path_text(member: MemberView) -> str:
    steps = (
        f"{step.url} ({'-' if step.score is None else f'{step.score:.2f}'})" for step in member.path
    )
    return " > ".join(steps)


def _choice_text(choice: ChoiceMade) -> str:
    done = _DONE_TEXTS[ChoiceKind(choice.choice)]
    subject = f" '{harmless(choice.subject)}'" if choice.subject else ""
    return f"{harmless(choice.url)}: {done}{subject}."
