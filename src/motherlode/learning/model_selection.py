"""How many features: as many as xi-alpha expects the fewest errors of (BINGO!, section 3.5; SPEC B19).

No document is needed besides the training set. What it gives on real pages is in docs/learning.md.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

from msgspec.structs import replace

from motherlode.documents.spaces import TERMS
from motherlode.learning.options import TrainingSettings
from motherlode.learning.tree import DEFAULT, Sample, TreeClassifier

FEATURE_COUNTS = (500, 1_000, 2_000, 5_000)


def choose_settings(
    parents: Mapping[int, int],
    documents: Mapping[int, Sequence[Sample]],
    others: Mapping[int, Sequence[Sample]] | None = None,
    settings: TrainingSettings = DEFAULT,
    space: str = TERMS,
) -> TrainingSettings:
    """The setting with the number of features that is expected to err least over all topics.

    Of equals it is the setting's own number, then the smaller.
    """
    numbers = sorted(
        {*FEATURE_COUNTS, settings.selected_terms},
        key=lambda number: (number != settings.selected_terms, number),
    )
    tried = [
        replace(settings, selected_terms=n, preselected_terms=max(n, settings.preselected_terms))
        for n in numbers
    ]
    return min(tried, key=lambda one: expected_error(one, parents, documents, others, space))


def expected_error(
    settings: TrainingSettings,
    parents: Mapping[int, int],
    documents: Mapping[int, Sequence[Sample]],
    others: Mapping[int, Sequence[Sample]] | None = None,
    space: str = TERMS,
) -> float:
    """The mean of what xi-alpha estimates for the topics; 1 where there is nothing to tell them from."""
    fitted = TreeClassifier(settings, (space,)).fit(parents, documents, others)
    errors = [plane.error for group in fitted.groups_[space] for plane in group.planes]
    return fmean(errors) if errors else 1.0
