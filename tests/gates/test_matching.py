"""Floors for matching attributes to the fields of forms: docs/quality.md has the figures."""

from pathlib import Path

import pytest

from motherlode.lexicon import NoWordNetError
from motherlode.lexicon.concepts import Concepts, noun_concepts
from motherlode.sources.wrappers.vocabulary import Vocabulary
from support.helpers import lacks
from support.labelled_forms import (
    LabelledForm,
    catalogue_forms,
    matching_quality,
    real_forms,
)

# F1 of the fields as measured, less 0.02.
CATALOGUE_FLOOR = 0.96
REAL_FLOOR = 0.91


@pytest.fixture(scope="module")
def concepts() -> Concepts:
    try:
        return noun_concepts()
    except NoWordNetError as error:
        lacks(f"WordNet 3.0: {error}")


@pytest.fixture(scope="module")
def catalogues() -> list[LabelledForm]:
    return catalogue_forms()


@pytest.fixture(scope="module")
def real() -> list[LabelledForm]:
    folder = Path(__file__).resolve().parents[3] / "shared" / "forms"
    if not folder.is_dir():
        pytest.skip("the labelled forms are not here (../shared/forms)")
    return list(real_forms(folder))


def test_forms_of_catalogues_are_matched(
    catalogues: list[LabelledForm], concepts: Concepts
) -> None:
    assert matching_quality(catalogues, Vocabulary(concepts)).f1 >= CATALOGUE_FLOOR


def test_forms_of_real_pages_are_matched(real: list[LabelledForm], concepts: Concepts) -> None:
    assert matching_quality(real, Vocabulary(concepts)).f1 >= REAL_FLOOR


def test_it_does_as_well_without_wordnet_but_for_words_that_are_in_no_table(
    catalogues: list[LabelledForm], real: list[LabelledForm]
) -> None:
    assert matching_quality(catalogues, Vocabulary()).f1 >= CATALOGUE_FLOOR - 0.01
    assert matching_quality(real, Vocabulary()).f1 >= REAL_FLOOR


def test_wordnet_finds_fields_that_words_alone_do_not(
    catalogues: list[LabelledForm], concepts: Concepts
) -> None:
    plain = matching_quality(catalogues, Vocabulary(web_words=False))
    similar = matching_quality(catalogues, Vocabulary(concepts, web_words=False))
    assert similar.recall >= plain.recall + 0.1
    assert similar.f1 >= plain.f1 + 0.08
