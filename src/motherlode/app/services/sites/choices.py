"""The user's choices about sites, in bulk and with undo; the portal learns from them (SPEC W7)."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import time

from msgspec import Struct

from motherlode.app.requests.sites import SiteChoicesRequest
from motherlode.app.services.sites.named_sites import address_of
from motherlode.app.services.sites.verdict_changes import Say, VerdictChanges, relearn_sites
from motherlode.app.services.sites.views import OpenSites, sites_of
from motherlode.policies.websites.model import topic_of_sites
from motherlode.portal import Portal
from motherlode.records import (
    BadInputError,
    ChoiceKind,
    CollectionChoice,
    UsageError,
)
from motherlode.records.shell_words import shell_word
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.collection_choices import add_choices, undo_choices
from motherlode.urls import UrlError

STREAM = "-"  # the file that is the standard input
MAX_LIST_BYTES = 16 * 1024 * 1024


class SiteChoiceMade(Struct, frozen=True):
    """A choice about a site that was made or taken back: accept, reject or clear.

    `mirror` is the mirror of the site by which the user has named it, if that is so.
    """

    site: str
    choice: str
    mirror: str = ""


class SiteChoicesResult(Struct, frozen=True):
    """The choices that were made or taken back, and what the portal learned from them.

    `forgotten` are sites that are no longer named for the crawl. `became_relevant` and
    `became_irrelevant` are the other sites whose verdict changed; `not_learned` says why nothing
    could be learned. `problems` are sentences about lines of files that could not be used.
    """

    made: tuple[SiteChoiceMade, ...] = ()
    undone: tuple[SiteChoiceMade, ...] = ()
    forgotten: tuple[str, ...] = ()
    became_relevant: tuple[str, ...] = ()
    became_irrelevant: tuple[str, ...] = ()
    not_learned: str = ""
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
        raise UsageError(
            "Name sites to accept, reject, leave undecided or forget; or use undo alone."
        )
    requested = list(_requested(request))
    moment = time() if now is None else now
    with Portal.writing(path, "lode sites", settings) as portal:
        with portal.store.writing() as session:
            before = sites_of(portal, session, may_be_empty=bool(request.forget))
            if request.undo:
                stored = _undone(session, moment)
            else:
                stored = _new_choices(before, requested, moment, path) if requested else _Stored(())
                add_choices(session, stored.choices)
            forgotten = tuple(_forget(before, word, path) for word in request.forget)
        not_learned = relearn_sites(portal, say, "Learning from your choices ...")
        with portal.store.reading() as session:
            after = sites_of(portal, session, may_be_empty=True).table
    table = before.table
    made = tuple(
        SiteChoiceMade(
            site := table.sites.site_of(choice.url),
            choice.kind.value,
            stored.mirrors.get(site, ""),
        )
        for choice in stored.choices
    )
    named = {choice.site for choice in made} | {*forgotten}
    changes = VerdictChanges.between(table, after, named, not_learned)
    return SiteChoicesResult(
        made=() if request.undo else made,
        undone=made if request.undo else (),
        forgotten=forgotten,
        became_relevant=changes.became_relevant,
        became_irrelevant=changes.became_irrelevant,
        not_learned=changes.not_learned,
        problems=stored.problems,
    )


class _Stored(Struct, frozen=True):
    """The choices of a request, and the problems with lines of files.

    `mirrors` are the names by which sites were chosen that are mirrors of them.
    """

    choices: Sequence[CollectionChoice]
    problems: tuple[str, ...] = ()
    mirrors: Mapping[str, str] = {}


def _forget(opened: OpenSites, word: str, directory: Path) -> str:
    """Take a site out of those that were named for the crawl, and return it.

    Raises `UsageError` for a site that was not named.
    """
    try:
        url = address_of(word, opened.config.urls).url
    except UrlError as error:
        raise UsageError(f"{word[:100]!r} is not a site: {error.kind}.") from error
    sites, session = opened.table.sites, opened.session
    site = sites.rules.site_of(url)
    names = {site, sites.site_of(url)}
    examples = [
        example
        for example in topic_rows.examples_of(session)
        if example.url and {sites.rules.site_of(example.url), sites.site_of(example.url)} & names
    ]
    if not examples:
        more = ""
        if sites.site_of(url) in opened.table.choices:
            place = shell_word(str(directory))
            more = f" 'lode sites {place} --undecided {site}' takes your choice back."
        raise UsageError(f"{site} is not one of the sites that you named for the crawl.{more}")
    for example in examples:
        topic_rows.remove_example(session, example.topic, str(example.url))
    return site


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


def _new_choices(
    opened: OpenSites, requested: Sequence[_Requested], now: float, directory: Path
) -> _Stored:
    """Return the choices to be stored.

    Raises `UsageError` for a site of an option that is unknown or named twice, and `BadInputError`
    if no line of any file can be used.
    """
    topic = topic_of_sites(opened.session)
    choices: dict[str, CollectionChoice] = {}
    mirrors: dict[str, str] = {}
    problems = []
    for one in requested:
        try:
            site = opened.site_at(one.word)
            _check(opened, site, one.kind, choices, directory)
        except UsageError as error:
            if not one.where:
                raise
            problems.append(f"{one.where}: {error}")
            continue
        named = opened.table.sites.rules.site_of(address_of(one.word, opened.config.urls).url)
        if named != site:
            mirrors[site] = named
        choices[site] = CollectionChoice(
            url=opened.table.home_of(site),
            kind=one.kind,
            topic=topic if one.kind is ChoiceKind.ACCEPT else None,
            former_topic=topic if opened.table.is_relevant(site) else None,
            given_at=now,
        )
    if not choices:
        raise BadInputError(problems[0] if problems else "No site is named.")
    return _Stored(list(choices.values()), tuple(problems), mirrors)


def _check(
    opened: OpenSites,
    site: str,
    kind: ChoiceKind,
    choices: dict[str, CollectionChoice],
    directory: Path,
) -> None:
    table = opened.table
    if site in choices:
        raise UsageError(f"{site} is named twice; make one choice about it.")
    if kind is not ChoiceKind.CLEAR or site in table.choices:
        return
    if site in table.sites.given:
        raise UsageError(
            f"{site} is one of the sites that you named for the crawl; "
            f"'lode sites {shell_word(str(directory))} --forget {site}' takes it out."
        )
    raise UsageError(f"There is no choice of yours about {site}.")
