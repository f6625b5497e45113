"""How many features: as many as xi-alpha expects the fewest errors of (BINGO!, section 3.5; SPEC B19).

No document is needed besides the training set. What it gives on real pages is in docs/learning.md.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

from msgspec.structs import replace

from motherlode.documents.spaces import TERMS
from motherlode.learning.options import Setting
from motherlode.learning.tree import DEFAULT, Sample, TreeClassifier

NUMBERS = (500, 1_000, 2_000, 5_000)


def choose_setting(
    parents: Mapping[int, int],
    documents: Mapping[int, Sequence[Sample]],
    others: Mapping[int, Sequence[Sample]] | None = None,
    setting: Setting = DEFAULT,
    space: str = TERMS,
) -> Setting:
    """The setting with the number of features that is expected to err least over all topics.

    Of equals it is the setting's own number, then the smaller.
    """
    numbers = sorted({*NUMBERS, setting.selected}, key=lambda number: (number != setting.selected, number))
    tried = [replace(setting, selected=n, preselected=max(n, setting.preselected)) for n in numbers]
    return min(tried, key=lambda one: expected_error(one, parents, documents, others, space))


def expected_error(
    setting: Setting,
    parents: Mapping[int, int],
    documents: Mapping[int, Sequence[Sample]],
    others: Mapping[int, Sequence[Sample]] | None = None,
    space: str = TERMS,
) -> float:
    """The mean of what xi-alpha estimates for the topics; 1 where there is nothing to tell them from."""
    fitted = TreeClassifier(setting, (space,)).fit(parents, documents, others)
    errors = [node.error for group in fitted.groups_[space] for node in group.nodes]
    return fmean(errors) if errors else 1.0
