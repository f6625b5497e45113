"""Settings of the training.

The defaults measured best (docs/learning.md); a named setting follows a paper.
"""

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct

MAX_PRESELECTED_TERMS = 5_000  # the most frequent terms of the topic
MAX_SELECTED_TERMS = 2_000  # of the preselected terms, by mutual information


class VotingRule(StrEnum):
    """How the votes of several classifiers become one decision."""

    UNANIMOUS = "unanimous"  # all must agree: w = 1, t_1 = h - 0.5 = -t_2
    MAJORITY = "majority"  # w = 1, t = 0
    WEIGHTED = "weighted"  # w = the estimated precision of each, t = 0
    BEST = "best"  # only the classifier of highest estimated precision: when speed is critical


class TrainingSettings(Struct, frozen=True):
    """The settings by which a hyperplane is trained.

    - `shared_features`: all topics below a parent use the union of their features, so that a word
      for a sibling counts against a topic.
    - `min_documents`: a feature occurs in at least this number of documents.
    - `full_length`: a document's length is that of all its terms, not of its features alone. Else a
      page with one feature among a thousand other words looks like a page of that word.
    - `max_weights`: a plane keeps its largest weights only.
    - `shift_prior`: with n examples, the plane moves n / (n + prior) of the way towards unseen
      documents of the topic (inwards only in proportion to the share of OTHERS); None: it stays.
    - `semantic_weight`: how much nearness in meaning counts (`motherlode.learning.semantic`), where
      word meanings are known.
    """

    cost: float = 1.0
    preselected_terms: int = MAX_PRESELECTED_TERMS
    selected_terms: int = MAX_SELECTED_TERMS
    shared_features: bool = True
    min_documents: int = 2
    full_length: bool = True
    max_weights: int = 5_000
    shift_prior: float | None = 3.0
    tolerance: float = 1e-2
    semantic_weight: float = 0.2


class SettingName(StrEnum):
    """The names of the settings that a user can choose."""

    DEFAULT = "default"
    BINGO_2003 = "bingo-2003"


SETTINGS = {
    SettingName.DEFAULT: TrainingSettings(),
    # Each topic has its own features and lengths, and its plane is not moved (SPEC B6, B7).
    SettingName.BINGO_2003: TrainingSettings(
        shared_features=False,
        min_documents=1,
        full_length=False,
        max_weights=MAX_SELECTED_TERMS,
        shift_prior=None,
        semantic_weight=0.0,
    ),
}


class SemanticMode(StrEnum):
    """Whether word meanings are used besides the words themselves."""

    AUTO = "auto"  # if the extra is installed
    ON = "on"
    OFF = "off"


class CentroidWeighting(StrEnum):
    """How terms are weighted in the centroids of subjects (`learning.tunnel.centroids`)."""

    LOG = "log"
    RATIO = "ratio"


SpaceName = Literal["terms", "pairs", "anchors", "neighbours", "urls"]


class LearningOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of the training that a user can set."""

    setting: Annotated[
        SettingName,
        Meta(description="default, or bingo-2003 for the features and planes of that paper."),
    ] = SettingName.DEFAULT
    spaces: Annotated[
        tuple[SpaceName, ...],
        Meta(min_length=1, description="Feature spaces: terms, pairs, anchors, neighbours, urls."),
    ] = ("terms",)
    rule: Annotated[
        VotingRule,
        Meta(description="How several spaces decide: unanimous, majority, weighted or best."),
    ] = VotingRule.WEIGHTED
    semantic: Annotated[
        SemanticMode,
        Meta(description="Also compare the meanings of words: on, off, or auto (if installed)."),
    ] = SemanticMode.AUTO
