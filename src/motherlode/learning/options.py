"""How topics are learned: by default as measures best (docs/learning.md), by name as a paper has it."""

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct

MAX_PRESELECTED_TERMS = 5_000  # terms of highest frequency in the topic that are looked at
MAX_SELECTED_TERMS = 2_000  # terms of highest mutual information that are kept


class VotingRule(StrEnum):
    """How verdicts are put together."""

    UNANIMOUS = "unanimous"  # all must agree: w = 1, t_1 = h - 0.5 = -t_2
    MAJORITY = "majority"  # w = 1, t = 0
    WEIGHTED = "weighted"  # w = the estimated precision of each, t = 0
    BEST = "best"  # the one of the highest estimated precision alone: when speed is critical


class TrainingSettings(Struct, frozen=True):
    """What one hyperplane is learned from and how.

    `shared`: all topics below a parent have the same features, the union of those that tell each of them, so
    that what speaks for a sibling speaks against a topic. `least`: in how many documents a feature occurs
    at least. `whole`: a document's length is that of all its terms, not of its features alone, so that a
    page with one telling word among a thousand others is not taken for a page of that word. `kept`: the
    weights of a hyperplane, the largest. `doubt`: the plane is moved towards where documents of the topic lie
    that it was not trained on, by n / (n + doubt) of the way with n examples (inwards only as far as OTHERS
    put it where it is); None: it stays. `nearness`: how much it counts that a document is about the same,
    in whichever words (`motherlode.learning.semantic`), where their meanings are known.
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
    """Settings that have a name."""

    DEFAULT = "default"
    BINGO_2003 = "bingo-2003"


SETTINGS = {
    SettingName.DEFAULT: TrainingSettings(),
    # Each topic its own features, its own lengths, and the plane where training leaves it (SPEC B6, B7).
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
    """Whether topics are known by what their words mean, too."""

    AUTO = "auto"  # if the extra is installed
    ON = "on"
    OFF = "off"


SpaceName = Literal["terms", "pairs", "anchors", "neighbours", "urls"]


class LearningOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How topics are learned from their examples."""

    setting: Annotated[
        SettingName, Meta(description="default, or bingo-2003 for that paper's own features and planes.")
    ] = SettingName.DEFAULT
    spaces: Annotated[
        tuple[SpaceName, ...],
        Meta(min_length=1, description="Feature spaces: terms, pairs, anchors, neighbours, urls."),
    ] = ("terms",)
    rule: Annotated[
        VotingRule, Meta(description="How spaces decide together: unanimous, majority, weighted or best.")
    ] = VotingRule.WEIGHTED
    semantic: Annotated[
        SemanticMode,
        Meta(description="Know topics by what their words mean, too: on, off, or auto (if it is installed)."),
    ] = SemanticMode.AUTO
