"""The topic tree as a classifier."""

import pickle
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motherlode.documents.spaces import ANCHORS, TERMS, URLS
from motherlode.documents.terms import bag_of, spell
from motherlode.learning.links.mentions import Mentions
from motherlode.learning.links.weights import LinkWeights
from motherlode.learning.options import TrainingSettings, VotingRule
from motherlode.learning.tree import Sample, TopicVerdict, TreeClassifier
from support.word_vectors import tiny

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


def verdict(tree: TreeClassifier, text: str) -> TopicVerdict:
    return tree.judge(samples([text]))[0]


def test_training_documents_find_their_topics(tree: TreeClassifier) -> None:
    for topic, texts in TEXTS.items():
        verdicts = tree.judge(samples(texts))
        assert [(judged.topic, judged.others) for judged in verdicts] == [(topic, False)] * 3


def test_unseen_documents_go_down_the_tree(tree: TreeClassifier) -> None:
    assert verdict(tree, "an electron has energy").topic == PHYSICS
    assert verdict(tree, "the owl spreads its wings, as birds do").topic == BIRDS
    assert verdict(tree, "goals in a football match").topic == SPORT


def test_what_is_on_no_topic_is_among_the_others_of_the_root(tree: TreeClassifier) -> None:
    judged = verdict(tree, "onions and butter in the soup")
    assert (judged.topic, judged.others) == (1, True)
    assert judged.confidence < 0
    empty = tree.judge([{}])[0]
    assert empty.confidence == pytest.approx(empty.confidence)


def test_a_judgement_names_the_terms_that_carried_it(tree: TreeClassifier) -> None:
    text = "an electron has energy"
    parts = tree.explain({TERMS: bag_of(text)}, PHYSICS)
    words = spell([term for _, term, part in parts if part > 0], text)
    assert set(words.values()) == {"electron", "energy"}
    plane = tree.planes(PHYSICS)[TERMS]
    assert sum(part for _, _, part in parts) + plane.bias == pytest.approx(
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
        TreeClassifier.unpack(tree.pack().replace(b"\xa7version\x03", b"\xa7version\x63"))


def test_what_a_crawl_makes_of_words_is_packed_with_its_model(tree: TreeClassifier) -> None:
    mentioned = Mentions(np.array([3, 7], np.uint32).tobytes(), np.array([0.5, -1.0], np.float32).tobytes())
    tree.mentions = mentioned
    assert TreeClassifier.unpack(tree.pack()).mentions == mentioned
    tree.mentions = Mentions(mentioned.terms, mentioned.lifts[:4])
    with pytest.raises(ValueError, match="no model"):
        TreeClassifier.unpack(tree.pack())
    tree.mentions = Mentions()


def test_what_a_crawl_has_learned_of_links_is_packed_with_its_model(tree: TreeClassifier) -> None:
    tree.weights = LinkWeights(share=2.0, words=0.5)
    assert TreeClassifier.unpack(tree.pack()).weights == tree.weights
    tree.weights = LinkWeights(near=-1.0)
    with pytest.raises(ValueError, match="no model"):
        TreeClassifier.unpack(tree.pack())
    tree.weights = LinkWeights()


def test_the_number_of_features_is_bounded() -> None:
    documents = {topic: samples(texts) for topic, texts in TEXTS.items()}
    small = TreeClassifier(TrainingSettings(selected_terms=3, shared_features=False)).fit(PARENTS, documents)
    assert {len(group.features) // 4 for group in small.groups_[TERMS]} == {3}
    few = TreeClassifier(TrainingSettings(max_weights=2)).fit(PARENTS, documents)
    assert {len(few.planes(topic)[TERMS].feature_indices) // 4 for topic in PARENTS} == {2}


def test_a_topic_alone_has_nobody_to_be_told_from() -> None:
    lonely = TreeClassifier().fit({SCIENCE: 1}, {SCIENCE: samples(TEXTS[PHYSICS])})
    assert lonely.groups_ == {TERMS: ()}
    assert lonely.judge(samples(OTHERS)) == [TopicVerdict(1, 0.0)] * 3
    assert TreeClassifier().fit({}, {}).judge(samples(OTHERS))[0].topic == 1


# Several spaces

SAID = {PHYSICS: "physics", BIRDS: "birds", SPORT: "sport"}  # by the links to each page


def linked(topic: int, texts: Sequence[str]) -> list[Sample]:
    return [{TERMS: bag_of(text), ANCHORS: bag_of(SAID[topic])} for text in texts]


def in_spaces(rule: VotingRule, spaces: Sequence[str] = (TERMS, ANCHORS)) -> TreeClassifier:
    documents = {topic: linked(topic, texts) for topic, texts in TEXTS.items()}
    return TreeClassifier(TrainingSettings(), spaces, rule).fit(PARENTS, documents, {1: samples(OTHERS)})


@pytest.fixture(scope="module")
def spacious() -> TreeClassifier:
    return in_spaces(VotingRule.UNANIMOUS)


def test_each_space_has_planes_of_its_own(spacious: TreeClassifier) -> None:
    assert set(spacious.planes(BIRDS)) == {TERMS, ANCHORS}
    assert spacious.planes(BIRDS)[TERMS] != spacious.planes(BIRDS)[ANCHORS]
    assert spacious.explain({ANCHORS: bag_of("birds")}, BIRDS)[0][:2] == (
        ANCHORS,
        int(bag_of("birds").terms[0]),
    )


def test_unanimous_spaces_turn_down_what_one_of_them_does(spacious: TreeClassifier) -> None:
    text = "goals in a football match"
    agreed, denied = spacious.judge(linked(SPORT, [text]) + linked(PHYSICS, [text]))
    assert (agreed.topic, agreed.others) == (SPORT, False)
    assert (denied.topic, denied.others) == (1, True)


def test_a_space_that_knows_nothing_of_a_page_has_no_say(spacious: TreeClassifier) -> None:
    (judged,) = spacious.judge(samples(["goals in a football match"]))
    assert (judged.topic, judged.others) == (SPORT, False)
    (strange,) = spacious.judge([{TERMS: bag_of("zzz"), ANCHORS: bag_of("yyy")}])
    assert strange == TopicVerdict(1, -1.0, others=True)


@pytest.mark.parametrize("rule", VotingRule)
def test_a_space_without_documents_is_as_if_it_were_not_there(rule: VotingRule) -> None:
    documents = {topic: samples(texts) for topic, texts in TEXTS.items()}
    fitted = TreeClassifier(TrainingSettings(), (TERMS, URLS), rule).fit(
        PARENTS, documents, {1: samples(OTHERS)}
    )
    assert fitted.groups_[URLS] == ()
    alone = TreeClassifier().fit(PARENTS, documents, {1: samples(OTHERS)})
    texts = samples([*OTHERS, *TEXTS[BIRDS], "an electron has energy"])
    assert fitted.judge(texts) == alone.judge(texts)


def test_the_best_space_alone_is_asked() -> None:
    tree = in_spaces(VotingRule.BEST)
    distances = tree.distances(linked(SPORT, ["an electron has energy"]))[SPORT]
    planes = tree.planes(SPORT)
    best = max((TERMS, ANCHORS), key=lambda space: planes[space].precision)
    alone = in_spaces(VotingRule.BEST, (best,)).distances(linked(SPORT, ["an electron has energy"]))[SPORT]
    assert distances == pytest.approx(alone)


# Models as bytes


def test_a_model_survives_pickling_with_and_without_having_judged(spacious: TreeClassifier) -> None:
    texts = linked(BIRDS, TEXTS[BIRDS]) + samples(OTHERS)
    fresh = pickle.loads(pickle.dumps(in_spaces(VotingRule.UNANIMOUS)))  # noqa: S301 - our own
    judged = spacious.judge(texts)
    frozen = pickle.dumps(spacious)
    assert b"_scorers" not in frozen  # they are large, and made again
    assert pickle.loads(frozen).judge(texts) == fresh.judge(texts) == judged  # noqa: S301 - our own


def test_packing_keeps_spaces_and_rule(spacious: TreeClassifier) -> None:
    again = TreeClassifier.unpack(spacious.pack())
    assert (tuple(again.spaces), again.rule) == ((TERMS, ANCHORS), VotingRule.UNANIMOUS)
    assert again.groups_ == spacious.groups_


def unpacked(packed: bytes) -> None:
    """Whatever bytes these are, there is a model that can judge, or a `ValueError`."""
    try:
        model = TreeClassifier.unpack(packed)
    except ValueError:
        return
    model.distances(samples(["owls and goals"]))


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_bytes_that_are_no_model_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="model"):
        TreeClassifier.unpack(packed)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_model_with_a_few_wrong_bytes_is_refused_or_judges(
    tree: TreeClassifier, data: st.DataObject
) -> None:
    packed = bytearray(tree.pack())
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, 3))
    unpacked(bytes(packed[: len(packed) - cut]))


@pytest.mark.parametrize(
    "packed", [b"\x81\xa1a" * 5_000 + b"\xc0", b"\x81\xa7version\x02", b"\x93\x01\x02\x03"]
)
def test_bytes_that_lead_astray_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="model"):
        TreeClassifier.unpack(packed)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("features", b"\x01\x00\x00\x00"),
        ("features", b"\x01\x00"),
        ("idf", b""),
        ("features", b"\xff" * 8),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(tree: TreeClassifier, part: str, value: bytes) -> None:
    packed = msgspec.msgpack.decode(tree.pack())
    packed["spaces"][TERMS][0][part] = value
    with pytest.raises(ValueError, match="belong together"):
        TreeClassifier.unpack(msgspec.msgpack.encode(packed))


@pytest.mark.parametrize(
    ("part", "value"),
    [("places", np.array([2**31], np.uint32).tobytes()), ("weights", b""), ("topic", 2**63)],
)
def test_planes_without_features_are_refused(tree: TreeClassifier, part: str, value: object) -> None:
    packed = msgspec.msgpack.decode(tree.pack())
    packed["spaces"][TERMS][0]["nodes"][0][part] = value
    with pytest.raises(ValueError, match="belong together"):
        TreeClassifier.unpack(msgspec.msgpack.encode(packed))


def test_a_model_packed_by_an_earlier_release_is_read_and_packed_alike() -> None:
    """Packed at commit dff2d59: topics 2 and 3, two spaces, majority rule, all fields filled."""
    packed = (Path(__file__).parent / "data" / "model-v3.msgpack").read_bytes()
    model = TreeClassifier.unpack(packed)
    assert model.pack() == packed
    assert (model.rule, model.meanings_digest) == (VotingRule.MAJORITY, "tiny")
    assert model.weights == LinkWeights(share=2.0, words=0.5, near=3.0)
    assert [array.tolist() for array in model.mentions.lookup()] == [[3, 7], [0.5, -1.0]]
    model.meanings = tiny()
    (judged,) = model.judge([{TERMS: bag_of("nest sparrow owl law"), ANCHORS: bag_of("birds")}])
    assert (judged.topic, judged.others) == (2, False)
    assert judged.confidence == pytest.approx(0.608428655216122)
