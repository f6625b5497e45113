"""The request that tries a search source."""

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
