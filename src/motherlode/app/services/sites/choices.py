"""The user's choices about sites, in bulk and with undo; the portal learns from them (SPEC W7)."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import time

from msgspec import Struct

from motherlode.app.requests.sites import SiteChoicesRequest
from motherlode.app.services.sites.views import OpenSites, sites_of
from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.kind import relearn
from motherlode.policies.websites.model import topic_of_sites
from motherlode.policies.websites.site_table import SiteTable
from motherlode.portal import Portal
from motherlode.records import (
    BadInputError,
    ChoiceKind,
    CollectionChoice,
    UsageError,
)
from motherlode.store.session import Session
from motherlode.store.tables.collection_choices import add_choices, undo_choices

STREAM = "-"  # the file that is the standard input
MAX_LIST_BYTES = 16 * 1024 * 1024

Say = Callable[[str], None]


class SiteChoiceMade(Struct, frozen=True):
    """A choice about a site that was made or taken back: accept, reject or clear."""

    site: str
    choice: str


class SiteChoicesResult(Struct, frozen=True):
    """The choices that were made or taken back, and what the portal learned from them.

    `became_relevant` and `became_irrelevant` are the other sites whose verdict changed. `problems`
    are sentences about lines of files that could not be used.
    """

    made: tuple[SiteChoiceMade, ...] = ()
    undone: tuple[SiteChoiceMade, ...] = ()
    became_relevant: tuple[str, ...] = ()
    became_irrelevant: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class _Requested(Struct, frozen=True):
    """A choice as the user asks for it. `where` is the line of a file; empty for an option."""

    kind: ChoiceKind
    word: str
    where: str = ""


def choose_sites(
    path: Path,
    request: SiteChoicesRequest,
    settings: Sequence[str] = (),
    now: float | None = None,
    say: Say = lambda _sentence: None,
) -> SiteChoicesResult:
    """Store the request's choices or take the latest back, and learn from them.

    Raises `UsageError` for a request that says nothing or too much, `NoSuchSiteError` for an
    unknown site, and `LockedError` while another process writes the portal.
    """
    if request.undo == request.makes_choices:
        raise UsageError("Name sites to accept, reject or leave undecided; or use undo alone.")
    requested = list(_requested(request))
    moment = time() if now is None else now
    with Portal.writing(path, "lode sites", settings) as portal:
        with portal.store.writing() as session:
            before = sites_of(portal, session)
            if request.undo:
                stored = _undone(session, moment)
            else:
                stored = _new_choices(before, requested, moment)
                add_choices(session, stored.choices)
        if portal.config.crawl.policy in (WEBSITES, WEBSITES_2004):
            say("Learning from your choices ...")
            with suppress(BadInputError):  # no page of a relevant site was read yet
                relearn(portal)
        with portal.store.reading() as session:
            after = sites_of(portal, session).table
    return _result(stored, before.table, after, is_undo=request.undo)


def _result(
    stored: "_Stored", before: SiteTable, after: SiteTable, *, is_undo: bool
) -> SiteChoicesResult:
    """Return the choices, and the other sites that became relevant or not."""
    made = tuple(
        SiteChoiceMade(before.sites.site_of(choice.url), choice.kind.value)
        for choice in stored.choices
    )
    old, new = before.relevant_sites(), after.relevant_sites()
    chosen = {choice.site for choice in made}
    return SiteChoicesResult(
        made=() if is_undo else made,
        undone=made if is_undo else (),
        became_relevant=_in_order(after, new - old - chosen),
        became_irrelevant=_in_order(before, old - new - chosen),
        problems=stored.problems,
    )


class _Stored(Struct, frozen=True):
    """The choices of a request, and the problems with lines of files."""

    choices: Sequence[CollectionChoice]
    problems: tuple[str, ...] = ()


def _undone(session: Session, now: float) -> _Stored:
    choices = undo_choices(session, now)
    if not choices:
        raise UsageError("You have made no choices, so there is nothing to take back.")
    return _Stored(choices)


def _requested(request: SiteChoicesRequest) -> Iterator[_Requested]:
    options = (
        (ChoiceKind.ACCEPT, request.accept),
        (ChoiceKind.REJECT, request.reject),
        (ChoiceKind.CLEAR, request.undecided),
    )
    for kind, words in options:
        for word in words:
            yield _Requested(kind, word)
    files = ((ChoiceKind.ACCEPT, request.accept_from), (ChoiceKind.REJECT, request.reject_from))
    if request.accept_from == request.reject_from == STREAM:
        raise UsageError("The standard input can be read once; name a file for one of the two.")
    for kind, name in files:
        if name:
            for line, word in _lines(name):
                yield _Requested(kind, word, f"{name}, line {line}")


def _lines(name: str) -> Iterator[tuple[int, str]]:
    """Yield the first word of each line of a file with its number; '#' begins a remark."""
    try:
        body = sys.stdin.read(MAX_LIST_BYTES) if name == STREAM else _file_text(Path(name))
    except OSError as error:
        raise BadInputError(f"{name} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{name} is not UTF-8 text.") from error
    for number, line in enumerate(body.splitlines(), 1):
        words = line.split()
        if words and not words[0].startswith("#"):
            yield number, words[0].strip(",;")


def _file_text(path: Path) -> str:
    if path.stat().st_size > MAX_LIST_BYTES:
        raise BadInputError(f"{path} is too large for a list of sites.")
    return path.read_text("utf-8-sig")


def _new_choices(opened: OpenSites, requested: Sequence[_Requested], now: float) -> _Stored:
    """Return the choices to be stored.

    Raises `UsageError` for a site of an option that is unknown or named twice, and `BadInputError`
    if no line of any file can be used.
    """
    topic = topic_of_sites(opened.session)
    choices: dict[str, CollectionChoice] = {}
    problems = []
    for one in requested:
        try:
            site = opened.site_at(one.word)
            _check(opened.table, site, one.kind, choices)
        except UsageError as error:
            if not one.where:
                raise
            problems.append(f"{one.where}: {error}")
            continue
        choices[site] = CollectionChoice(
            url=opened.table.home_of(site),
            kind=one.kind,
            topic=topic if one.kind is ChoiceKind.ACCEPT else None,
            former_topic=topic if opened.table.is_relevant(site) else None,
            given_at=now,
        )
    if not choices:
        raise BadInputError(problems[0] if problems else "No site is named.")
    return _Stored(list(choices.values()), tuple(problems))


def _check(
    table: SiteTable, site: str, kind: ChoiceKind, choices: dict[str, CollectionChoice]
) -> None:
    if site in choices:
        raise UsageError(f"{site} is named twice; make one choice about it.")
    if kind is not ChoiceKind.CLEAR or site in table.choices:
        return
    if site in table.sites.given:
        raise UsageError(
            f"{site} is one of the sites that you named for the crawl; "
            f"'lode topics DIR example TOPIC {table.home_of(site)} --remove' forgets it."
        )
    raise UsageError(f"There is no choice of yours about {site}.")


def _in_order(table: SiteTable, sites: set[str]) -> tuple[str, ...]:
    return tuple(row.site for row in table.rows if row.site in sites)
