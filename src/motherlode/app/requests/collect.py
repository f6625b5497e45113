"""The request that builds collections for many subjects; see `lode collect`."""

from typing import Annotated

from msgspec import Struct, field
from msgspec.structs import replace

from motherlode.app.requests.crawl import (
    CrawlRequest,
    Pages,
    Time,
    UpdateIndex,
    Workers,
)
from motherlode.app.requests.fields import CommandLineSettings, Url, check_values, described
from motherlode.policies.registry import TUNNEL, TUNNEL_2002

MAX_SUBJECTS = 1_000
NAMED_SETTINGS: dict[str, dict[str, object]] = {
    "focused": {"tunnel.threshold": 0.35, "tunnel.cutoff": 0.0, "tunnel.adaptive": False},
    "plain": {"tunnel.threshold": 0.5, "tunnel.cutoff": 20.0, "tunnel.adaptive": False},
    "adaptive": {"tunnel.threshold": 0.5, "tunnel.cutoff": 20.0, "tunnel.adaptive": True},
}
POLICIES = (TUNNEL, TUNNEL_2002)

SubjectFile = Annotated[
    str,
    described(
        "A file with one subject per line, or bookmarks whose folders are subjects.",
        max_length=4_000,
        metavar="FILE",
        command_line_only=True,
    ),
]
Subjects = Annotated[
    tuple[str, ...],
    described("A subject (repeatable).", max_length=MAX_SUBJECTS, metavar="WORDS"),
]
SourceNames = Annotated[
    tuple[str, ...],
    described(
        "Ask this search source for hits: a name from lode.toml, or KIND:URL (repeatable).",
        max_length=20,
        metavar="SOURCE",
        command_line_only=True,
    ),
]
SeedUrls = Annotated[
    tuple[Url, ...],
    described(
        "Begin at this page (repeatable); by default at the hits.",
        max_length=10_000,
        metavar="URL",
    ),
]
Hits = Annotated[
    int,
    described("Make a centroid of at most this many hits.", ge=4, le=100, label="Hits"),
]
Threshold = Annotated[
    float,
    described("Correlation from which a page is a nugget.", ge=0, le=1, label="Threshold"),
]
Cutoff = Annotated[
    float,
    described("Follow links up to this distance from a nugget.", ge=0, le=1_000, label="Cutoff"),
]
NamedSetting = Annotated[
    str,
    described(
        "focused (0.35/0), plain (0.5/20) or adaptive (0.5/20, the default).",
        choices=lambda: tuple(NAMED_SETTINGS),
        label="Setting",
    ),
]
TunnelPolicy = Annotated[
    str,
    described(
        "tunnel, or tunnel-2002 for the crawler as published.",
        choices=lambda: POLICIES,
        label="Policy",
    ),
]


class CollectRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The subjects, sources, seeds and limits of a crawl for collections; see `lode collect`."""

    subjects: SubjectFile | None = None
    subject: Subjects = ()
    source: SourceNames = ()
    seed: SeedUrls = ()
    hits: Hits | None = None
    setting: NamedSetting | None = None
    threshold: Threshold | None = None
    cutoff: Cutoff | None = None
    policy: TunnelPolicy | None = None
    pages: Pages | None = None
    time: Time | None = None
    workers: Workers | None = None
    index: UpdateIndex | None = None
    settings: CommandLineSettings = field(default=(), name="set")

    def __post_init__(self) -> None:
        check_values(self)

    @property
    def chosen(self) -> dict[str, object]:
        """The settings that the options stand for, by their keys in `lode.toml`."""
        values: dict[str, object] = dict(NAMED_SETTINGS.get(self.setting or "", {}))
        options = {
            "tunnel.max_hits": self.hits,
            "tunnel.threshold": self.threshold,
            "tunnel.cutoff": self.cutoff,
            "crawl.policy": self.policy,
        }
        return values | {key: value for key, value in options.items() if value is not None}

    def crawl_request(self) -> CrawlRequest:
        """Return the crawl of this request, with its options as settings."""
        settings = [f"{key}={_toml(value)}" for key, value in self.chosen.items()]
        return CrawlRequest(
            pages=self.pages,
            time=self.time,
            workers=self.workers,
            index=self.index,
            settings=(*settings, *self.settings),
        )

    def remaining(self, pages: int, seconds: float) -> "CollectRequest":
        """Return this request with its limits lowered by pages and seconds that were spent."""
        crawl = self.crawl_request().remaining(pages, seconds)
        return replace(self, pages=crawl.pages, time=crawl.time)


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
