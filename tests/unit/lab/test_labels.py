"""Labels: which page is about what, in memory and in `labels.tsv`."""

from pathlib import Path

import pytest

from motherlode.lab.labels import Labels, read_labels, within, write_labels
from motherlode.records import BadInputError, NoSuchTopicError

LABELS = Labels(
    {
        "http://a.test/": {"Art"},
        "http://b.test/": {"Artists/Painters"},
        "http://c.test/": {"Art/Sculpture", "Art/Sculpture/Marble"},
        "http://d.test/": {"Art/Film", "Science"},
    }
)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "labels.tsv"
    path.write_bytes(content)
    return path


def test_topics_are_counted_with_their_sub_topics_and_a_page_once() -> None:
    assert LABELS.topics() == {
        "Art": 3,
        "Art/Film": 1,
        "Art/Sculpture": 1,
        "Art/Sculpture/Marble": 1,
        "Artists": 1,
        "Artists/Painters": 1,
        "Science": 1,
    }
    assert list(LABELS.topics()) == sorted(LABELS.topics())


def test_a_topic_has_its_own_pages_and_those_of_its_sub_topics() -> None:
    assert LABELS.relevant("Art") == {"http://a.test/", "http://c.test/", "http://d.test/"}
    assert LABELS.relevant("Art/Sculpture") == {"http://c.test/"}
    assert all(len(LABELS.relevant(topic)) == count for topic, count in LABELS.topics().items())


@pytest.mark.parametrize(
    ("path", "topic", "inside"),
    [
        ("Art", "Art", True),
        ("Art/Film", "Art", True),
        ("Artists", "Art", False),
        ("Art", "Art/Film", False),
        ("Art", "", False),
        ("art", "Art", False),
    ],
)
def test_a_topic_whose_name_begins_alike_is_another(path: str, topic: str, inside: bool) -> None:  # noqa: FBT001 - a case
    assert within(path, topic) is inside


def test_an_unknown_topic_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(
        NoSuchTopicError, match=r"^No page .* 'Art/Sculptures'; did you mean 'Art/Sculpture'\?$"
    ):
        LABELS.relevant("Art/Sculptures")
    with pytest.raises(NoSuchTopicError, match=r"'lode sandbox show WEB' lists its topics\.$"):
        LABELS.relevant("Qqq")
    with pytest.raises(NoSuchTopicError, match=r"^This web has no labels"):
        Labels({}).relevant("Art")


def test_a_page_without_a_label_has_no_topics() -> None:
    assert LABELS.of("http://e.test/") == frozenset()
    assert LABELS.of("http://d.test/") == {"Art/Film", "Science"}
    assert len(LABELS) == 4


def test_labels_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    write_labels(tmp_path / "labels.tsv", LABELS)
    assert dict(read_labels(tmp_path / "labels.tsv").items()) == dict(LABELS.items())


@pytest.mark.parametrize(
    "content",
    [
        b"http://a.test/\tArt\nhttp://b.test/\tScience/Physics\n",
        b"http://a.test/\tArt\r\nhttp://b.test/\tScience/Physics\r\n",
        b"\xef\xbb\xbfhttp://a.test/\tArt\nhttp://b.test/\tScience/Physics",
        b"\xef\xbb\xbf# a comment\n\n  \nHTTP://A.test:80\t Art/ \nhttp://b.test/#x\t/Science/Physics\n",
        b"http://a.test/\tArt\n" * 3 + b"http://b.test/\tScience/Physics\n",
    ],
    ids=["plain", "CRLF", "byte order mark", "comments and spellings", "duplicates"],
)
def test_a_file_is_read_however_it_was_saved(content: bytes, tmp_path: Path) -> None:
    labels = read_labels(written(tmp_path, content))
    assert dict(labels.items()) == {
        "http://a.test/": {"Art"},
        "http://b.test/": {"Science/Physics"},
    }


def test_a_page_may_have_several_topics_on_several_lines(tmp_path: Path) -> None:
    labels = read_labels(written(tmp_path, b"http://a.test/\tArt\nhttp://a.test\tScience\n"))
    assert labels.of("http://a.test/") == {"Art", "Science"}


def test_a_topic_may_have_characters_that_end_lines_elsewhere(tmp_path: Path) -> None:
    labels = read_labels(written(tmp_path, "http://a.test/\tArt\u2028and\x0cmore\x85\n".encode()))
    assert labels.of("http://a.test/") == {"Art\u2028and\x0cmore"}


def test_a_web_without_the_file_has_no_labels(tmp_path: Path) -> None:
    assert len(read_labels(tmp_path / "labels.tsv")) == 0


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (
            b"http://a.test/\tArt\nhttp://b.test/ Art\n",
            "line 2: expected a URL, a tab and a topic's path.",
        ),
        (b"#\r\n\r\nhttp://a.test/\t / \r\n", "line 3: expected a URL, a tab and a topic's path."),
        (b"\tArt\n", "line 1: '' cannot be crawled"),
        (
            b"http://a.test/\tArt\nmailto:a@b.test\tArt\n",
            "line 2: 'mailto:a@b.test' cannot be crawled",
        ),
        (b"http://a.test/\tArt\n\xff\tArt\n", "is not UTF-8 text"),
        (b"http://a.test/\tArt\tmore\n", "line 1: expected a URL, a tab and a topic's path."),
    ],
)
def test_a_line_that_is_no_label_is_refused_by_its_number(
    content: bytes, complaint: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(BadInputError) as refused:
        read_labels(path)
    assert str(path) in str(refused.value)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        read_labels(tmp_path)
