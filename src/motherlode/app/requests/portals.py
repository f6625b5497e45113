"""The requests that make a portal or change its hosts."""

from typing import Annotated

from msgspec import Meta, Struct, field

from motherlode.app.requests.fields import Setting, Url, described

MAX_NAME_CHARS = 80  # of a portal
MAX_TOPICS = 10_000
MAX_SEEDS = 10_000

Seeds = Annotated[tuple[Url, ...], Meta(max_length=MAX_SEEDS)]


class NewTopic(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A topic with its examples; one called OTHERS holds counterexamples."""

    topic: Annotated[str, Meta(min_length=1, max_length=2_000, examples=["science/physics"])]
    seeds: Seeds = ()


PortalName = Annotated[
    str,
    described(
        "Letters, digits, blanks, dots and hyphens; also the name of its directory.",
        min_length=1,
        max_length=MAX_NAME_CHARS,
        label="Name",
    ),
]
BookmarkText = Annotated[
    str, described("The text of a bookmark file, an OPML file or a list of URLs.")
]
NewTopics = Annotated[
    tuple[NewTopic, ...], described("Topics with their examples.", max_length=MAX_TOPICS)
]
ExpertQuery = Annotated[
    str,
    described(
        "The words stand for a page on the topic. A crawl also needs URLs to start from: add"
        " examples to the topic afterwards.",
        max_length=2_000,
        label="Words",
    ),
]
NewPortalSettings = Annotated[
    tuple[Setting, ...],
    described(
        "Settings of the portal, such as urls.max_url=500.",
        max_length=200,
        label="One a line, such as crawl.policy=best-first",
    ),
]


class NewPortalRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new portal, made from one of three: a bookmark file, topics with seeds, or a query."""

    name: PortalName
    bookmarks: BookmarkText | None = None
    topics: NewTopics = ()
    query: ExpertQuery | None = None
    settings: NewPortalSettings = field(default=(), name="set")


HostPattern = Annotated[
    str,
    described(
        "The hosts that get another chance.",
        min_length=1,
        max_length=300,
        examples=["*.example.org"],
    ),
]


class ForgiveRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which hosts get another chance; see `lode hosts --forgive`."""

    pattern: HostPattern
