"""The number of features with the least estimated error (xi-alpha; BINGO!, section 3.5; SPEC B19).

It needs no documents besides the training set. The gain on real pages is in docs/learning.md.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

from msgspec.structs import replace

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.learning.options import TrainingSettings
from motherlode.learning.tree import DEFAULT, TreeClassifier

FEATURE_COUNTS = (500, 1_000, 2_000, 5_000)


def choose_settings(
    parents: Mapping[int, int],
    documents: Mapping[int, Sequence[Sample]],
    others: Mapping[int, Sequence[Sample]] | None = None,
    settings: TrainingSettings = DEFAULT,
    space: str = TERMS,
) -> TrainingSettings:
    """Return the settings with the number of features of lowest expected error over all topics.

    Of equally good numbers, that of `settings` is taken, then the smallest.
    """
    numbers = sorted(
        {*FEATURE_COUNTS, settings.selected_terms},
        key=lambda number: (number != settings.selected_terms, number),
    )
    candidates = [
        replace(settings, selected_terms=n, preselected_terms=max(n, settings.preselected_terms))
        for n in numbers
    ]
    return min(
        candidates,
        key=lambda candidate: expected_error(candidate, parents, documents, others, space),
    )


def expected_error(
    settings: TrainingSettings,
    parents: Mapping[int, int],
    documents: Mapping[int, Sequence[Sample]],
    others: Mapping[int, Sequence[Sample]] | None = None,
    space: str = TERMS,
) -> float:
    """Return the mean error that xi-alpha estimates for the topics; 1 if no plane can be fitted."""
    fitted = TreeClassifier(settings, (space,)).fit(parents, documents, others)
    errors = [plane.error for group in fitted.groups_[space] for plane in group.planes]
    return fmean(errors) if errors else 1.0
