"""One document, judged step by step."""

from collections.abc import Sequence

import numpy as np
import pytest

from motherlode.documents.analysis import enriched
from motherlode.documents.features.meanings import Meanings
from motherlode.documents.features.spaces import TERMS, Surroundings
from motherlode.learning.tree import TreeClassifier
from motherlode.records import ROOT, Document, Topic, TopicId
from motherlode.topics import TopicTree
from motherlode.training import topic_model
from motherlode.training.judgement_reasons import JudgementReasons, judge_with_reasons
from motherlode.training.samples import sample_of
from motherlode.training.topic_model import fits_tree, unpack_classifier, without_removed_topics
from motherlode.training.trainer import knows_topics
from support.word_vectors import tiny

BIRDS, SPORT, OWLS, HERONS = (TopicId(number) for number in (2, 3, 4, 5))
TEXTS = {
    OWLS: [
        "the barn owl hunts mice at night",
        "owls hoot in the forest at night",
        "the owl has silent feathers",
    ],
    HERONS: [
        "the grey heron wades and spears fish",
        "herons nest above the lake",
        "a heron stands in water",
    ],
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
    samples = {
        int(topic): [in_spaces(text, spaces) for text in texts] for topic, texts in TEXTS.items()
    }
    others = {int(ROOT): [in_spaces(text, spaces) for text in OTHERS]}
    return TreeClassifier(spaces=spaces).fit(parents, samples, others)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def classifier() -> TreeClassifier:
    return trained(TERMS)


def think(
    classifier: TreeClassifier, text: str, tree: TopicTree = TREE, max_terms: int = 20
) -> JudgementReasons:
    read = document(text)
    sample = sample_of(read, tuple(classifier.groups_), Surroundings())
    return judge_with_reasons(classifier, tree, sample, read, max_terms)


def test_the_way_down_is_told(classifier: TreeClassifier) -> None:
    reasons = think(classifier, "An owl hunts at night in the forest")
    assert (reasons.topic, reasons.about, reasons.others) == ("birds/owls", "birds/owls", False)
    assert [step.parent for step in reasons.steps] == ["", "birds"]
    first, second = (step.margins for step in reasons.steps)
    assert list(first) == ["birds", "sport"]  # the surest first
    assert list(second) == ["birds/owls", "birds/herons"]
    assert reasons.margin == pytest.approx(second["birds/owls"])


def test_the_terms_and_the_bias_make_the_confidence(classifier: TreeClassifier) -> None:
    reasons = think(classifier, "An owl hunts fish at night near the lake", max_terms=1000)
    bias = classifier.planes(OWLS)[TERMS].bias
    assert reasons.topic == "birds/owls"
    assert sum(term.part for term in reasons.terms) + bias == pytest.approx(
        reasons.margin, abs=1e-6
    )
    parts = [abs(term.part) for term in reasons.terms]
    assert parts == sorted(parts, reverse=True)


def test_terms_are_spelled_as_the_document_has_them(classifier: TreeClassifier) -> None:
    reasons = think(classifier, "OWLS and more owls; Hunting mice")
    assert {"owls", "hunting", "mice"} <= {term.word for term in reasons.terms}
    assert len(think(classifier, "An owl hunts mice at night", max_terms=2).terms) == 2


def test_what_no_topic_wants_goes_to_others_and_the_nearest_topic_is_explained(
    classifier: TreeClassifier,
) -> None:
    reasons = think(classifier, "the court heard the case of the onions near the lake")
    assert (reasons.topic, reasons.others, (reasons.margin or 0) < 0) == ("OTHERS", True, True)
    (step,) = reasons.steps
    assert reasons.about == next(iter(step.margins))
    assert reasons.margin == pytest.approx(next(iter(step.margins.values())))


def test_what_fits_no_topic_below_stays_with_its_parent(classifier: TreeClassifier) -> None:
    reasons = think(classifier, "feathers lake forest night water fish mice")
    assert reasons.topic in ("birds/OTHERS", "birds/owls", "birds/herons")
    assert (reasons.margin or 0) > 0


@pytest.mark.parametrize("text", ["", "ψωζ χκμ νλφ", "\x00\x1b[31m", "\ud800"])
def test_a_document_of_which_nothing_is_known_goes_to_others(
    classifier: TreeClassifier, text: str
) -> None:
    reasons = think(classifier, text)
    assert (reasons.topic, reasons.others, (reasons.margin or 0) < 0) == ("OTHERS", True, True)
    assert reasons.terms == ()


def test_several_spaces_are_explained_each(classifier: TreeClassifier) -> None:
    reasons = think(trained("terms", "pairs"), "The barn owl hunts mice at night")
    assert {term.space for term in reasons.terms} == {"terms", "pairs"}
    assert all(term.word.startswith("#") for term in reasons.terms if term.space == "pairs")
    assert think(classifier, "The barn owl hunts mice at night").topic == reasons.topic


@pytest.fixture
def knowing() -> TreeClassifier:
    """One that knows what a few words mean."""
    birds, others = (
        ("owl hawk feather nest", "heron owl wing nest"),
        ("court judge law", "hotel flight sea"),
    )
    of = [[in_spaces(text, (TERMS,)) for text in texts] for texts in (birds, others)]
    tree = TreeClassifier(meanings=tiny())
    return tree.fit({int(BIRDS): int(ROOT)}, {int(BIRDS): of[0]}, {int(ROOT): of[1]})  # type: ignore[dict-item]


def test_what_a_document_is_about_is_one_part_of_why(knowing: TreeClassifier) -> None:
    reasons = think(knowing, "owl sparrow finch nest", max_terms=1000)
    assert [term.word for term in reasons.terms if term.space == "semantic"] == ["what it is about"]
    bias = knowing.planes(BIRDS)[TERMS].bias
    assert sum(term.part for term in reasons.terms) + bias == pytest.approx(
        reasons.margin, abs=1e-6
    )
    assert (
        think(without_removed_topics(knowing, TREE), "owl sparrow finch nest", max_terms=1000)
        == reasons
    )


def test_a_kept_model_is_given_its_meanings_again(
    knowing: TreeClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_model, "word_meanings", tiny)
    text = "owl sparrow finch nest"
    assert think(unpack_classifier(knowing.pack()), text) == think(knowing, text)
    others = Meanings(np.array([], np.uint32), np.zeros((0, 3), np.int8), "others")
    monkeypatch.setattr(topic_model, "word_meanings", lambda: others)
    with pytest.raises(ValueError, match="another table of word meanings"):
        unpack_classifier(knowing.pack())
    assert unpack_classifier(trained(TERMS).pack()).meanings is None


# --- topics that are no more where they were ---


def tree_of(*topics: Topic) -> TopicTree:
    return TopicTree([NOW[0], *topics])


def test_a_renamed_topic_has_its_new_name(classifier: TreeClassifier) -> None:
    renamed = tree_of(Topic(BIRDS, ROOT, "fowl"), *NOW[2:])
    reasons = think(without_removed_topics(classifier, renamed), "An owl hunts at night", renamed)
    assert (reasons.topic, [step.parent for step in reasons.steps]) == ("fowl/owls", ["", "fowl"])
    assert fits_tree(classifier, renamed)


def test_a_removed_topic_takes_nothing(classifier: TreeClassifier) -> None:
    left = tree_of(*[topic for topic in NOW[1:] if topic.id != OWLS])
    fitted = without_removed_topics(classifier, left)
    assert not fits_tree(classifier, left)
    assert knows_topics(fitted)
    reasons = think(fitted, "An owl hunts at night in the forest", left)
    assert (reasons.topic, reasons.others) == ("birds/OTHERS", True)
    assert [list(step.margins) for step in reasons.steps] == [
        ["birds", "sport"],
        ["birds/herons"],
    ]
    assert think(fitted, "the grey heron wades and spears fish", left).topic == "birds/herons"
    assert classifier.planes(OWLS)  # the model itself stays as it was


def test_a_removed_parent_takes_all_below_it_along(classifier: TreeClassifier) -> None:
    left = tree_of(NOW[2])
    fitted = without_removed_topics(classifier, left)
    reasons = think(fitted, "An owl hunts at night in the forest", left)
    assert (reasons.topic, list(reasons.steps[0].confidences)) == ("OTHERS", ["sport"])
    assert think(fitted, "the team won the match", left).topic == "sport"


def test_a_moved_topic_is_judged_where_it_was_and_named_where_it_is(
    classifier: TreeClassifier,
) -> None:
    moved = tree_of(*NOW[1:3], Topic(OWLS, SPORT, "owls"), NOW[4])
    assert not fits_tree(classifier, moved)
    reasons = think(
        without_removed_topics(classifier, moved), "An owl hunts at night in the forest", moved
    )
    assert reasons.topic == "sport/owls"
    assert [step.parent for step in reasons.steps] == ["", "birds"]


def test_a_topic_that_moved_away_from_a_removed_parent_is_not_found(
    classifier: TreeClassifier,
) -> None:
    moved = tree_of(NOW[2], Topic(OWLS, ROOT, "owls"))
    assert (
        think(without_removed_topics(classifier, moved), "An owl hunts at night", moved).topic
        == "OTHERS"
    )


def test_if_all_topics_are_gone_nothing_can_be_told(classifier: TreeClassifier) -> None:
    empty = tree_of(Topic(TopicId(9), ROOT, "gulls"))
    fitted = without_removed_topics(classifier, empty)
    assert not knows_topics(fitted)
    reasons = think(fitted, "An owl hunts at night", empty)
    assert (reasons.topic, reasons.steps, reasons.about, reasons.terms) == ("OTHERS", (), "", ())


def test_a_new_topic_is_simply_unknown(classifier: TreeClassifier) -> None:
    grown = TopicTree([*NOW, Topic(TopicId(9), ROOT, "gulls")])
    assert fits_tree(classifier, grown)
    assert (
        think(without_removed_topics(classifier, grown), "An owl hunts at night", grown).topic
        == "birds/owls"
    )
