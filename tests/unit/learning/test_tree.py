"""The classifier for a tree of topics: verdicts, explanations, and packed models."""

import pickle
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motherlode.documents.features.spaces import ANCHORS, TERMS, URLS, Sample
from motherlode.documents.text.terms import bag_of, spell
from motherlode.learning.calibration import PlaneSurroundings
from motherlode.learning.options import TrainingSettings, VotingRule
from motherlode.learning.site_profiles import Profiles
from motherlode.learning.tree import TopicVerdict, TreeClassifier
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


def test_training_documents_are_judged_to_be_on_their_topics(tree: TreeClassifier) -> None:
    for topic, texts in TEXTS.items():
        verdicts = tree.judge(samples(texts))
        assert [(judged.topic, judged.others) for judged in verdicts] == [(topic, False)] * 3


def test_unseen_documents_go_down_the_tree(tree: TreeClassifier) -> None:
    assert verdict(tree, "an electron has energy").topic == PHYSICS
    assert verdict(tree, "the owl spreads its wings, as birds do").topic == BIRDS
    assert verdict(tree, "goals in a football match").topic == SPORT


def test_a_document_on_no_topic_is_in_the_others_of_the_root(tree: TreeClassifier) -> None:
    judged = verdict(tree, "onions and butter in the soup")
    assert (judged.topic, judged.others) == (1, True)
    assert judged.confidence < 0
    empty = tree.judge([{}])[0]
    assert empty.confidence == pytest.approx(empty.confidence)


def test_the_terms_of_a_verdict_are_explained(tree: TreeClassifier) -> None:
    text = "an electron has energy"
    parts = tree.explain({TERMS: bag_of(text)}, PHYSICS)
    words = spell([term for _, term, part in parts if part > 0], text)
    assert set(words.values()) == {"electron", "energy"}
    plane = tree.planes(PHYSICS)[TERMS]
    assert sum(part for _, _, part in parts) + plane.bias == pytest.approx(
        verdict(tree, text).confidence, abs=1e-5
    )


def test_many_documents_at_once_get_the_same_verdicts_as_one_by_one(tree: TreeClassifier) -> None:
    texts = [text for texts in (*TEXTS.values(), OTHERS) for text in texts]
    assert tree.judge(samples(texts)) == [verdict(tree, text) for text in texts]
    assert tree.judge([]) == []


def test_an_unpacked_model_judges_alike_and_another_version_is_refused(
    tree: TreeClassifier,
) -> None:
    unpacked = TreeClassifier.unpack(tree.pack())
    texts = samples(OTHERS + TEXTS[BIRDS])
    assert unpacked.judge(texts) == tree.judge(texts)
    with pytest.raises(ValueError, match="version"):
        TreeClassifier.unpack(tree.pack().replace(b"\xa7version\x03", b"\xa7version\x63"))


def test_the_numbers_of_features_and_weights_are_limited() -> None:
    documents = {topic: samples(texts) for topic, texts in TEXTS.items()}
    small = TreeClassifier(TrainingSettings(selected_terms=3, shared_features=False)).fit(
        PARENTS,
        documents,
    )
    assert {len(group.features) // 4 for group in small.groups_[TERMS]} == {3}
    few = TreeClassifier(TrainingSettings(max_weights=2)).fit(PARENTS, documents)
    assert {len(few.planes(topic)[TERMS].feature_indices) // 4 for topic in PARENTS} == {2}


def test_probabilities_grow_with_confidences(tree: TreeClassifier) -> None:
    verdicts = tree.judge(samples([*OTHERS, *TEXTS[BIRDS], *TEXTS[PHYSICS]]))
    assert all(verdict.probability is None for verdict in verdicts if verdict.topic == 1)
    for topic in {verdict.topic for verdict in verdicts} - {1}:
        of_topic = sorted(
            (verdict.confidence, verdict.probability or 0.0)
            for verdict in verdicts
            if verdict.topic == topic
        )
        probabilities = [probability for _, probability in of_topic]
        assert probabilities == sorted(probabilities)
        assert all(0.0 < probability < 1.0 for probability in probabilities)


def test_a_single_topic_without_others_has_no_plane() -> None:
    lonely = TreeClassifier().fit({SCIENCE: 1}, {SCIENCE: samples(TEXTS[PHYSICS])})
    assert lonely.groups_ == {TERMS: ()}
    assert lonely.judge(samples(OTHERS)) == [TopicVerdict(1, 0.0)] * 3
    assert TreeClassifier().fit({}, {}).judge(samples(OTHERS))[0].topic == 1


# Several spaces

ANCHOR_TEXTS = {PHYSICS: "physics", BIRDS: "birds", SPORT: "sport"}


def samples_with_anchors(topic: int, texts: Sequence[str]) -> list[Sample]:
    return [{TERMS: bag_of(text), ANCHORS: bag_of(ANCHOR_TEXTS[topic])} for text in texts]


def fit_spaces(rule: VotingRule, spaces: Sequence[str] = (TERMS, ANCHORS)) -> TreeClassifier:
    documents = {topic: samples_with_anchors(topic, texts) for topic, texts in TEXTS.items()}
    return TreeClassifier(TrainingSettings(), spaces, rule).fit(
        PARENTS,
        documents,
        {1: samples(OTHERS)},
    )


@pytest.fixture(scope="module")
def two_spaces() -> TreeClassifier:
    return fit_spaces(VotingRule.UNANIMOUS)


def test_each_space_has_its_own_planes(two_spaces: TreeClassifier) -> None:
    assert set(two_spaces.planes(BIRDS)) == {TERMS, ANCHORS}
    assert two_spaces.planes(BIRDS)[TERMS] != two_spaces.planes(BIRDS)[ANCHORS]
    assert two_spaces.explain({ANCHORS: bag_of("birds")}, BIRDS)[0][:2] == (
        ANCHORS,
        int(bag_of("birds").terms[0]),
    )


def test_with_the_rule_unanimous_one_space_can_reject(two_spaces: TreeClassifier) -> None:
    text = "goals in a football match"
    accepted, rejected = two_spaces.judge(
        samples_with_anchors(SPORT, [text]) + samples_with_anchors(PHYSICS, [text])
    )
    assert (accepted.topic, accepted.others) == (SPORT, False)
    assert (rejected.topic, rejected.others) == (1, True)


def test_a_space_without_known_terms_does_not_count(two_spaces: TreeClassifier) -> None:
    (judged,) = two_spaces.judge(samples(["goals in a football match"]))
    assert (judged.topic, judged.others) == (SPORT, False)
    (unknown,) = two_spaces.judge([{TERMS: bag_of("zzz"), ANCHORS: bag_of("yyy")}])
    assert unknown == TopicVerdict(1, -1.0, others=True)


@pytest.mark.parametrize("rule", VotingRule)
def test_a_space_without_documents_does_not_count(rule: VotingRule) -> None:
    documents = {topic: samples(texts) for topic, texts in TEXTS.items()}
    fitted = TreeClassifier(TrainingSettings(), (TERMS, URLS), rule).fit(
        PARENTS, documents, {1: samples(OTHERS)}
    )
    assert fitted.groups_[URLS] == ()
    alone = TreeClassifier().fit(PARENTS, documents, {1: samples(OTHERS)})
    texts = samples([*OTHERS, *TEXTS[BIRDS], "an electron has energy"])
    assert fitted.judge(texts) == alone.judge(texts)


def test_with_the_rule_best_only_the_best_space_decides() -> None:
    tree = fit_spaces(VotingRule.BEST)
    distances = tree.distances(samples_with_anchors(SPORT, ["an electron has energy"]))[SPORT]
    planes = tree.planes(SPORT)
    best = max((TERMS, ANCHORS), key=lambda space: planes[space].precision)
    alone = fit_spaces(VotingRule.BEST, (best,)).distances(
        samples_with_anchors(SPORT, ["an electron has energy"]),
    )[SPORT]
    assert distances == pytest.approx(alone)


# Models as bytes


def test_a_model_can_be_pickled_before_and_after_judging(two_spaces: TreeClassifier) -> None:
    texts = samples_with_anchors(BIRDS, TEXTS[BIRDS]) + samples(OTHERS)
    unused = pickle.loads(pickle.dumps(fit_spaces(VotingRule.UNANIMOUS)))  # noqa: S301 - our own
    judged = two_spaces.judge(texts)
    pickled = pickle.dumps(two_spaces)
    assert b"_scorers" not in pickled  # they are large, and can be built again
    used = pickle.loads(pickled)  # noqa: S301 - our own
    assert used.judge(texts) == unused.judge(texts) == judged


def test_packing_keeps_spaces_and_rule(two_spaces: TreeClassifier) -> None:
    unpacked = TreeClassifier.unpack(two_spaces.pack())
    assert tuple(unpacked.spaces) == (TERMS, ANCHORS)
    assert unpacked.rule is VotingRule.UNANIMOUS
    assert unpacked.groups_ == two_spaces.groups_


def unpack_and_judge(packed: bytes) -> None:
    """Fail if the bytes are neither refused nor a model that can judge."""
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
    unpack_and_judge(bytes(packed[: len(packed) - cut]))


@pytest.mark.parametrize(
    "packed", [b"\x81\xa1a" * 5_000 + b"\xc0", b"\x81\xa7version\x02", b"\x93\x01\x02\x03"]
)
def test_nested_old_and_foreign_bytes_are_refused(packed: bytes) -> None:
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
def test_parts_that_do_not_belong_together_are_refused(
    tree: TreeClassifier,
    part: str,
    value: bytes,
) -> None:
    packed = msgspec.msgpack.decode(tree.pack())
    packed["spaces"][TERMS][0][part] = value
    with pytest.raises(ValueError, match="belong together"):
        TreeClassifier.unpack(msgspec.msgpack.encode(packed))


@pytest.mark.parametrize(
    ("part", "value"),
    [("places", np.array([2**31], np.uint32).tobytes()), ("weights", b""), ("topic", 2**63)],
)
def test_planes_that_do_not_fit_their_group_are_refused(
    tree: TreeClassifier,
    part: str,
    value: object,
) -> None:
    packed = msgspec.msgpack.decode(tree.pack())
    packed["spaces"][TERMS][0]["nodes"][0][part] = value
    with pytest.raises(ValueError, match="belong together"):
        TreeClassifier.unpack(msgspec.msgpack.encode(packed))


def test_a_model_packed_by_an_earlier_release_is_read() -> None:
    """Packed at commit dff2d59: topics 2 and 3, two spaces, majority rule, all fields filled, with
    what the crawl had learned of links."""
    packed = (Path(__file__).parent / "data" / "model-v3.msgpack").read_bytes()
    model = TreeClassifier.unpack(packed)
    before, after = msgspec.msgpack.decode(packed), msgspec.msgpack.decode(model.pack())
    for group in (group for groups in after["spaces"].values() for group in groups):
        # it said neither what sites are about nor where the pages of a crawl lie
        assert msgspec.convert(group.pop("profiles"), Profiles) == Profiles()
        for plane in group["nodes"]:
            assert plane.pop("surroundings") == msgspec.to_builtins(PlaneSurroundings())
    assert after == {name: before[name] for name in after}
    assert (model.rule, model.meanings_digest) == (VotingRule.MAJORITY, "tiny")
    model.meanings = tiny()
    (judged,) = model.judge([{TERMS: bag_of("nest sparrow owl law"), ANCHORS: bag_of("birds")}])
    assert (judged.topic, judged.others) == (2, False)
    assert judged.confidence == pytest.approx(0.608428655216122)
