"""A topic without examples of its own, and with one sub-topic that has some, is that sub-topic."""

from motherlode.documents.features.spaces import Sample
from motherlode.documents.text.terms import bag_of
from motherlode.learning.counterexamples import Counterexamples
from motherlode.policies.bingo.study import only_subtopics
from motherlode.records import Document, Example, TopicId
from motherlode.training.training_document import TrainingDocument
from motherlode.training.training_set import DocumentsByTopic, TrainingSet

ANIMALS, BIRDS, OWLS, FISH = 2, 3, 4, 5
PARENTS = {ANIMALS: 1, BIRDS: ANIMALS, OWLS: BIRDS, FISH: ANIMALS}


def training_set(*topics: int, counterexamples_of: int = 0) -> TrainingSet:
    sample: Sample = {"terms": bag_of("owl nest")}
    user = {counterexamples_of: Counterexamples[Sample](user=(sample,))}
    others = user if counterexamples_of else {}
    documents: DocumentsByTopic = {
        topic: (TrainingDocument(Example(TopicId(topic), "http://a.test/"), sample, Document()),)
        for topic in topics
    }
    return TrainingSet(parents=PARENTS, documents=documents, others=others)


def test_a_chain_of_topics_is_one_topic_and_higher_ones_come_first() -> None:
    assert list(only_subtopics(training_set(OWLS)).items()) == [(ANIMALS, BIRDS), (BIRDS, OWLS)]


def test_a_topic_with_examples_of_its_own_or_with_two_sub_topics_is_more_than_one() -> None:
    assert only_subtopics(training_set(ANIMALS, OWLS)) == {BIRDS: OWLS}
    assert only_subtopics(training_set(BIRDS, FISH)) == {}


def test_counterexamples_of_a_user_tell_a_topic_from_its_sub_topic() -> None:
    assert only_subtopics(training_set(BIRDS, counterexamples_of=ANIMALS)) == {}
