"""Identifiers in one spelling, out of fields and addresses that have them in many."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from motherlode.records.library import Identifier

MAX_CHARS = 500
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[^\s\"<>]+")
_DOI_HOSTS = re.compile(r"^https?://(?:dx\.)?doi\.org/", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:arxiv\.org/(?:abs|pdf|html)/|arxiv[:. ]\s*)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?$",
    re.IGNORECASE,
)
_ARXIV_ADDRESS = re.compile(
    r"arxiv\.org/(?:abs|pdf|html)/(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})", re.IGNORECASE
)
_ISSN = re.compile(r"\b(\d{4})-?(\d{3}[\dXx])\b")
_ISBN = re.compile(r"(?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx]")
_NUMBER = re.compile(r"\d{1,9}")
_PMC = re.compile(r"PMC\d{1,9}", re.IGNORECASE)
_OPENING = {")": "(", "]": "[", "}": "{"}


def doi_in(text: str) -> str:
    """Return the DOI in a field or address, in lower case; empty if there is none.

    >>> doi_in("https://doi.org/10.1000/ABC%28x%29."), doi_in("see p. 10")
    ('10.1000/abc(x)', '')
    """
    text = text[:MAX_CHARS]
    match = _DOI.search(unquote(text) if "%" in text else text)
    return _without_stop(match[0]).lower() if match else ""


def _without_stop(doi: str) -> str:
    """Return a DOI without punctuation behind it; a bracket that was opened in it stays."""
    while doi and (
        doi[-1] in ".,;:'\"" or (doi[-1] in _OPENING and doi.count(_OPENING[doi[-1]]) == 0)
    ):
        doi = doi[:-1]
    return doi


def is_doi_address(url: str) -> bool:
    """Return whether an address only leads to a DOI."""
    return _DOI_HOSTS.match(url) is not None


def arxiv_in(text: str) -> str:
    """Return the arXiv number in a field, without its version; empty if there is none.

    >>> arxiv_in("arXiv:2101.00001v3"), arxiv_in("hep-th/9901001"), arxiv_in("1")
    ('2101.00001', 'hep-th/9901001', '')
    """
    match = _ARXIV.search(text.strip()[:MAX_CHARS])
    return match[1] if match else ""


def issns_in(text: str) -> list[str]:
    """Return the ISSNs in a field.

    >>> issns_in("0955-2359 (Print) 2632324X")
    ['0955-2359', '2632-324X']
    """
    return [f"{first}-{last.upper()}" for first, last in _ISSN.findall(text[:MAX_CHARS])]


def isbns_in(text: str) -> list[str]:
    """Return the ISBNs in a field, digits alone, of those that have 10 or 13.

    >>> isbns_in("ISBN 978-3-86680-192-9; 0-306-40615-2"), isbns_in("1234-5678")
    (['9783866801929', '0306406152'], [])
    """
    digits = (re.sub(r"[- ]", "", match[0]).upper() for match in _ISBN.finditer(text[:MAX_CHARS]))
    return [isbn for isbn in digits if len(isbn) in (10, 13)]


def identifiers_of(fields: Iterable[tuple[str, str]], links: Iterable[str]) -> list[Identifier]:
    """Return the identifiers in fields, each with its scheme, and in links; each once."""
    known: dict[Identifier, None] = {}
    for scheme, text in fields:
        known.update(dict.fromkeys(_in_field(scheme, text)))
    schemes = {identifier.scheme for identifier in known}
    for link in links:
        for identifier in _in_link(link):
            if identifier.scheme not in schemes:
                known[identifier] = None
    return list(known)


def _in_field(scheme: str, text: str) -> Iterator[Identifier]:
    values: list[str] = []
    if scheme == "doi":
        values = [doi_in(text)]
    elif scheme == "arxiv":
        values = [arxiv_in(text)]
    elif scheme == "issn":
        values = issns_in(text)
    elif scheme == "isbn":
        values = isbns_in(text)
    elif scheme == "pmid":
        values = _NUMBER.findall(text[:MAX_CHARS])[:1]
    elif scheme == "pmcid":
        values = [match.upper() for match in _PMC.findall(text[:MAX_CHARS])[:1]]
    return (Identifier(scheme, value) for value in values if value)


def _in_link(link: str) -> Iterator[Identifier]:
    if is_doi_address(link) and (doi := doi_in(link)):
        yield Identifier("doi", doi)
    elif match := _ARXIV_ADDRESS.search(link[:MAX_CHARS]):
        yield Identifier("arxiv", match[1])
