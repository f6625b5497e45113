"""The requests that find whole websites, show them, and curate them; see `lode sites`."""

from typing import Annotated

from msgspec import Struct, field
from msgspec.structs import replace

from motherlode.app.requests.crawl import CrawlRequest, Pages, Time, UpdateIndex, Workers
from motherlode.app.requests.fields import (
    UNREACHED,
    CommandLineSettings,
    Url,
    check_values,
    described,
)
from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.options import ACCURATE_THRESHOLD, FAST_THRESHOLD
from motherlode.policies.websites.site_table import SiteFilter
from motherlode.records import UsageError

POLICIES = (WEBSITES, WEBSITES_2004)
ENOUGH_SITES = "websites.enough_sites"  # the setting that `sites` stands for
MAX_NAMED_SITES = 10_000  # of one request
MAX_SHOWN_SITES = 1_000_000
DEFAULT_SHOWN_SITES = 50


def _named_sites(help_text: str, metavar: str = "URL") -> object:
    return described(f"{help_text} (repeatable).", max_length=MAX_NAMED_SITES, metavar=metavar)


LikeSites = Annotated[tuple[Url, ...], _named_sites("Find sites like this one")]
UnlikeSites = Annotated[tuple[Url, ...], _named_sites("Find no sites like this one")]
SiteBookmarks = Annotated[
    str,
    described(
        "Bookmarks of sites to find others like; those in a folder OTHERS are counterexamples.",
        max_length=4_000,
        metavar="FILE",
        command_line_only=True,
    ),
]
SiteCsv = Annotated[
    str,
    described(
        "A CSV file with a column of URLs, and maybe a column 'like' of yes and no.",
        max_length=4_000,
        metavar="FILE",
        command_line_only=True,
    ),
]
SiteTopic = Annotated[
    str, described("What to call the topic of these sites.", max_length=200, metavar="NAME")
]
SitePrefixes = Annotated[
    tuple[str, ...],
    _named_sites(
        "Take these hosts or parts of hosts for one site, such as www.a.org,shop.a.org or "
        "b.org/~anna; kept in lode.toml",
        "PREFIX[,PREFIX...]",
    ),
]
EnoughSites = Annotated[
    int, described("Stop when so many relevant sites are found.", ge=1, le=UNREACHED)
]
Accurate = Annotated[
    bool, described(f"Read on until a site is {ACCURATE_THRESHOLD:.0%} sure: the default.")
]
Fast = Annotated[
    bool, described(f"Decide about a site as soon as it is {FAST_THRESHOLD:.0%} sure.")
]
WebsitesPolicy = Annotated[
    str,
    described(
        "websites, or websites-2004 for the crawler as published.",
        choices=lambda: POLICIES,
        label="Policy",
    ),
]
CrawlOn = Annotated[bool, described("Crawl on, rather than show what was found.")]


class SitesRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The sites to find others like, and the limits of the crawl; see `lode sites`."""

    like: LikeSites = ()
    unlike: UnlikeSites = ()
    bookmarks: SiteBookmarks | None = None
    csv: SiteCsv | None = None
    topic: SiteTopic | None = None
    site: SitePrefixes = ()
    sites: EnoughSites | None = None
    pages: Pages | None = None
    time: Time | None = None
    crawl: CrawlOn = False
    accurate: Accurate = False
    fast: Fast = False
    policy: WebsitesPolicy | None = None
    workers: Workers | None = None
    index: UpdateIndex | None = None
    settings: CommandLineSettings = field(default=(), name="set")

    def __post_init__(self) -> None:
        check_values(self)
        if self.accurate and self.fast:
            raise UsageError("Choose one of --accurate and --fast.")

    @property
    def names_sites(self) -> bool:
        return bool(self.like or self.unlike or self.bookmarks or self.csv)

    @property
    def wants_crawl(self) -> bool:
        """Whether anything asks for a crawl: sites, limits or `crawl`."""
        limits = (self.sites, self.pages, self.time)
        return self.names_sites or self.crawl or any(limit is not None for limit in limits)

    @property
    def crawl_options(self) -> tuple[str, ...]:
        """The options given that mean something in a crawl only, and do not start one."""
        options: dict[str, object] = {
            "--topic": self.topic,
            "--accurate": self.accurate or None,
            "--fast": self.fast or None,
            "--policy": self.policy,
            "--workers": self.workers,
            "--index": self.index,
        }
        return tuple(name for name, value in options.items() if value is not None)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of hosts and parts of hosts that count as one site each."""
        groups = (tuple(part.strip() for part in text.split(",")) for text in self.site)
        return tuple(tuple(filter(None, group)) for group in groups)

    @property
    def chosen(self) -> dict[str, object]:
        """The settings that the options stand for, by their keys in `lode.toml`."""
        threshold = ACCURATE_THRESHOLD if self.accurate else FAST_THRESHOLD if self.fast else None
        options = {
            "websites.threshold": threshold,
            ENOUGH_SITES: self.sites,
            "crawl.policy": self.policy,
        }
        return {key: value for key, value in options.items() if value is not None}

    def crawl_request(self) -> CrawlRequest:
        """Return the crawl of this request; a number of sites alone leaves the pages unlimited."""
        settings = [f"{key}={value}" for key, value in self.chosen.items()]
        is_open = self.sites is not None and self.pages is None and self.time is None
        return CrawlRequest(
            pages=UNREACHED if is_open else self.pages,
            time=self.time,
            workers=self.workers,
            index=self.index,
            settings=(*settings, *self.settings),
        )

    def remaining(self, pages: int, seconds: float) -> "SitesRequest":
        """Return this request with its limits lowered by pages and seconds that were spent."""
        crawl = self.crawl_request().remaining(pages, seconds)
        limit = self.pages if self.pages is None and self.sites is not None else crawl.pages
        return replace(self, pages=limit, time=crawl.time)


SiteName = Annotated[
    str,
    described(
        "A site, as its host or the URL of any page of it.",
        max_length=4_000,
        examples=["www.example.org"],
        argument=True,
        metavar="[SITE]",
    ),
]
ShownSites = Annotated[
    str,
    described(
        "Which sites to show: all that were examined, only some of them, or those that wait.",
        choices=lambda: tuple(shown.value for shown in SiteFilter),
        label="Show",
    ),
]
SiteLimit = Annotated[
    int, described("Show at most this many sites, best first.", ge=1, le=MAX_SHOWN_SITES)
]


class SiteListRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which sites are shown; `name` is one site, of which everything is shown."""

    name: SiteName | None = None
    show: ShownSites = SiteFilter.ALL.value
    limit: SiteLimit = DEFAULT_SHOWN_SITES

    def __post_init__(self) -> None:
        check_values(self)


AcceptedSites = Annotated[
    tuple[Url, ...], _named_sites("Say that this site is relevant, and learn from it", "SITE")
]
RejectedSites = Annotated[
    tuple[Url, ...], _named_sites("Say that this site is not relevant, and learn from it", "SITE")
]
UndecidedSites = Annotated[
    tuple[Url, ...], _named_sites("Take back your choice about this site", "SITE")
]
ForgottenSites = Annotated[
    tuple[Url, ...],
    _named_sites("Take this site, such as a misspelt one, out of those that you named", "SITE"),
]
UndoSiteChoices = Annotated[bool, described("Take back your latest choices.")]


def _site_file(word: str) -> object:
    return described(
        f"{word} the sites in a file, one per line; - is the standard input.",
        max_length=4_000,
        metavar="FILE",
        command_line_only=True,
    )


AcceptedFile = Annotated[str, _site_file("Accept")]
RejectedFile = Annotated[str, _site_file("Reject")]


class SiteChoicesRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user's choices about sites; see `lode sites`."""

    accept: AcceptedSites = ()
    reject: RejectedSites = ()
    undecided: UndecidedSites = ()
    forget: ForgottenSites = ()
    accept_from: AcceptedFile | None = None
    reject_from: RejectedFile | None = None
    undo: UndoSiteChoices = False

    @property
    def makes_choices(self) -> bool:
        named = self.accept or self.reject or self.undecided or self.forget
        return bool(named or self.accept_from or self.reject_from)

    @property
    def is_empty(self) -> bool:
        return not self.makes_choices and not self.undo
