"""The requests that ask a search source: by words, or a search form by attributes."""

from typing import Annotated

from msgspec import Struct

from motherlode.app.requests.fields import described

MAX_TRIED_HITS = 100

SourceName = Annotated[
    str, described("The name of a configured source.", min_length=1, max_length=40)
]
SourceQuery = Annotated[
    str,
    described("What the source looks for.", min_length=1, max_length=2_000, examples=["barn owls"]),
]
TriedHits = Annotated[int, described("Number of hits.", ge=1, le=MAX_TRIED_HITS)]


class TrySourceRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search source and a query for it; see `lode sources DIR try`."""

    name: SourceName
    query: SourceQuery
    hits: TriedHits = 10


def _attribute(help_text: str, *, max_length: int = 1_000) -> object:
    return described(help_text, max_length=max_length)


class AskSourceRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search by attributes, for a source made of a search form; see `lode sources DIR try`."""

    query: Annotated[str, _attribute("Words, for any field.", max_length=2_000)] = ""
    title: Annotated[str, _attribute("The title of a work.")] = ""
    author: Annotated[
        tuple[str, ...],
        described(
            "An author, as 'Jane Doe' or 'Doe, Jane' (repeatable).", max_length=100, metavar="NAME"
        ),
    ] = ()
    year: Annotated[int, described("The year of publication; 0: any.", ge=0, le=3000)] = 0
    keyword: Annotated[tuple[str, ...], described("A keyword (repeatable).", max_length=100)] = ()
    abstract: Annotated[str, _attribute("Words of the abstract.", max_length=10_000)] = ""
    venue: Annotated[str, _attribute("The journal, series or conference.")] = ""
    publisher: Annotated[str, _attribute("The publisher.")] = ""
    doi: Annotated[str, _attribute("The DOI.")] = ""
    isbn: Annotated[str, _attribute("The ISBN.")] = ""
    issn: Annotated[str, _attribute("The ISSN.")] = ""
    language: Annotated[str, _attribute("The language, as a name or code.")] = ""
    field: Annotated[
        tuple[str, ...],
        described(
            "Set a field of the form, whatever it asks for (repeatable).",
            max_length=1_000,
            metavar="NAME=VALUE",
        ),
    ] = ()
    hits: TriedHits = 10
