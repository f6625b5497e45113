"""The request that searches a portal."""

from typing import Annotated

from msgspec import Meta, Struct

from motherlode.app.requests.fields import MAX_URL_CHARS, described
from motherlode.search.query import MAX_QUERY_CHARS
from motherlode.search.ranking import DEFAULT_RANKING, RANKING_NAMES

MAX_RESULTS = 1_000  # on one page
MAX_RESULT_PAGES = 1_000
MAX_FILTER_VALUES = 50
MAX_FILTER_CHARS = 500

Query = Annotated[
    str,
    described(
        "The query.",
        max_length=10 * MAX_QUERY_CHARS,
        examples=["barn owls"],
        argument=True,
        several_words=True,
        metavar="QUERY...",
    ),
]
WithinTopic = Annotated[
    str,
    described(
        "Only pages on this topic or its subtopics, such as science/physics.", max_length=2_000
    ),
]
FilterValue = Annotated[str, Meta(max_length=MAX_FILTER_CHARS)]


def _filter(help_text: str) -> Meta:
    return described(f"{help_text} (repeatable: any of them).", max_length=MAX_FILTER_VALUES)


Sites = Annotated[tuple[FilterValue, ...], _filter("Only pages of this host or domain")]
Types = Annotated[
    tuple[FilterValue, ...], _filter("Only pages of this type, such as html, pdf or text/plain")
]
Languages = Annotated[tuple[FilterValue, ...], _filter("Only pages in this language, such as en")]
Since = Annotated[
    str,
    described(
        "Only pages fetched since this day, or in this time until now (7d).",
        max_length=40,
        examples=["2026-11-30", "7d"],
        metavar="DAY",
    ),
]
Until = Annotated[
    str, described("Only pages fetched until this day.", max_length=40, metavar="DAY")
]
Rank = Annotated[
    str,
    described(
        f"The ranking: {RANKING_NAMES}, or a weighted sum of them.",
        max_length=2_000,
        metavar="NAME[=WEIGHT],...",
    ),
]
AnyWord = Annotated[bool, described("Pages with any of the words match, not only those with all.")]
Like = Annotated[
    str,
    described(
        "Instead of a query: pages similar to this one.", max_length=MAX_URL_CHARS, metavar="URL"
    ),
]
Limit = Annotated[int, described("Number of results on a page.", ge=1, le=MAX_RESULTS)]
ResultPage = Annotated[int, described("The page of results to show.", ge=1, le=MAX_RESULT_PAGES)]
Why = Annotated[bool, described("Show the parts of each result's score.")]


class SearchParameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query, the filters and the ranking of a search; see `lode search`."""

    q: Query = ""
    topic: WithinTopic = ""
    site: Sites = ()
    type: Types = ()
    language: Languages = ()
    since: Since = ""
    until: Until = ""
    rank: Rank = DEFAULT_RANKING
    any: AnyWord = False
    like: Like = ""
    limit: Limit = 10
    page: ResultPage = 1
    why: Why = False

    @property
    def is_given(self) -> bool:
        """True if there is a query, a page or a filter to search for."""
        texts = (self.q.strip(), self.like, self.topic, self.since, self.until)
        return bool(any(texts) or self.site or self.type or self.language)
