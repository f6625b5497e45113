"""The files inside a file: their addresses, and the links from one to another."""

from collections.abc import Iterable, Iterator
from urllib.parse import quote

from msgspec.structs import replace

from motherlode.documents.extracts import Member
from motherlode.records import Document, Link
from motherlode.urls import UrlError, UrlRules, canonical, host_of, url_key

_INSIDE = (
    "http://member.invalid/"  # where they are while they are read; such a host never is (RFC 2606)
)


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
        """What a member says, with links to other members as such; to files that are not here, none lead."""
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
