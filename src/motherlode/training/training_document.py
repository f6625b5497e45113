"""Training documents: examples as pages of the store, or by their own words (SPEC B7, B15)."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from motherlode.documents.features.spaces import Sample, Surroundings
from motherlode.records import CHOSEN_ORIGINS, Document, Example, PageId, UrlState
from motherlode.store.session import Session
from motherlode.store.tables.pages import (
    KeptPage,
    known_url,
    page_at,
    redirect_of,
    text_of,
    url_numbered,
)
from motherlode.topics import virtual
from motherlode.training.samples import sample_of, stored_sample, surroundings_of
from motherlode.urls import host_of, url_key

_MAX_REDIRECTS = 25
NEVER_TRIED = "not fetched"  # the reason of an example that no crawl has come to yet


class TrainingDocument(Struct, frozen=True):
    """An example as it is learned from: a page or, if there is none, a virtual document."""

    example: Example
    sample: Sample
    document: Document  # title, language and text, for the words behind the terms
    page: PageId | None = None

    @property
    def virtual(self) -> bool:
        return self.page is None


class UnusableExample(Struct, frozen=True):
    """An example that nothing can be learned from, and the reason."""

    example: Example
    reason: str
    is_waiting: bool = False  # its page may still be fetched
    could_not_be_fetched: bool = False  # it was tried


def page_at_url(session: Session, url: str) -> KeptPage | None:
    """Return the page at a URL, after redirects; None if it was never fetched."""
    row = known_url(session, url_key(url, host_of(url)))
    for _ in range(_MAX_REDIRECTS):
        if row is None:
            return None
        page = page_at(session, url_key(row.url, host_of(row.url)))
        target = redirect_of(session, row.id) if page is None else None
        if page is not None or target is None:
            return page
        row = url_numbered(session, target)
    return None


def pages_of_given(session: Session, examples: Iterable[Example]) -> frozenset[PageId]:
    """Return the pages that users gave as examples, without archetypes that they accepted."""
    pages = (
        page_at_url(session, example.url)
        for example in examples
        if example.url and example.origin not in CHOSEN_ORIGINS
    )
    return frozenset(page.id for page in pages if page is not None)


def training_document(
    session: Session,
    example: Example,
    spaces: Collection[str],
) -> TrainingDocument | None:
    """Return the training document of an example; None if it has no words.

    It is the part of the page that a user chose. Without one, it is the page; if that has no words,
    it is the words of the example.
    """
    page = page_at_url(session, example.url) if example.url else None
    if page is not None and is_trimmed(example):
        return _trimmed_document(session, example, page, spaces)
    if page is not None:
        sample = stored_sample(session, page, spaces)
        if any(map(len, sample.values())):
            text = text_of(session, page.id)
            document = Document(title=page.title, language=page.language, text=text)
            return TrainingDocument(example, sample, document, page.id)
    virtual_document = virtual.document_of(example)
    if virtual_document is None:
        return None
    sample = sample_of(virtual_document, spaces, Surroundings(example.url or ""))
    has_words = any(map(len, sample.values()))
    return TrainingDocument(example, sample, virtual_document) if has_words else None


def is_trimmed(example: Example) -> bool:
    """Return whether a user chose a part of the page to stand for it (SPEC B15)."""
    return example.url is not None and example.text is not None


def _trimmed_document(
    session: Session, example: Example, page: KeptPage, spaces: Collection[str]
) -> TrainingDocument | None:
    """Return the title and the chosen part of a page; its surroundings are those of the page."""
    document = virtual.virtual_document(page.title, [example.text or ""], page.language)
    surroundings = surroundings_of(session, page.page.url, page.page.key, spaces)
    sample = sample_of(document, spaces, surroundings)
    has_words = any(map(len, sample.values()))
    return TrainingDocument(example, sample, document, page.id) if has_words else None


def unusable_example(session: Session, example: Example) -> UnusableExample:
    """Return an example that has no training document, with the reason."""
    if not example.url:
        return UnusableExample(example, "no words")
    known = known_url(session, url_key(example.url, host_of(example.url)))
    reason = "" if known is None else known.reason
    if page_at_url(session, example.url) is not None:
        return UnusableExample(example, reason or "no words")
    if known is None or not reason:
        return UnusableExample(example, NEVER_TRIED)
    if known.state is UrlState.OPEN:
        again = f"{reason}; it is tried again next time"
        return UnusableExample(example, again, is_waiting=True, could_not_be_fetched=True)
    return UnusableExample(example, reason, could_not_be_fetched=True)
