"""The topic tree as a classifier."""

from collections.abc import Sequence

import pytest

from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import bag_of, spell
from motherlode.learning.options import Setting
from motherlode.learning.tree import Sample, TreeClassifier, Verdict

SCIENCE, SPORT, PHYSICS, BIRDS = 2, 3, 4, 5
PARENTS = {SCIENCE: 1, SPORT: 1, PHYSICS: SCIENCE, BIRDS: SCIENCE}
TEXTS = {
    PHYSICS: [
        "quantum particles and waves in the laboratory of physics",
        "the energy of an electron in a magnetic field, measured by physics",
        "gravity bends light, says the theory of relativity in physics",
    ],
    BIRDS: [
        "owls and hawks are birds of prey with sharp claws and wings",
        "the nest of a songbird holds eggs and feathers",
        "ducks and geese are water birds that fly in winter",
    ],
    SPORT: [
        "the football team won the match by two goals in the stadium",
        "a tennis player serves and wins the final match",
        "runners and swimmers race for medals in the stadium",
    ],
}
OTHERS = [
    "cook the onions in butter and add salt to the soup",
    "the court heard the lawyer and judged the case",
    "book a hotel and a flight for your holiday at the sea",
]


def samples(texts: Sequence[str]) -> list[Sample]:
    return [{TERMS: bag_of(text)} for text in texts]


@pytest.fixture(scope="module")
def tree() -> TreeClassifier:
    documents = {topic: samples(texts) for topic, texts in TEXTS.items()}
    return TreeClassifier().fit(PARENTS, documents, {1: samples(OTHERS)})


def verdict(tree: TreeClassifier, text: str) -> Verdict:
    return tree.judge(samples([text]))[0]


def test_training_documents_find_their_topics(tree: TreeClassifier) -> None:
    for topic, texts in TEXTS.items():
        assert [(said.topic, said.others) for said in tree.judge(samples(texts))] == [(topic, False)] * 3


def test_unseen_documents_go_down_the_tree(tree: TreeClassifier) -> None:
    assert verdict(tree, "an electron has energy").topic == PHYSICS
    assert verdict(tree, "the owl spreads its wings, as birds do").topic == BIRDS
    assert verdict(tree, "goals in a football match").topic == SPORT


def test_what_is_on_no_topic_is_among_the_others_of_the_root(tree: TreeClassifier) -> None:
    said = verdict(tree, "onions and butter in the soup")
    assert (said.topic, said.others) == (1, True)
    assert said.confidence < 0
    empty = tree.judge([{}])[0]
    assert empty.confidence == pytest.approx(empty.confidence)


def test_a_judgement_names_the_terms_that_carried_it(tree: TreeClassifier) -> None:
    text = "an electron has energy"
    parts = tree.explain({TERMS: bag_of(text)}, PHYSICS)
    words = spell([term for _, term, part in parts if part > 0], text)
    assert set(words.values()) == {"electron", "energy"}
    node = tree.nodes(PHYSICS)[TERMS]
    assert sum(part for _, _, part in parts) + node.bias == pytest.approx(
        verdict(tree, text).confidence, abs=1e-5
    )


def test_many_at_once_are_judged_as_one_by_one(tree: TreeClassifier) -> None:
    texts = [text for texts in (*TEXTS.values(), OTHERS) for text in texts]
    assert tree.judge(samples(texts)) == [verdict(tree, text) for text in texts]
    assert tree.judge([]) == []


def test_a_model_survives_packing_and_another_version_is_refused(tree: TreeClassifier) -> None:
    again = TreeClassifier.unpack(tree.pack())
    texts = samples(OTHERS + TEXTS[BIRDS])
    assert again.judge(texts) == tree.judge(texts)
    with pytest.raises(ValueError, match="version"):
        TreeClassifier.unpack(tree.pack().replace(b"\xa7version\x02", b"\xa7version\x63"))


def test_the_number_of_features_is_bounded() -> None:
    documents = {topic: samples(texts) for topic, texts in TEXTS.items()}
    small = TreeClassifier(Setting(selected=3, shared=False)).fit(PARENTS, documents)
    assert {len(group.features) // 4 for group in small.groups_[TERMS]} == {3}
    few = TreeClassifier(Setting(kept=2)).fit(PARENTS, documents)
    assert {len(few.nodes(topic)[TERMS].places) // 4 for topic in PARENTS} == {2}


def test_a_topic_alone_has_nobody_to_be_told_from() -> None:
    lonely = TreeClassifier().fit({SCIENCE: 1}, {SCIENCE: samples(TEXTS[PHYSICS])})
    assert lonely.groups_ == {TERMS: ()}
    assert lonely.judge(samples(OTHERS)) == [Verdict(1, 0.0)] * 3
    assert TreeClassifier().fit({}, {}).judge(samples(OTHERS))[0].topic == 1
