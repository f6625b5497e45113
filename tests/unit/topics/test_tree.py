"""The topic tree: look-ups, and the edits it refuses."""

import pytest

from motherlode.records import ROOT, NoSuchTopicError, Topic, TopicError, TopicId
from motherlode.topics import TopicTree

SCIENCE, PHYSICS, ARTS, OTHERS = (TopicId(number) for number in (2, 3, 4, 5))
TREE = TopicTree(
    [
        Topic(ROOT, None, ""),
        Topic(SCIENCE, ROOT, "Science"),
        Topic(PHYSICS, SCIENCE, "Physics"),
        Topic(ARTS, ROOT, "Arts"),
        Topic(OTHERS, ROOT, "OTHERS", is_others=True),
    ]
)


def test_topics_come_parents_first() -> None:
    assert [topic.id for topic in TREE] == [SCIENCE, PHYSICS, ARTS, OTHERS]
    assert len(TREE) == 4


def test_paths_lead_to_topics_and_back() -> None:
    assert TREE.path(PHYSICS) == ("Science", "Physics")
    assert TREE.at(("science", "PHYSICS")).id == PHYSICS
    assert TREE.at(()).id == ROOT
    assert TREE.descendants(SCIENCE) == [SCIENCE, PHYSICS]


def test_a_wrong_path_is_told_the_nearest_right_one() -> None:
    with pytest.raises(NoSuchTopicError, match="did you mean 'Science/Physics'"):
        TREE.at(("Science", "Phisics"))


def test_siblings_differ_in_more_than_case() -> None:
    with pytest.raises(TopicError, match="'Science' already"):
        TREE.check_name(ROOT, "SCIENCE")
    TREE.check_name(SCIENCE, "Science")
    TREE.check_rename(TREE[SCIENCE], "SCIENCE")


def test_a_topic_cannot_move_below_itself() -> None:
    with pytest.raises(TopicError, match="below itself"):
        TREE.check_move(TREE[SCIENCE], TREE[PHYSICS])
    TREE.check_move(TREE[PHYSICS], TREE[ARTS])


def test_others_is_a_leaf_and_keeps_its_name() -> None:
    with pytest.raises(TopicError, match="no topics below"):
        TREE.check_name(OTHERS, "x")
    with pytest.raises(TopicError, match="keeps its name"):
        TREE.check_rename(TREE[OTHERS], "Rest")
    with pytest.raises(TopicError, match="keeps its name"):
        TREE.check_rename(TREE[ARTS], "others")


def test_the_root_stays() -> None:
    for check in (TREE.check_remove, lambda topic: TREE.check_rename(topic, "x")):
        with pytest.raises(TopicError, match="root"):
            check(TREE[ROOT])
