"""The requests that learn from pages or work with a model: train, judge, cluster and index."""

from typing import Annotated

from msgspec import Struct, field

from motherlode.app.requests.fields import (
    MAX_URL_CHARS,
    UNREACHED,
    CommandLineSettings,
    check_values,
    described,
)
from motherlode.records import UsageError
from motherlode.training.clusters import MAX_CENTRAL_PAGES, MAX_PAGES

SERVER_CLUSTER_PAGES = 1_000  # enough to see the clusters, in a tenth of the time

Offline = Annotated[bool, described("Fetch nothing; learn from the pages in the store.")]
PreviewTraining = Annotated[
    bool, described("Fetch and store nothing; show which pages would move.")
]
ResultsOnly = Annotated[
    bool, described("Judge only the results of the last search, and show their new order.")
]
UndoTraining = Annotated[
    bool, described("Take back the latest training: its model and its judgements.")
]


class TrainRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a training; see `lode train`.

    `results` is about the last search on the command line or in a browser.
    """

    offline: Offline = False
    preview: PreviewTraining = False
    results: ResultsOnly = False
    undo: UndoTraining = False
    settings: CommandLineSettings = field(default=(), name="set")

    def __post_init__(self) -> None:
        if self.undo and (self.offline or self.results):
            raise UsageError("--undo takes back the latest training; only --preview goes with it.")


Source = Annotated[
    str,
    described("The page to judge.", max_length=MAX_URL_CHARS, argument=True, metavar="URL|FILE"),
]
JudgeAgain = Annotated[
    bool, described("Judge the pages of the portal again, and show which pages move.")
]
AgainResults = Annotated[bool, described("With --again: only the results of the last search.")]
AgainPreview = Annotated[bool, described("With --again: store nothing.")]


class JudgeRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page to judge, or all pages again; see `lode judge`."""

    url: Source | None = None
    again: JudgeAgain = False
    results: AgainResults = False
    preview: AgainPreview = False
    settings: CommandLineSettings = field(default=(), name="set")

    def __post_init__(self) -> None:
        if self.again == (self.url is not None):
            raise UsageError(
                "Name a page or a file, or say --again to judge the pages of the portal."
            )
        if (self.results or self.preview) and not self.again:
            raise UsageError("--results and --preview go with --again.")


ClusterTopic = Annotated[
    str,
    described(
        "The topic, such as science/physics; / is all of them.",
        min_length=1,
        max_length=20_000,
        examples=["science/physics"],
    ),
]
ClusterCount = Annotated[
    int,
    described(
        "Number of clusters; by default the number with the least impurity.",
        ge=1,
        le=1_000,
        label="How many",
        placeholder="the best",
    ),
]
Seed = Annotated[
    int,
    described("Random seed; the same seed gives the same clusters.", ge=0, le=2**63 - 1),
]
ClusterPages = Annotated[
    int,
    described(
        "Cluster at most this many pages of the topic, the surest.",
        ge=2,
        le=UNREACHED,
        server_default=SERVER_CLUSTER_PAGES,
    ),
]
CentralPages = Annotated[
    int,
    described("Number of central pages of a cluster that become examples.", ge=1, le=1_000),
]
ApplyClusters = Annotated[bool, described("Make each cluster a topic below TOPIC.")]


class ClusterRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which pages are clustered, and how; see `lode cluster`."""

    topic: ClusterTopic
    k: ClusterCount | None = None
    seed: Seed = 0
    pages: ClusterPages = MAX_PAGES
    central: CentralPages = MAX_CENTRAL_PAGES
    apply: ApplyClusters = False
    settings: CommandLineSettings = field(default=(), name="set")

    def __post_init__(self) -> None:
        check_values(self)


Rebuild = Annotated[
    bool, described("Build a new index; the old one is searched until it is complete.")
]


class IndexRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of an index update; see `lode index`."""

    rebuild: Rebuild = False
    settings: CommandLineSettings = field(default=(), name="set")
