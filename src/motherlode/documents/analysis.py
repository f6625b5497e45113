"""From what came to what it says: its type, its text, its language, its terms."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from mimetypes import guess_type
from urllib.parse import quote, unquote

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.encoding import decode
from motherlode.documents.extracts import Extract, Member, Raw, UnreadableError
from motherlode.documents.features.fingerprints import fingerprint
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.formats import reader_for
from motherlode.documents.formats.kinds import OLE_MAGIC, kind_of_ole, kind_of_zip
from motherlode.documents.html.reader import read_html
from motherlode.documents.mime import sniff_mime
from motherlode.documents.text.language import language_of
from motherlode.documents.text.terms import count, sequences_of
from motherlode.documents.text.whitespace import tidy, tidy_lines
from motherlode.records import Document, Link
from motherlode.urls import UrlError, UrlRules, address, canonical, host_of, url_key

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_ZIP = b"PK\x03\x04"
_MAX_NESTING = 3  # archives in archives
_MAX_TITLE = 500
_MAX_ANCHOR = 200
_TELLING = 100  # characters by which a long text is found faster than by all of it, as a rule
_MAX_LINKS = 10_000
_ENDING = re.compile(r"\.[a-zA-Z0-9]{1,5}\Z")
_INSIDE = (
    "http://member.invalid/"  # where they are while they are read; such a host never is (RFC 2606)
)


class Manner(Struct, frozen=True):
    """How documents are read: by which rules links are, and to whose name pages may speak.

    `in_full`: with forms, pictures and all that is said of links; a crawl does without
    (`read_html`).
    """

    rules: UrlRules = UrlRules()
    agent: str = ""
    in_full: bool = True


class Analysed(Struct, frozen=True):
    """A document with its address and type. A file in an archive has the archive's address and its
    name.
    """

    url: str
    mime: str
    document: Document


DEFAULT_MANNER = Manner()


def analyse(raw: Raw, manner: Manner = DEFAULT_MANNER) -> list[Analysed]:
    """What a document says, and what the documents inside it say, the outermost first."""
    document, members = read(raw, manner)
    outer = Analysed(raw.url, kind_of(raw), enriched(document))
    return [outer, *_inside(raw.url, members, manner, _Room())]


def analyse_one(raw: Raw, manner: Manner = DEFAULT_MANNER) -> Document:
    """What a document says, with its language, its terms and its fingerprint."""
    return enriched(read(raw, manner)[0])


def read(raw: Raw, manner: Manner = DEFAULT_MANNER) -> tuple[Document, tuple[Member, ...]]:
    """What a document says, and the files inside it."""
    mime = kind_of(raw)
    if mime in _HTML:
        html = decode(raw.body, raw.content_type)
        return read_html(html, raw.url, manner.rules, manner.agent, in_full=manner.in_full), ()
    reader = reader_for(mime)
    if reader is None:
        return Document(
            title=_name_in(raw.url), unreadable=f"nothing reads {mime or 'this type'}"
        ), ()
    try:
        extract = reader(replace(raw, mime=mime))
    except UnreadableError as error:
        title = tidy(error.title)[:_MAX_TITLE] or _name_in(raw.url)
        return Document(title=title, unreadable=str(error)), ()
    return _document(extract, raw.url, manner.rules), extract.members


def kind_of(raw: Raw) -> str:
    """The type of a document by all that is known: what was said, how it begins, what is in it."""
    if raw.body.startswith(_ZIP):
        return kind_of_zip(raw.body)
    if raw.body.startswith(OLE_MAGIC):
        return kind_of_ole(raw.body)
    return raw.mime or sniff_mime(raw.body, raw.content_type)


def enriched(document: Document) -> Document:
    """A document with what follows from its text. Each word is looked at once: main text, then the
    rest.
    """
    language = language_of(document.main or document.text, document.language)
    main, rest = sequences_of([document.main, f"{document.title}\n{_besides(document)}"], language)
    return replace(
        document,
        language=language,
        fingerprint=fingerprint(main),
        vectors={TERMS: count(np.concatenate([main, rest])).pack()},
    )


def _besides(document: Document) -> str:
    """The text without the main text."""
    if document.main == document.text:
        return ""
    text, main = document.text, document.main
    place = text.find(main[:_TELLING])
    if place >= 0 and not text.startswith(main, place):
        place = text.find(main)
    if place >= 0:  # it stands there in one piece, as a rule
        return f"{text[:place]}\n{text[place + len(main) :]}"
    lines = set(main.split("\n"))
    return "\n".join([line for line in text.split("\n") if line not in lines])


@dataclass(slots=True)
class _Room:
    """What is left for files in files, however they are nested: some archives hold themselves."""

    members: int = 500
    size: int = 200 * 2**20

    def takes(self, member: Member) -> bool:
        self.members -= 1
        self.size -= len(member.body)
        return self.members >= 0 and self.size >= 0


def _inside(
    url: str, files: Sequence[Member], manner: Manner, room: _Room, nesting: int = _MAX_NESTING
) -> Iterator[Analysed]:
    """What the files inside a document say, and those inside them."""
    members = Members(url, files if nesting else (), manner.rules)
    for file in files if nesting else ():
        if not room.takes(file):
            return
        told = guess_type(file.name)[0] or ""
        raw = Raw(base_of(file), file.body, sniff_mime(file.body, told))
        document, further = read(raw, manner)
        inner = Analysed(members.address(file), kind_of(raw), enriched(members.settled(document)))
        yield inner
        yield from _inside(inner.url, further, manner, room, nesting - 1)


def _document(extract: Extract, url: str, rules: UrlRules) -> Document:
    text = tidy_lines(extract.text)
    return Document(
        title=(tidy(extract.title) or _name_in(url))[:_MAX_TITLE],
        language=extract.language[:2].lower(),
        text=text,
        main=text,
        description=extract.description,
        headings=extract.headings,
        links=tuple(_links(extract, url, rules)),
    )


def _links(extract: Extract, url: str, rules: UrlRules) -> Iterator[Link]:
    for reference in extract.references[:_MAX_LINKS]:
        try:
            found = address(reference.href, url, rules)
        except UrlError:
            continue
        yield Link(found.url, found.key, tidy(reference.anchor)[:_MAX_ANCHOR])


def _name_in(url: str) -> str:
    """What a file is called, for want of a better title.

    >>> _name_in("http://a.test/files/barn_owls.pdf?x=1")
    'barn owls'
    """
    place = url.partition("#")[2] or url.partition("?")[0]
    name = unquote(place.rstrip("/").rpartition("/")[2])
    return tidy(_ENDING.sub("", name).replace("_", " "))


class Members:
    """The members of an archive. Each has its archive's address, and its name behind a hash."""

    def __init__(self, archive: str, members: Iterable[Member], rules: UrlRules) -> None:
        self._archive = archive
        self._addresses: dict[str, str] = {}
        for member in members:
            try:
                self._addresses.setdefault(
                    canonical(base_of(member), rules=rules), self.address(member)
                )
            except UrlError:  # its name is too long to be linked to
                continue

    def address(self, member: Member) -> str:
        return f"{self._archive}#{quote(member.name)}"

    def settled(self, document: Document) -> Document:
        """What a member says, with links to other members as such; to files that are not here, none
        lead.
        """
        return replace(
            document,
            links=tuple(self._settled(document.links)),
            forms=tuple(form for form in document.forms if not form.action.startswith(_INSIDE)),
            canonical=self._outside(document.canonical),
            refresh=self._outside(document.refresh),
        )

    def _settled(self, links: Iterable[Link]) -> Iterator[Link]:
        for link in links:
            url = self._outside(link.url)
            if url == link.url:
                yield link
            elif url:
                yield replace(link, url=url, key=url_key(url, host_of(url)))

    def _outside(self, url: str) -> str:
        return self._addresses.get(url, "") if url.startswith(_INSIDE) else url


def base_of(member: Member) -> str:
    """What the references in a member are relative to."""
    return _INSIDE + quote(member.name.lstrip("/"))
