"""A topic tree out of bookmarks, seeds and queries."""

import pytest

from motherlode.records import Bookmark, Folder, Origin
from motherlode.topics import Planting, parse_path, plant, plant_found, plant_query, plant_seeds
from motherlode.urls import UrlError, UrlRules

RULES = UrlRules()


def folder(name: str, *urls: str, folders: tuple[Folder, ...] = ()) -> Folder:
    return Folder(name, tuple(Bookmark(url) for url in urls), folders)


def planted(planting: Planting) -> dict[str, list[str | None]]:
    return {
        "/".join(topic.path): [example.url for example in topic.examples]
        for topic in planting.topics
    }


def test_folders_become_topics_parents_first() -> None:
    tree = folder(
        "", folders=(folder("A", "http://a/", folders=(folder("B", "http://b/"),)), folder("C"))
    )
    assert planted(plant(tree, "file", RULES)) == {
        "A": ["http://a/"],
        "A/B": ["http://b/"],
        "C": [],
    }


def test_loose_bookmarks_beside_folders_belong_to_the_root() -> None:
    tree = folder("", "http://loose/", folders=(folder("A", "http://a/"),))
    assert planted(plant(tree, "file", RULES)) == {"": ["http://loose/"], "A": ["http://a/"]}


def test_a_flat_file_is_one_topic_named_after_it() -> None:
    assert planted(plant(folder("", "http://a/", "http://b/"), "birds", RULES)) == {
        "birds": ["http://a/", "http://b/"]
    }


def test_a_flat_file_may_have_counterexamples() -> None:
    tree = folder("", "http://a/", folders=(folder("Others", "http://no/"),))
    assert planted(plant(tree, "birds", RULES)) == {
        "birds": ["http://a/"],
        "OTHERS": ["http://no/"],
    }


def test_everything_below_others_is_others() -> None:
    tree = folder(
        "",
        folders=(
            folder(
                "A", folders=(folder("oThErS", "http://n/", folders=(folder("X", "http://m/"),)),)
            ),
        ),
    )
    assert planted(plant(tree, "f", RULES)) == {"A": [], "A/OTHERS": ["http://n/", "http://m/"]}


def test_folders_of_one_name_are_one_topic() -> None:
    tree = folder(
        "", folders=(folder("A", "http://a/"), folder("A", "http://b/", "http://a/#again"))
    )
    assert planted(plant(tree, "f", RULES)) == {"A": ["http://a/", "http://b/"]}


def test_what_cannot_be_crawled_is_counted() -> None:
    planting = plant(folder("", "javascript:x", "place:y", "place:z", "http://a/"), "f", RULES)
    assert planted(planting) == {"f": ["http://a/"]}
    assert planting.skipped == {"scheme 'javascript'": 1, "scheme 'place'": 2}


def test_names_are_made_fit() -> None:
    tree = folder("", folders=(folder(" TCP/IP \x07\n notes "), folder("\x00")))
    assert list(planted(plant(tree, "f", RULES))) == ["TCP-IP notes", "unnamed"]


def test_seeds() -> None:
    planting = plant_seeds([(("A",), ["http://a?utm_source=x", "http://a/"])], RULES)
    assert planted(planting) == {"A": ["http://a/"]}
    with pytest.raises(UrlError):
        plant_seeds([(("A",), ["nothing"])], RULES)


def test_a_query_is_a_virtual_document() -> None:
    (topic,) = plant_query("  open source\n ARIES recovery ").topics
    assert topic.path == ("open source ARIES recovery",)
    assert topic.examples[0].url is None
    assert topic.examples[0].text == "open source ARIES recovery"
    assert topic.examples[0].origin is Origin.QUERY


def test_pages_that_were_found_are_examples_by_a_persons_choice() -> None:
    pages = [("http://a/", "A" * 1_000), ("http://b/", ""), ("http://a/", "again")]
    (topic,) = plant_found([(("birds", "owls"), pages)]).topics
    assert (topic.path, [one.url for one in topic.examples]) == (
        ("birds", "owls"),
        ["http://a/", "http://b/"],
    )
    assert {one.origin for one in topic.examples} == {Origin.FEEDBACK}
    assert all(len(one.title) <= 500 for one in topic.examples)


def test_paths() -> None:
    assert parse_path("science/physics") == ("science", "physics")
    assert parse_path("/science/ physics /") == ("science", "physics")
    assert parse_path("/") == ()


def test_a_flat_file_called_others_is_no_counterexample() -> None:
    assert planted(plant(folder("", "http://a/"), "others", RULES)) == {"bookmarks": ["http://a/"]}
