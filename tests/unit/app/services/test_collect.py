"""`lode collect`: subjects from files, hits from sources, what is said of what is missing."""

from pathlib import Path

import pytest

from motherlode.app.requests.collect import CollectRequest
from motherlode.app.services.collect import (
    centroids_in,
    find_hits,
    open_collection_portal,
    subjects_in,
)
from motherlode.portal import Portal, create_portal
from motherlode.portal.directory import config_of
from motherlode.records import BadInputError, Origin, UsageError
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import plant_query

SANDBOX = ("network.connect=127.0.0.1:1",)
HITS = "".join(f"Birds,http://b.test/{number}\n" for number in range(5))


@pytest.fixture
def hits(tmp_path: Path) -> str:
    path = tmp_path / "hits.csv"
    path.write_text(f"{HITS}Trains,http://t.test/1\n", "utf-8")
    return f"file:{path}"


def request(**values: object) -> CollectRequest:
    return CollectRequest(settings=SANDBOX, **values)  # type: ignore[arg-type]


def test_a_subject_a_line_with_comments_paths_and_repetitions(tmp_path: Path) -> None:
    path = tmp_path / "subjects.txt"
    path.write_text("\ufeffBirds\n# no subject\n\nmaths/linear algebra\r\nBirds\n", "utf-8")
    paths = subjects_in(request(subjects=str(path), subject=("Trains",)))
    assert paths == [("Birds",), ("maths", "linear algebra"), ("Trains",)]


def test_the_folders_of_a_bookmark_file_are_subjects(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.html"
    path.write_text(
        "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><H3>Science</H3><DL><DT><H3>Optics</H3>"
        '<DL><DT><A HREF="http://a.test/">a</A></DL></DL></DL>',
        "utf-8",
    )
    assert subjects_in(request(subjects=str(path))) == [("Science", "Optics")]


@pytest.mark.parametrize(("content", "sentence"), [(b"", "names no subject"), (b"\xff", "UTF-8")])
def test_a_file_without_subjects_is_told(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "subjects.txt"
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=sentence):
        subjects_in(request(subjects=str(path)))
    with pytest.raises(UsageError, match="cannot be read"):
        subjects_in(request(subjects=str(tmp_path / "none.txt")))


def test_a_new_portal_has_its_subjects_seeds_and_sources(tmp_path: Path, hits: str) -> None:
    directory = tmp_path / "p"
    asked = request(
        subject=("Birds", "Trains"),
        source=(hits,),
        seed=("http://Seed.test",),
        setting="focused",
        hits=5,
    )
    place = open_collection_portal(directory, asked)
    config = config_of(directory)
    assert (place.is_new, place.subjects) == (True, 2)
    assert config.crawl.policy == "tunnel"
    assert config.crawl.seeds == ("http://seed.test/",)
    assert config.tunnel.sources == (hits,)
    assert (config.tunnel.threshold, config.tunnel.cutoff, config.tunnel.max_hits) == (0.35, 0.0, 5)


def test_hits_are_asked_for_once_and_a_thin_subject_is_named(tmp_path: Path, hits: str) -> None:
    directory = tmp_path / "p"
    asked = request(subject=("Birds", "Trains"), source=(hits,))
    open_collection_portal(directory, asked)
    (sentence,) = find_hits(directory, asked)
    assert "'Trains' (1)" in sentence
    assert find_hits(directory, request()) == []
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        examples = topic_rows.examples_of(session)
    assert sum(example.origin is Origin.HIT for example in examples) == 6
    views = {view.subject: view for view in centroids_in(directory)}
    assert len(views["Birds"].hits) == 5
    assert "are needed" in views["Trains"].dropped


def test_a_new_subject_of_an_old_portal_is_asked_for_by_the_same_source(
    tmp_path: Path, hits: str
) -> None:
    directory = tmp_path / "p"
    open_collection_portal(directory, request(subject=("Birds",), source=(hits,)))
    find_hits(directory, request())
    place = open_collection_portal(
        directory, request(subject=("Trains",), seed=("http://s.test/",))
    )
    assert not place.is_new
    assert "'Trains' (1)" in find_hits(directory, request())[0]
    assert config_of(directory).crawl.seeds == ("http://s.test/",)


def test_without_subjects_or_source_a_new_portal_is_refused(tmp_path: Path, hits: str) -> None:
    with pytest.raises(UsageError, match="--subjects FILE"):
        open_collection_portal(tmp_path / "p", request(source=(hits,)))
    with pytest.raises(UsageError, match="--source"):
        open_collection_portal(tmp_path / "p", request(subject=("Birds",)))
    assert not (tmp_path / "p").exists()


def test_a_source_without_any_hit_is_told_and_nothing_is_crawled(tmp_path: Path, hits: str) -> None:
    asked = request(subject=("Unheard of",), source=(hits,))
    open_collection_portal(tmp_path / "p", asked)
    with pytest.raises(BadInputError, match="No subject has hits"):
        find_hits(tmp_path / "p", asked)


def test_what_is_left_of_the_limits_is_asked_for_again() -> None:
    assert request(pages=100, time="10m").remaining(40, 60.0) == request(pages=60, time="540s")


def test_a_portal_for_something_else_is_refused(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", plant_query("owls"), {})
    with pytest.raises(UsageError, match="crawled by bingo, not for collections"):
        open_collection_portal(tmp_path / "p", request())
