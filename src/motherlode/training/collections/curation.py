"""The choices that a user's request makes about the pages of collections."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from motherlode.records import ChoiceKind, CollectionChoice, TopicId, UsageError
from motherlode.store.tables.pages import known_url
from motherlode.training.collections.portal_collections import PortalCollections
from motherlode.training.training_document import page_at_url
from motherlode.urls import host_of, url_key


class RequestedChoice(Struct, frozen=True):
    """A choice about a URL as a user asks for it; without a `topic`, the page's own is meant."""

    kind: ChoiceKind
    url: str
    topic: TopicId | None = None


def new_choices(
    collections: PortalCollections, requested: list[RequestedChoice], now: float
) -> list[CollectionChoice]:
    """Return the choices to be stored.

    Raises `UsageError` for a URL that the portal does not know or that is named twice, for a page
    of no subject, and for a choice to clear that there is not.
    """
    urls = [_known_url(collections, choice) for choice in requested]
    twice = [url for url, number in Counter(urls).items() if number > 1]
    if twice:
        raise UsageError(f"{twice[0]} is named twice; make one choice about it.")
    pairs = zip(requested, urls, strict=True)
    return [_choice(collections, choice, url, now) for choice, url in pairs]


def _choice(
    collections: PortalCollections, choice: RequestedChoice, url: str, now: float
) -> CollectionChoice:
    former = collections.topic_of_member.get(url)
    topic = None
    if choice.kind not in (ChoiceKind.REJECT, ChoiceKind.CLEAR):
        topic = choice.topic or next(_own_topics(collections, url, former), None)
        if topic is None:
            raise UsageError(
                f"{url} is near no subject; name the subject whose collection it is to join."
            )
    return CollectionChoice(url, choice.kind, topic, former, now)


def _own_topics(
    collections: PortalCollections, url: str, former: TopicId | None
) -> Iterator[TopicId]:
    """Yield the subjects that a page may belong to, the likeliest first."""
    if former is not None:
        yield former
    page = page_at_url(collections.session, url)
    nearest = None if page is None else collections.nearest_subject(page.id)
    if nearest is not None:
        yield nearest


def _known_url(collections: PortalCollections, choice: RequestedChoice) -> str:
    """Return the URL of the page that is meant, as the portal spells it, after redirects."""
    url, session = choice.url, collections.session
    if choice.kind is ChoiceKind.CLEAR:
        return _chosen_url(collections, url)
    page = page_at_url(session, url)
    if page is not None:
        return page.page.url
    known = known_url(session, url_key(url, host_of(url)))
    if known is None:
        raise UsageError(f"{url} is not in the portal: no crawl has read it or found a link to it.")
    return known.url


def _chosen_url(collections: PortalCollections, url: str) -> str:
    page = page_at_url(collections.session, url)
    for spelled in (url, "" if page is None else page.page.url):
        if spelled in collections.choices:
            return spelled
    raise UsageError(f"There is no choice about {url}, so there is nothing to clear.")
