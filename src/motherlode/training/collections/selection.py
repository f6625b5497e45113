"""Select the members of collections: the best pages by merit, after the user's choices (SPEC T6).

A page joins the collection of its nearest subject with its correlation as figure of merit. One
content joins once. A link of a member to a PDF or PostScript file that was not read itself joins
with the merit of that member, the best one if several have the link (the paper's footnote 1).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.features.fingerprints import NEAR, distance
from motherlode.records import ChoiceKind, PageId, TopicId
from motherlode.store.tables.near_duplicates import quarters

DOCUMENT_SUFFIXES = (".pdf", ".ps", ".pdf.gz", ".ps.gz")
MAX_DOCUMENTS_OF_PAGE = 10  # a list of hundreds of papers fills no collection
_FINGERPRINTS = 1 << 64  # the store has fingerprints as signed numbers


class MemberSource(StrEnum):
    """How a member came into its collection."""

    READ = "read"  # the crawl read it
    LINK = "link"  # a member links to it, and it was not read itself
    USER = "user"  # the user named it, and it was not read


class CollectionMember(Struct, frozen=True, kw_only=True):
    """A member of a collection. `merit` is None where nobody knows its correlation.

    `choice` is the user's choice that put it there. `parent` is the member that links to it, for a
    member that was not read. `seen_at` is when the page, or its parent, was fetched.
    """

    url: str
    title: str
    merit: float | None
    source: MemberSource
    seen_at: float
    choice: ChoiceKind | None = None
    page: PageId | None = None
    parent: PageId | None = None
    parent_url: str = ""
    language: str = ""
    mime: str = ""
    fingerprint: int = 0
    digest: bytes = b""


class DocumentLink(Struct, frozen=True):
    """A link of a page to a file that was not read."""

    page: PageId
    url: str
    anchor: str


class KnownContents:
    """The contents that are in a collection already, or were rejected."""

    def __init__(self, members: Iterable[CollectionMember] = ()) -> None:
        self._digests: set[bytes] = set()
        self._by_quarter: dict[tuple[object, ...], list[int]] = {}
        for member in members:
            self.add(member)

    def add(self, member: CollectionMember) -> None:
        """Count the content of a member as known."""
        if member.digest:
            self._digests.add(member.digest)
        for key in self._keys(member):
            self._by_quarter.setdefault(key, []).append(member.fingerprint % _FINGERPRINTS)

    def has(self, member: CollectionMember) -> bool:
        """Return whether a page has a known content, or nearly the same text."""
        fingerprint = member.fingerprint % _FINGERPRINTS
        return member.digest in self._digests or any(
            distance(fingerprint, known) <= NEAR
            for key in self._keys(member)
            for known in self._by_quarter.get(key, ())
        )

    def _keys(self, member: CollectionMember) -> Iterator[tuple[object, ...]]:
        return (tuple(row[:2]) for row in quarters(member.fingerprint, PageId(0)))


def select_pages(
    chosen: Sequence[CollectionMember],
    candidates: Iterable[CollectionMember],
    max_members: int,
    rejected: Iterable[CollectionMember] = (),
) -> list[CollectionMember]:
    """Return the pages of a collection, pinned ones first, then by merit.

    `chosen` are those that the user put there; all of them stay. `candidates` come best first and
    fill the places that are left. A page with the content of a rejected one does not join.
    """
    known = KnownContents([*chosen, *rejected])
    pages = list(chosen)
    ahead = iter(candidates)
    while len(pages) < max_members and (candidate := next(ahead, None)) is not None:
        if not known.has(candidate):
            known.add(candidate)
            pages.append(candidate)
    return in_order(pages)


def in_order(members: Iterable[CollectionMember]) -> list[CollectionMember]:
    """Return members with pinned ones first, then the highest merit; of equals, read ones first."""

    def order(member: CollectionMember) -> tuple[bool, float, bool, str]:
        merit = -1.0 if member.merit is None else member.merit
        is_pinned = member.choice is ChoiceKind.PIN
        return not is_pinned, -merit, member.source is not MemberSource.READ, member.url

    return sorted(members, key=order)


def is_document_url(url: str) -> bool:
    """Return whether a URL names a PDF or PostScript file.

    >>> is_document_url("http://a.test/Paper.PDF?v=2"), is_document_url("http://a.test/?f=a.pdf")
    (True, False)
    """
    return unquote(urlsplit(url).path).lower().endswith(DOCUMENT_SUFFIXES)


def select_documents(
    pages: Mapping[TopicId, Sequence[CollectionMember]],
    links: Mapping[PageId, Sequence[DocumentLink]],
    min_merit: float,
    max_documents: int,
) -> dict[TopicId, list[CollectionMember]]:
    """Return the linked files that join each collection, of which `pages` are the members.

    A file joins one collection, that of its best parent; of equals, the first parent.
    """
    parents = [
        (member, topic)
        for topic, members in pages.items()
        for member in members
        if member.page in links and member.merit is not None and member.merit >= min_merit
    ]
    parents.sort(key=lambda pair: -(pair[0].merit or 0.0))
    documents: dict[TopicId, list[CollectionMember]] = {topic: [] for topic in pages}
    taken: set[str] = set()
    for parent, topic in parents:
        assert parent.page is not None  # noqa: S101 - pages without a number have no links
        fresh = {link.url: link for link in links[parent.page] if link.url not in taken}
        room = min(MAX_DOCUMENTS_OF_PAGE, max_documents - len(documents[topic]))
        for link in list(fresh.values())[: max(0, room)]:
            taken.add(link.url)
            documents[topic].append(linked_document(link, parent))
    return documents


def file_name(url: str) -> str:
    """Return the name of the file that a URL leads to; empty if it has none.

    >>> file_name("http://a.test/papers/On%20owls.pdf?v=2")
    'On owls.pdf'
    """
    return unquote(urlsplit(url).path).rpartition("/")[2]


def linked_document(link: DocumentLink, parent: CollectionMember) -> CollectionMember:
    """Return the member that a link of another member makes."""
    return replace(
        parent,
        url=link.url,
        title=link.anchor or file_name(link.url),
        source=MemberSource.LINK,
        choice=None,
        page=None,
        parent=parent.page,
        parent_url=parent.url,
        language="",
        mime="",
        fingerprint=0,
        digest=b"",
    )
