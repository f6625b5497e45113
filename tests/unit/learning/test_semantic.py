"""Nearness to the meaning of a topic, added to the distance from its plane."""

import numpy as np
import pytest
from msgspec.structs import replace

from motherlode.documents.features.meanings import Vectors
from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.documents.text.terms import bag_of
from motherlode.learning.options import SETTINGS, SettingName, TrainingSettings
from motherlode.learning.planes import is_consistent
from motherlode.learning.semantic import (
    SemanticScorer,
    TopicCentroid,
    fit_centroid,
    mean_vector,
    widths_match,
)
from motherlode.learning.term_evidence import SEMANTIC, WHOLE_DOCUMENT
from motherlode.learning.tree import TreeClassifier
from support.word_vectors import WORDS, tiny

BIRDS, COOKING = 2, 3
ON_BIRDS = ["owl hawk feather nest", "heron owl wing nest"]
ON_OTHERS = ["court judge law case", "hotel flight holiday sea", "law judge hotel sea"]


def rows(*vectors: tuple[float, ...]) -> Vectors:
    array = np.array(vectors, np.float32)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    return (array / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def unit(vector: Vectors) -> Vectors:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def samples(*texts: str) -> list[Sample]:
    return [{TERMS: bag_of(text)} for text in texts]


def fitted(*texts: str, settings: TrainingSettings | None = None) -> TreeClassifier:
    tree = TreeClassifier(settings or TrainingSettings(), meanings=tiny())
    return tree.fit({BIRDS: 1}, {BIRDS: samples(*(texts or ON_BIRDS))}, {1: samples(*ON_OTHERS)})


def test_the_contribution_follows_the_formula() -> None:
    others, own = rows((1, 0, 0), (0, 1, 0)), rows((0, 1, 3), (1, 1, 4))
    centre = mean_vector(others)
    assert centre is not None
    centroid = fit_centroid(own, centre, others_share=0.5, weight=0.2)
    assert centroid is not None
    assert centroid.weight == pytest.approx(0.2 * 0.5 / (1 + 2 / 20))
    first, second = (unit(vector - centre) for vector in own)
    assert centroid.typical_cosine == pytest.approx(float(first @ second), abs=1e-6)
    direction = unit(first + second)
    documents = rows((0, 0, 1), (1, 0, 0))
    parts = SemanticScorer(centre.tobytes(), [centroid, None]).contributions(documents)
    cosines = [unit(vector - centre) @ direction for vector in documents]
    expected = [centroid.weight * (cosine - centroid.typical_cosine) for cosine in cosines]
    assert parts[:, 0] == pytest.approx(expected, abs=1e-6)
    assert parts[:, 1].tolist() == [0, 0]  # a topic without a centroid adds nothing


def test_a_document_without_a_vector_is_near_no_topic() -> None:
    centroid = TopicCentroid(rows((1, 0))[0].tobytes(), 0.2, 0.5)
    scorer = SemanticScorer(rows((0, 1))[0].tobytes(), [centroid])
    parts = scorer.contributions(np.zeros((1, 2), np.float32))
    assert parts.tolist() == [[pytest.approx(-0.1)]]


def test_the_typical_cosine_of_a_single_example_is_a_constant() -> None:
    centroid = fit_centroid(rows((0, 1)), rows((1, 0))[0], 1.0, 0.2)
    assert centroid is not None
    assert centroid.typical_cosine == 0.4


@pytest.mark.parametrize(
    ("known", "unknown", "expected"), [(2, 0, True), (2, 1, False), (9, 1, True), (0, 2, False)]
)
def test_a_centroid_needs_vectors_of_nearly_all_documents(
    known: int,
    unknown: int,
    expected: bool,  # noqa: FBT001
) -> None:
    own = rows(*([(0, 1)] * known + [(0, 0)] * unknown))
    assert (fit_centroid(own, rows((1, 0))[0], 1.0, 0.2) is not None) == expected


def test_without_vectors_in_others_there_is_no_mean() -> None:
    assert mean_vector(np.zeros((0, 2), np.float32)) is None
    assert mean_vector(np.zeros((3, 2), np.float32)) is None
    documents = {BIRDS: samples(*ON_BIRDS), COOKING: samples("onion soup", "salt soup")}
    tree = TreeClassifier(meanings=tiny()).fit({BIRDS: 1, COOKING: 1}, documents)
    assert [group.others_mean for group in tree.groups_[TERMS]] == [b""]


def test_words_of_similar_meaning_raise_the_confidence() -> None:
    documents = samples("nest sparrow finch plumage", "nest court law judge")
    with_meanings = fitted().distances(documents)[BIRDS]
    without = fitted(settings=TrainingSettings(semantic_weight=0.0)).distances(documents)[BIRDS]
    similar, different = with_meanings - without
    assert similar > 0 > different


def test_a_document_without_known_terms_is_rejected() -> None:
    assert fitted().judge(samples("sparrow finch plumage"))[0].others


def test_the_contributions_add_up_to_the_confidence() -> None:
    tree = fitted()
    (sample,) = samples("nest sparrow owl law")
    parts = tree.explain(sample, BIRDS)
    assert [term for space, term, _ in parts if space == SEMANTIC] == [WHOLE_DOCUMENT]
    total = sum(part for _, _, part in parts) + tree.planes(BIRDS)[TERMS].bias
    assert total == pytest.approx(float(tree.distances([sample])[BIRDS][0]), abs=1e-6)
    assert SEMANTIC not in {space for space, _, _ in tree.explain(samples("sparrow")[0], BIRDS)}


def test_siblings_and_many_examples_lower_the_weight() -> None:
    alone = fitted().planes(BIRDS)[TERMS].centroid
    many = fitted(*(ON_BIRDS * 5)).planes(BIRDS)[TERMS].centroid
    documents = {BIRDS: samples(*ON_BIRDS), COOKING: samples("onion soup salt", "soup butter")}
    parents, others = {BIRDS: 1, COOKING: 1}, {1: samples(*ON_OTHERS)}
    with_sibling = TreeClassifier(meanings=tiny()).fit(parents, documents, others)
    sibling = with_sibling.planes(BIRDS)[TERMS].centroid
    assert alone is not None
    assert many is not None
    assert sibling is not None
    assert alone.weight == pytest.approx(0.2 / 1.1)
    assert many.weight == pytest.approx(0.2 / 1.5)
    assert sibling.weight == pytest.approx(0.2 / 1.1 * 3 / 5)


def test_the_papers_setting_has_no_centroids() -> None:
    tree = fitted(settings=SETTINGS[SettingName.BINGO_2003])
    assert tree.planes(BIRDS)[TERMS].centroid is None


def test_a_packed_model_names_its_table_of_meanings() -> None:
    tree = fitted()
    unpacked = TreeClassifier.unpack(tree.pack())
    assert (unpacked.meanings_digest, unpacked.meanings) == (tiny().digest, None)
    unpacked.meanings = tiny()
    documents = samples("nest sparrow finch", *ON_OTHERS)
    assert unpacked.judge(documents) == tree.judge(documents)
    assert TreeClassifier.unpack(TreeClassifier().fit({}, {}).pack()).meanings_digest == ""


def test_a_model_whose_parts_do_not_fit_is_refused() -> None:
    (group,) = fitted().groups_[TERMS]
    centroid = group.planes[0].centroid
    assert centroid is not None
    assert widths_match(group.others_mean, [centroid, None])
    assert widths_match(b"", [None])
    broken = replace(group.planes[0], centroid=replace(centroid, direction=b"1234"))
    assert is_consistent(group)
    assert not is_consistent(replace(group, planes=(broken,)))
    assert not is_consistent(replace(group, others_mean=b""))
    assert not is_consistent(replace(group, others_mean=group.others_mean + b"1"))


def test_every_word_of_these_tests_has_a_vector() -> None:
    assert len(tiny()) == len(WORDS)
