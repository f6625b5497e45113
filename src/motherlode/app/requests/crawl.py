"""The requests that fetch pages: crawl, refresh and ask."""

from typing import Annotated

from msgspec import Struct, field
from msgspec.structs import replace

from motherlode.app.requests.fields import (
    UNREACHED,
    CommandLineSettings,
    Settings,
    check_values,
    described,
    fields_of,
)
from motherlode.app.text import parse_duration
from motherlode.policies.registry import policy_names

DEFAULT_PAGES = 1_000  # of a crawl without any limit


Pages = Annotated[
    int,
    described(
        f"Stop after this many pages; {DEFAULT_PAGES:,} if no limit is given.",
        ge=1,
        le=UNREACHED,
        label="Pages",
        placeholder="no limit",
        initial=str(DEFAULT_PAGES),
    ),
]
Time = Annotated[
    str,
    described(
        "Stop after this time, such as 90s, 10m or 2h.",
        max_length=40,
        examples=["90s", "10m", "2h"],
        is_duration=True,
        metavar="TIME",
        label="Time",
        placeholder="10m, 2h",
    ),
]
LearnPages = Annotated[
    int,
    described(
        "End the learning phase after at most this many pages.",
        ge=0,
        le=UNREACHED,
        label="Learning pages",
        placeholder="a tenth",
    ),
]
PolicyChoice = Annotated[
    str,
    described(
        "The crawl policy.",
        choices=policy_names,
        setting="crawl.policy",
        label="Policy",
        placeholder="as configured",
    ),
]
Workers = Annotated[
    int,
    described(
        "Number of worker processes that parse documents.",
        ge=0,
        le=256,
        setting="reading.workers",
        command_line_only=True,
    ),
]
UpdateIndex = Annotated[
    bool,
    described(
        "Update the search index during the crawl, or not.",
        setting="index.while_crawling",
        command_line_only=True,
    ),
]
PauseForFeedback = Annotated[
    bool,
    described(
        "Stop before harvesting, so that you can review the archetypes.",
        label="Ask me before harvesting",
    ),
]
MetricsPort = Annotated[
    int,
    described(
        "Serve Prometheus metrics on this port during the crawl.",
        ge=0,
        le=65_535,
        metavar="PORT",
        command_line_only=True,
    ),
]


class CrawlRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits and the policy of a crawl; see `lode crawl`."""

    pages: Pages | None = None
    time: Time | None = None
    learn_pages: LearnPages | None = None
    policy: PolicyChoice | None = None
    workers: Workers | None = None
    index: UpdateIndex | None = None
    feedback: PauseForFeedback = False
    metrics: MetricsPort | None = None
    settings: Settings = field(default=(), name="set")

    def __post_init__(self) -> None:
        check_values(self)

    @property
    def seconds(self) -> float | None:
        """The time limit in seconds; None: there is none."""
        return None if self.time is None else parse_duration(self.time)

    @property
    def page_limit(self) -> int | None:
        """The page limit; None: only time limits the crawl."""
        return DEFAULT_PAGES if self.pages is None and self.time is None else self.pages

    def remaining(self, pages: int, seconds: float) -> "CrawlRequest":
        """Return this request with its limits lowered by pages and seconds that were spent."""
        lowered = self
        if pages and self.page_limit is not None:
            lowered = replace(lowered, pages=max(1, self.page_limit - pages))
        if seconds and self.seconds is not None:
            lowered = replace(lowered, time=_seconds_left(self.seconds, seconds))
        return lowered

    @property
    def overrides(self) -> tuple[str, ...]:
        """The settings of this run, with those that options stand for."""
        values = (
            (field.hints.setting, getattr(self, field.name)) for field in fields_of(type(self))
        )
        stood_for = (
            f"{key}={str(value).lower()}" for key, value in values if key and value is not None
        )
        return (*self.settings, *stood_for)


ContactText = Annotated[
    str,
    described(
        "A web page or mail address where the owner of a site reaches you."
        " A crawl of the Web needs it.",
        max_length=1_000,
        label="Contact",
        placeholder="you@example.org",
        autocomplete="email",
    ),
]
KeepContact = Annotated[
    bool,
    described(
        "Write the contact into the configuration of the portal.",
        label="Keep it for this portal",
        initial="true",
    ),
]


class ContactRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whom the owner of a site can ask about a crawl; a form asks where no contact is set."""

    contact: ContactText = ""
    remember: KeepContact = False

    @property
    def settings(self) -> tuple[str, ...]:
        """The contact as a setting of one run, if there is any."""
        return (f"crawler.contact={self.contact}",) if self.contact else ()


MinAge = Annotated[
    str,
    described(
        "Only pages last fetched at least this long ago, such as 90s, 12h, 7d or 2w.",
        max_length=40,
        is_duration=True,
        allows_zero=True,
    ),
]
WithinTopic = Annotated[
    str,
    described(
        "Only pages on this topic and its subtopics, such as science/physics.", max_length=2_000
    ),
]
RefreshPages = Annotated[
    int, described("Fetch at most this many pages, oldest first.", ge=1, le=UNREACHED)
]


class RefreshRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which pages are fetched again; see `lode refresh`."""

    older_than: MinAge = "7d"
    topic: WithinTopic | None = None
    pages: RefreshPages = 10_000
    settings: CommandLineSettings = field(default=(), name="set")

    def __post_init__(self) -> None:
        check_values(self)

    def remaining(self, pages: int, left: int) -> "RefreshRequest":
        """Return this request for the pages that are `left` of it, after `pages` were fetched."""
        return replace(self, pages=max(1, min(self.pages - pages, left))) if left else self

    @property
    def min_age_seconds(self) -> float:
        return parse_duration(self.older_than) or 0.0


SeedSource = Annotated[
    tuple[str, ...],
    described(
        "Pages to start from: URLs, a bookmark or OPML file, a list of URLs, or a document.",
        metavar="FILE|URL ...",
    ),
]
SearchSources = Annotated[
    tuple[str, ...],
    described(
        "Start from pages that this search source returns: a name in lode.toml, a kind such as "
        "arxiv, or KIND:URL (repeatable).",
        metavar="NAME",
    ),
]
AskTime = Annotated[str, described("Stop after this time.", max_length=40, is_duration=True)]
AskPages = Annotated[int, described("Stop after this many pages.", ge=1, le=UNREACHED)]
MaxAnswers = Annotated[int, described("Number of pages in the answer.", ge=1, le=UNREACHED)]


class AskRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The seeds and the limits of a query's crawl; see `lode ask`."""

    seeds: SeedSource = ()
    source: SearchSources = ()
    time: AskTime = "10m"
    pages: AskPages = 20_000
    most: MaxAnswers = 20
    settings: CommandLineSettings = field(default=(), name="set")

    def __post_init__(self) -> None:
        check_values(self)

    @property
    def seconds(self) -> float:
        return parse_duration(self.time) or 0.0

    def remaining(self, pages: int, seconds: float) -> "AskRequest":
        """Return this request with its limits lowered by pages and seconds that were spent."""
        if not pages and not seconds:
            return self
        time = _seconds_left(self.seconds, seconds)
        return replace(self, pages=max(1, self.pages - pages), time=time)


def _seconds_left(limit: float, spent: float) -> str:
    return f"{max(1, round(limit - spent))}s"
