"""Searches in a hand-made portal: results, their order, and the parts of their scores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from motherlode.records import LodeError, NoSuchTopicError
from motherlode.search import service
from motherlode.search.query import QueryError
from motherlode.search.query_builder import Filters
from motherlode.urls import address
from support.databases import DATABASES, fresh_database
from support.search_portals import DAY, START, SamplePage, fill_portal, found_hosts, search_portal

LONG_TEXT = (
    "Owls are birds of prey that hunt by night, with ears that hear the faintest rustle of a mouse "
    "in the grass and feathers that make no sound when they glide over the meadows and along the "
    "edges of woods."
)
PAGES = {
    "http://barn.test/": SamplePage(
        "The barn owl",
        "The barn owl hunts mice in the night.",
        topic="birds/owls",
        confidence=0.9,
    ),
    "http://owls.test/": SamplePage(
        "Owls",
        "Owls of the world: the owl in the barn hunts at night.",
        topic="birds/owls",
        confidence=0.2,
        day=2,
    ),
    "http://heron.test/": SamplePage(
        "Herons",
        "The grey heron spears fish at night.",
        topic="birds",
        confidence=0.4,
        day=4,
    ),
    "http://news.test/": SamplePage(
        "News",
        "The minister said nothing of birds.",
        menu="owl news",
        day=6,
    ),
    "http://eule.test/": SamplePage(
        "Eulen",
        "Die Eulen jagen in der Nacht nach Mäusen.",
        language="de",
        day=8,
    ),
    "http://hub.test/": SamplePage(
        "Links",
        "Where to read on.",
        links={"http://barn.test/": "nocturnal hunters", "http://heron.test/": "wading birds"},
    ),
    "http://hub2.test/": SamplePage(
        "More links",
        "Elsewhere.",
        links={"http://barn.test/": "silent flight"},
    ),
    "http://hub3.test/": SamplePage(
        "Still more",
        "Somewhere.",
        links={"http://barn.test/": "silent flight"},
    ),
    "http://moor.test/": SamplePage(
        "Wetlands",
        "Bitterns and their reeds\nThe bittern booms in the reeds; crakes are heard as well.",
        headings=("Bitterns and their reeds", "Apart from crakes"),
    ),
    "http://paper.test/a.pdf": SamplePage(
        "Pellets",
        headings=(),
        text="What the pellets of raptors hold.",
        mime="application/pdf",
    ),
    "http://one.twins.test/": SamplePage("Twins", f"{LONG_TEXT} It was written here."),
    "http://two.twins.test/": SamplePage("Twins", f"{LONG_TEXT} It was written there."),
    "http://tokyo.test/": SamplePage("首都", "東京都は日本の首都である。猫もいる。", language="ja"),
    "http://kyoto.test/": SamplePage("古都", "京都は日本の古い都市で、東にある。", language="ja"),
    "http://seoul.test/": SamplePage("서울", "대한민국의 수도는 서울입니다.", language="ko"),
    "http://odd.test/": SamplePage("Odd", "H2O and TCP/IP are no words, nor is 2003. Owlets are."),
}


@pytest.fixture(scope="module", params=DATABASES)
def portal(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Path]:
    with fresh_database(request) as url:
        folder = tmp_path_factory.mktemp("search")
        yield fill_portal(folder / "p", PAGES, ("birds", "birds/owls", "politics"), url)


@pytest.mark.parametrize(
    ("query", "hosts"),
    [
        ("barn owls", {"barn", "owls"}),  # with any endings
        ("hunting", {"barn", "owls", "one.twins"}),
        ("the barn", {"barn", "owls"}),  # stopwords are ignored
        ('"barn owl"', {"barn"}),
        ('"owl barn"', set()),
        ('"owl in the barn"', {"owls"}),
        ("Eule", {"eule"}),  # German is stemmed as German
        ("maus", {"eule"}),
        ("heron OR eulen", {"heron", "eule"}),
        ("night NOT owl", {"heron"}),
        ("night -barn -prey", {"heron"}),
        ("(heron OR barn) AND night", {"heron", "barn", "owls"}),
        (
            "NOT night",
            {
                "news",
                "eule",
                "hub",
                "hub2",
                "hub3",
                "paper",
                "odd",
                "moor",
                "tokyo",
                "kyoto",
                "seoul",
            },
        ),
        ("title:owl", {"barn", "owls"}),
        ("headings:bittern", {"moor"}),  # stemmed, too
        ('headings:"their reeds"', {"moor"}),
        ("headings:booms", set()),
        ("headings:owl", set()),
        ('"apart from crakes"', {"moor"}),  # a heading that is no line of the text
        ('main:"apart from"', set()),
        ("text:minister", {"news"}),
        ('text:"owl news"', {"news"}),
        ("main:owl", {"barn", "owls", "one.twins"}),
        ("anchor:silent", {"barn"}),
        ("wading", {"heron"}),  # an anchor text
        ("url:paper", {"paper"}),
        ("site:twins.test", {"one.twins"}),
        ("site:one.twins.test", {"one.twins"}),
        ("type:pdf", {"paper"}),
        ("type:application/pdf", {"paper"}),
        ("language:de", {"eule"}),
        ("topic:birds night", {"barn", "owls", "heron"}),
        ('topic:"birds/owls"', {"barn", "owls"}),
        ("owle*", {"odd"}),
        ("hreon~", {"heron"}),
        ("H2O", {"odd"}),
        ("tcp/ip", {"odd"}),
        ("2003", {"odd"}),
        ("zebra", set()),
        ("東京", {"tokyo"}),  # there are no blanks between words
        ("日本", {"tokyo", "kyoto"}),
        ("京都", {"tokyo", "kyoto"}),  # two ideographs side by side, also of different words
        ("首都 猫", {"tokyo"}),
        ("猫", {"tokyo"}),  # a single ideograph is a word
        ('"日本の首都"', {"tokyo"}),
        ('"日本首都"', set()),
        ("東*", {"tokyo", "kyoto"}),
        ("title:古都", {"kyoto"}),
        ("日本 NOT 東京", {"kyoto"}),
        ("서울", {"seoul"}),  # also before a particle
        ("수도", {"seoul"}),
        ("die", {"eule"}),  # a stopword, but there is no other word
    ],
)
def test_a_query_finds_the_pages_that_match(portal: Path, query: str, hosts: set[str]) -> None:
    assert set(found_hosts(portal, query, limit=100)) == hosts


def test_with_any_word_one_word_is_enough(portal: Path) -> None:
    assert found_hosts(portal, "heron zebra") == []
    assert found_hosts(portal, "heron zebra", any_word=True) == ["heron"]


def test_filters_exclude_pages(portal: Path) -> None:
    def left(**conditions: Any) -> list[str]:
        return sorted(found_hosts(portal, "night OR nacht", filters=Filters(**conditions)))

    assert left() == ["barn", "eule", "heron", "one.twins", "owls"]
    assert left(languages=("de",)) == ["eule"]
    assert left(sites=("barn.test", "heron.test")) == ["barn", "heron"]
    assert left(types=("pdf",)) == []
    assert left(since=START + 3 * DAY) == ["eule", "heron"]
    assert left(since=START + 2 * DAY, until=START + 4 * DAY) == ["owls"]
    assert left(until=START) == []


def test_a_page_of_a_subtopic_is_found_under_its_ancestors(portal: Path) -> None:
    assert sorted(found_hosts(portal, "night", topic="birds")) == ["barn", "heron", "owls"]
    assert sorted(found_hosts(portal, "night", topic="birds/owls")) == ["barn", "owls"]
    assert sorted(found_hosts(portal, topic="/")) == ["barn", "heron", "owls"]
    with pytest.raises(NoSuchTopicError):
        found_hosts(portal, "night", topic="fish")
    with pytest.raises(NoSuchTopicError):
        found_hosts(portal, "topic:fish")


def test_each_ranking_has_its_own_order(portal: Path) -> None:
    assert found_hosts(portal, "night", "confidence", topic="birds") == ["barn", "heron", "owls"]
    assert found_hosts(portal, "barn OR links", "authority")[0] == "barn"
    assert found_hosts(portal, "night", "authority", topic="birds")[0] == "barn"
    assert found_hosts(portal, "owls", "bm25")[:2] == ["owls", "barn"]
    results = search_portal(portal, "owls", "cosine").results
    cosines = [result.why[0].value for result in results]
    assert cosines == sorted(cosines, reverse=True)
    assert 0 < cosines[-1] < cosines[0] < 1


def test_the_score_is_the_sum_of_its_parts(portal: Path) -> None:
    results = search_portal(portal, "night", "cosine=1,confidence=0.5,authority=0.5").results
    for result in results:
        assert [part.name for part in result.why] == ["cosine", "confidence", "authority"]
        assert [part.weight for part in result.why] == [0.5, 0.25, 0.25]
        assert result.score == pytest.approx(sum(part.contribution for part in result.why))
        assert all(0 <= part.scaled <= 1 for part in result.why)
    assert max(result.why[0].scaled for result in results) == 1.0
    assert results[0].why[1].value == 0.9


def test_a_cosine_is_as_computed_by_hand(portal: Path) -> None:
    result = search_portal(portal, "pellets", "cosine").results[0]
    assert result.url == "http://paper.test/a.pdf"
    # "pellet" twice (title and text), "raptor" and "hold" once; "what", "the", "of" are stopwords
    damped = 1 + 0.6931471805599453
    assert result.why[0].value == pytest.approx(damped / (damped**2 + 1 + 1) ** 0.5)


@pytest.mark.parametrize(
    "query",
    ["barn owl", "bittern OR crakes", '"barn owl"', "mouse OR maus OR owl*"],
)
def test_the_contributions_of_the_fields_add_up_to_bm25(portal: Path, query: str) -> None:
    results = search_portal(portal, query, "bm25", places=True).results
    assert results
    for result in results:
        assert sum(result.places.values()) == pytest.approx(result.why[0].value, rel=1e-4)


def test_titles_count_more_than_headings_and_headings_more_than_text(tmp_path: Path) -> None:
    filler = "Some words about other things that fill the page."
    text = f"Ospreys here\n{filler}"
    pages = {
        "http://text.test/": SamplePage("Page", f"{text} One."),
        "http://head.test/": SamplePage("Page", f"{text} Two.", headings=("Ospreys here",)),
        "http://title.test/": SamplePage("Ospreys here", f"{text} Three."),
    }
    path = fill_portal(tmp_path / "p", pages)
    for query in ("osprey", '"ospreys here"'):
        results = search_portal(path, query, "bm25", places=True).results
        assert [(result.url, set(result.places)) for result in results] == [
            ("http://title.test/", {"title", "text"}),
            ("http://head.test/", {"headings", "text"}),
            ("http://text.test/", {"text"}),
        ]


def test_without_words_all_pages_of_a_topic_are_ranked(
    portal: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "MAX_RANKED_WITH_COSINE", 1)
    monkeypatch.setattr(service, "MAX_RANKED_WITHOUT_COSINE", 1)
    assert found_hosts(portal, topic="birds") == ["barn", "heron", "owls"]
    assert search_portal(portal, topic="birds").weights == {"confidence": 1.0}
    assert found_hosts(portal, "topic:birds") == ["barn", "heron", "owls"]
    assert found_hosts(portal, "topic:birds", "bm25") == ["barn", "heron", "owls"]
    results = search_portal(portal, topic="birds", rank="cosine=1,topic=1,authority=2")
    assert results.ranked == results.total == 3
    assert results.weights == {
        "confidence": pytest.approx(1 / 3),
        "authority": pytest.approx(2 / 3),
    }
    assert [part.name for part in results.results[0].why] == ["confidence", "authority"]
    assert search_portal(portal, "night").ranked == 1  # words: only the best by BM25
    by_confidence = search_portal(portal, "night", "confidence", topic="birds")
    assert by_confidence.ranked == 3  # the order does not depend on BM25


def first_part_values(portal: Path, query: str, rank: str, **options: Any) -> dict[str, float]:
    """Return the unscaled value of the first part of each result's score, by URL."""
    results = search_portal(portal, query, rank, **options).results
    return {result.url: result.why[0].value for result in results}


def test_the_topic_of_most_matches_counts_most(portal: Path) -> None:
    values = first_part_values(portal, "night", "topic", topic="birds")
    assert values["http://barn.test/"] == 0.9  # two of the three pages are on owls
    assert 0 < values["http://heron.test/"] < 0.4
    assert search_portal(portal, "minister", "topic").results[0].why[0].value == 0  # on no topic


def test_only_links_between_results_give_authority(portal: Path) -> None:
    values = first_part_values(portal, "hunters OR wading", "authority")
    assert set(values.values()) == {0.0}  # the pages that link to them are no results
    values = first_part_values(portal, "barn OR links", "authority")
    assert values["http://barn.test/"] > 0
    assert values["http://hub.test/"] == 0


def test_near_duplicates_are_folded(portal: Path) -> None:
    results = search_portal(portal, "rustle")
    assert (results.total, len(results.results)) == (2, 1)
    assert results.results[0].alike == ("http://two.twins.test/",)
    assert results.results[0].alike_count == 1


def test_results_come_in_pages(portal: Path) -> None:
    all_hosts = found_hosts(portal, "night OR nacht", limit=10)
    first = search_portal(portal, "night OR nacht", limit=3)
    second = search_portal(portal, "night OR nacht", limit=3, page=2)
    assert (first.more, second.more) == (True, False)
    results = (*first.results, *second.results)
    assert [result.place for result in results] == [1, 2, 3, 4, 5]
    assert [result.url.split("/")[2][:-5] for result in results] == all_hosts
    assert search_portal(portal, "night", limit=3, page=9).results == ()


def test_words_are_marked_in_snippets(portal: Path) -> None:
    def marked_words(query: str) -> set[str]:
        snippet = search_portal(portal, query).results[0].snippet
        return {snippet.text[start:end] for start, end in snippet.marks}

    assert marked_words("hunting mice site:barn.test") == {"hunts", "mice"}
    assert marked_words('"barn owl"') == {"barn", "owl"}
    assert marked_words("hreon~") == {"heron"}
    assert marked_words("spea*") == {"spears"}
    assert marked_words("eule") == {"Eulen"}
    assert marked_words("title:pellets -zebra") == {"pellets"}
    assert marked_words("headings:reed") == {"reeds"}
    assert marked_words("h2o") == {"H2O"}
    assert marked_words("東京 猫") == {"東京", "猫"}
    assert marked_words('"日本の首都"') == {"日本の首都"}
    assert marked_words("수도") == {"수도"}


def test_similar_pages_are_found_without_the_page_itself(portal: Path) -> None:
    like = found_hosts(portal, like=address("http://barn.test/"))
    assert like[0] == "owls"
    assert "barn" not in like
    assert found_hosts(portal, like=address("http://barn.test/"), topic="politics") == []
    with pytest.raises(LodeError, match="has no page at"):
        found_hosts(portal, like=address("http://nowhere.test/"))


def test_a_query_without_letters_is_refused(portal: Path) -> None:
    with pytest.raises(QueryError, match="no letters or digits"):
        found_hosts(portal, "++ §")


def test_a_query_of_any_bytes_is_answered(portal: Path) -> None:
    assert "barn" in found_hosts(portal, "owl\udc80")
    assert found_hosts(portal, "\U0001f989 owl", any_word=True)
