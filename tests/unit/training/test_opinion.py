"""One document, judged step by step."""

from collections.abc import Sequence

import numpy as np
import pytest

from motherlode.documents.analysing import enriched
from motherlode.documents.meanings import Meanings
from motherlode.documents.spaces import TERMS, Surroundings
from motherlode.learning.tree import TreeClassifier
from motherlode.records import ROOT, Document, Topic, TopicId
from motherlode.topics import TopicTree
from motherlode.training import opinion as judging
from motherlode.training.opinion import Opinion, classifier_of, fits, fitted_to, opinion_on
from motherlode.training.samples import sample_of
from motherlode.training.training_set import can_tell
from support.word_vectors import tiny

BIRDS, SPORT, OWLS, HERONS = (TopicId(number) for number in (2, 3, 4, 5))
TEXTS = {
    OWLS: [
        "the barn owl hunts mice at night",
        "owls hoot in the forest at night",
        "the owl has silent feathers",
    ],
    HERONS: ["the grey heron wades and spears fish", "herons nest above the lake", "a heron stands in water"],
    SPORT: [
        "the team won the match by two goals",
        "a runner wins the race",
        "the players train for the match",
    ],
}
OTHERS = ["cook the onions in butter", "the court heard the case", "a coin is a piece of metal"]
NOW = [
    Topic(ROOT, None, ""),
    Topic(BIRDS, ROOT, "birds"),
    Topic(SPORT, ROOT, "sport"),
    Topic(OWLS, BIRDS, "owls"),
    Topic(HERONS, BIRDS, "herons"),
]
TREE = TopicTree(NOW)


def document(text: str, title: str = "") -> Document:
    return enriched(Document(title=title, text=text, main=text, language="en"))


def in_spaces(text: str, spaces: Sequence[str]) -> dict[str, object]:
    return dict(sample_of(document(text), spaces, Surroundings()))


def trained(*spaces: str) -> TreeClassifier:
    parents = {int(topic.id): int(topic.parent) for topic in NOW if topic.parent}
    samples = {int(topic): [in_spaces(text, spaces) for text in texts] for topic, texts in TEXTS.items()}
    others = {int(ROOT): [in_spaces(text, spaces) for text in OTHERS]}
    return TreeClassifier(spaces=spaces).fit(parents, samples, others)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def classifier() -> TreeClassifier:
    return trained(TERMS)


def think(classifier: TreeClassifier, text: str, tree: TopicTree = TREE, most: int = 20) -> Opinion:
    said = document(text)
    sample = sample_of(said, tuple(classifier.groups_), Surroundings())
    return opinion_on(classifier, tree, sample, said, most)


def test_the_way_down_is_told(classifier: TreeClassifier) -> None:
    opinion = think(classifier, "An owl hunts at night in the forest")
    assert (opinion.topic, opinion.about, opinion.others) == ("birds/owls", "birds/owls", False)
    assert [step.parent for step in opinion.steps] == ["", "birds"]
    first, second = (step.confidences for step in opinion.steps)
    assert list(first) == ["birds", "sport"]  # the surest first
    assert list(second) == ["birds/owls", "birds/herons"]
    assert opinion.confidence == pytest.approx(second["birds/owls"])


def test_the_terms_and_the_bias_make_the_confidence(classifier: TreeClassifier) -> None:
    opinion = think(classifier, "An owl hunts fish at night near the lake", most=1000)
    bias = classifier.planes(OWLS)[TERMS].bias
    assert opinion.topic == "birds/owls"
    assert sum(one.part for one in opinion.terms) + bias == pytest.approx(opinion.confidence, abs=1e-6)
    parts = [abs(one.part) for one in opinion.terms]
    assert parts == sorted(parts, reverse=True)


def test_terms_are_spelled_as_the_document_has_them(classifier: TreeClassifier) -> None:
    opinion = think(classifier, "OWLS and more owls; Hunting mice")
    assert {"owls", "hunting", "mice"} <= {one.word for one in opinion.terms}
    assert len(think(classifier, "An owl hunts mice at night", most=2).terms) == 2


def test_what_no_topic_wants_goes_to_others_and_the_nearest_topic_is_explained(
    classifier: TreeClassifier,
) -> None:
    opinion = think(classifier, "the court heard the case of the onions near the lake")
    assert (opinion.topic, opinion.others, opinion.confidence < 0) == ("OTHERS", True, True)
    (step,) = opinion.steps
    assert opinion.about == next(iter(step.confidences))
    assert opinion.confidence == pytest.approx(next(iter(step.confidences.values())))


def test_what_fits_no_topic_below_stays_with_its_parent(classifier: TreeClassifier) -> None:
    opinion = think(classifier, "feathers lake forest night water fish mice")
    assert opinion.topic in ("birds/OTHERS", "birds/owls", "birds/herons")
    assert opinion.confidence > 0


@pytest.mark.parametrize("text", ["", "ψωζ χκμ νλφ", "\x00\x1b[31m", "\ud800"])
def test_a_document_of_which_nothing_is_known_goes_to_others(classifier: TreeClassifier, text: str) -> None:
    opinion = think(classifier, text)
    assert (opinion.topic, opinion.others, opinion.confidence < 0) == ("OTHERS", True, True)
    assert opinion.terms == ()


def test_several_spaces_are_explained_each(classifier: TreeClassifier) -> None:
    opinion = think(trained("terms", "pairs"), "The barn owl hunts mice at night")
    assert {one.space for one in opinion.terms} == {"terms", "pairs"}
    assert all(one.word.startswith("#") for one in opinion.terms if one.space == "pairs")
    assert think(classifier, "The barn owl hunts mice at night").topic == opinion.topic


@pytest.fixture
def knowing() -> TreeClassifier:
    """One that knows what a few words mean."""
    birds, others = ("owl hawk feather nest", "heron owl wing nest"), ("court judge law", "hotel flight sea")
    of = [[in_spaces(text, (TERMS,)) for text in texts] for texts in (birds, others)]
    tree = TreeClassifier(meanings=tiny())
    return tree.fit({int(BIRDS): int(ROOT)}, {int(BIRDS): of[0]}, {int(ROOT): of[1]})  # type: ignore[dict-item]


def test_what_a_document_is_about_is_one_part_of_why(knowing: TreeClassifier) -> None:
    opinion = think(knowing, "owl sparrow finch nest", most=1000)
    assert [one.word for one in opinion.terms if one.space == "semantic"] == ["what it is about"]
    bias = knowing.planes(BIRDS)[TERMS].bias
    assert sum(one.part for one in opinion.terms) + bias == pytest.approx(opinion.confidence, abs=1e-6)
    assert think(fitted_to(knowing, TREE), "owl sparrow finch nest", most=1000) == opinion


def test_a_kept_model_is_given_its_meanings_again(
    knowing: TreeClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "word_meanings", tiny)
    text = "owl sparrow finch nest"
    assert think(classifier_of(knowing.pack()), text) == think(knowing, text)
    others = Meanings(np.array([], np.uint32), np.zeros((0, 3), np.int8), "others")
    monkeypatch.setattr(judging, "word_meanings", lambda: others)
    with pytest.raises(ValueError, match="other meanings"):
        classifier_of(knowing.pack())
    assert classifier_of(trained(TERMS).pack()).meanings is None


# --- topics that are no more where they were ---


def tree_of(*topics: Topic) -> TopicTree:
    return TopicTree([NOW[0], *topics])


def test_a_renamed_topic_has_its_new_name(classifier: TreeClassifier) -> None:
    renamed = tree_of(Topic(BIRDS, ROOT, "fowl"), *NOW[2:])
    opinion = think(fitted_to(classifier, renamed), "An owl hunts at night", renamed)
    assert (opinion.topic, [step.parent for step in opinion.steps]) == ("fowl/owls", ["", "fowl"])
    assert fits(classifier, renamed)


def test_a_removed_topic_takes_nothing(classifier: TreeClassifier) -> None:
    left = tree_of(*[topic for topic in NOW[1:] if topic.id != OWLS])
    fitted = fitted_to(classifier, left)
    assert not fits(classifier, left)
    assert can_tell(fitted)
    opinion = think(fitted, "An owl hunts at night in the forest", left)
    assert (opinion.topic, opinion.others) == ("birds/OTHERS", True)
    assert [list(step.confidences) for step in opinion.steps] == [["birds", "sport"], ["birds/herons"]]
    assert think(fitted, "the grey heron wades and spears fish", left).topic == "birds/herons"
    assert classifier.planes(OWLS)  # the model itself stays as it was


def test_a_removed_parent_takes_all_below_it_along(classifier: TreeClassifier) -> None:
    left = tree_of(NOW[2])
    fitted = fitted_to(classifier, left)
    opinion = think(fitted, "An owl hunts at night in the forest", left)
    assert (opinion.topic, list(opinion.steps[0].confidences)) == ("OTHERS", ["sport"])
    assert think(fitted, "the team won the match", left).topic == "sport"


def test_a_moved_topic_is_judged_where_it_was_and_named_where_it_is(classifier: TreeClassifier) -> None:
    moved = tree_of(*NOW[1:3], Topic(OWLS, SPORT, "owls"), NOW[4])
    assert not fits(classifier, moved)
    opinion = think(fitted_to(classifier, moved), "An owl hunts at night in the forest", moved)
    assert opinion.topic == "sport/owls"
    assert [step.parent for step in opinion.steps] == ["", "birds"]


def test_a_topic_that_moved_away_from_a_removed_parent_is_not_found(classifier: TreeClassifier) -> None:
    moved = tree_of(NOW[2], Topic(OWLS, ROOT, "owls"))
    assert think(fitted_to(classifier, moved), "An owl hunts at night", moved).topic == "OTHERS"


def test_if_all_topics_are_gone_nothing_can_be_told(classifier: TreeClassifier) -> None:
    empty = tree_of(Topic(TopicId(9), ROOT, "gulls"))
    fitted = fitted_to(classifier, empty)
    assert not can_tell(fitted)
    opinion = think(fitted, "An owl hunts at night", empty)
    assert (opinion.topic, opinion.steps, opinion.about, opinion.terms) == ("OTHERS", (), "", ())


def test_a_new_topic_is_simply_unknown(classifier: TreeClassifier) -> None:
    grown = TopicTree([*NOW, Topic(TopicId(9), ROOT, "gulls")])
    assert fits(classifier, grown)
    assert think(fitted_to(classifier, grown), "An owl hunts at night", grown).topic == "birds/owls"
