"""What is found in a hand-made portal, in which order, and why."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.records import LodeError, NoSuchTopicError
from motherlode.search import service as searching
from motherlode.search.query import QueryError
from motherlode.search.query_builder import Filters
from motherlode.urls import address
from support.databases import DATABASES, fresh_database
from support.search_portals import DAY, START, Paper, found, searched, shelve

LONG = (
    "Owls are birds of prey that hunt by night, with ears that hear the faintest rustle of a mouse in the "
    "grass and feathers that make no sound when they glide over the meadows and along the edges of woods."
)
PAPERS = {
    "http://barn.test/": Paper(
        "The barn owl", "The barn owl hunts mice in the night.", topic="birds/owls", confidence=0.9
    ),
    "http://owls.test/": Paper(
        "Owls",
        "Owls of the world: the owl in the barn hunts at night.",
        topic="birds/owls",
        confidence=0.2,
        day=2,
    ),
    "http://heron.test/": Paper(
        "Herons", "The grey heron spears fish at night.", topic="birds", confidence=0.4, day=4
    ),
    "http://news.test/": Paper("News", "The minister said nothing of birds.", menu="owl news", day=6),
    "http://eule.test/": Paper("Eulen", "Die Eulen jagen in der Nacht nach Mäusen.", language="de", day=8),
    "http://hub.test/": Paper(
        "Links",
        "Where to read on.",
        links={"http://barn.test/": "nocturnal hunters", "http://heron.test/": "wading birds"},
    ),
    "http://hub2.test/": Paper("More links", "Elsewhere.", links={"http://barn.test/": "silent flight"}),
    "http://hub3.test/": Paper("Still more", "Somewhere.", links={"http://barn.test/": "silent flight"}),
    "http://moor.test/": Paper(
        "Wetlands",
        "Bitterns and their reeds\nThe bittern booms in the reeds; crakes are heard as well.",
        headings=("Bitterns and their reeds", "Apart from crakes"),
    ),
    "http://paper.test/a.pdf": Paper(
        "Pellets", headings=(), text="What the pellets of raptors hold.", mime="application/pdf"
    ),
    "http://one.twins.test/": Paper("Twins", f"{LONG} It was written here."),
    "http://two.twins.test/": Paper("Twins", f"{LONG} It was written there."),
    "http://tokyo.test/": Paper("首都", "東京都は日本の首都である。猫もいる。", language="ja"),
    "http://kyoto.test/": Paper("古都", "京都は日本の古い都市で、東にある。", language="ja"),
    "http://seoul.test/": Paper("서울", "대한민국의 수도는 서울입니다.", language="ko"),
    "http://odd.test/": Paper("Odd", "H2O and TCP/IP are no words, nor is 2003. Owlets are."),
}


@pytest.fixture(scope="module", params=DATABASES)
def portal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with fresh_database(request) as url:
        folder = tmp_path_factory.mktemp("search")
        yield shelve(folder / "p", PAPERS, ("birds", "birds/owls", "politics"), url)


@pytest.mark.parametrize(
    ("query", "hosts"),
    [
        ("barn owls", {"barn", "owls"}),  # whatever their endings
        ("hunting", {"barn", "owls", "one.twins"}),
        ("the barn", {"barn", "owls"}),  # words that say nothing are passed over
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
            {"news", "eule", "hub", "hub2", "hub3", "paper", "odd", "moor", "tokyo", "kyoto", "seoul"},
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
        ("wading", {"heron"}),  # what links to it say
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
        ("東京", {"tokyo"}),  # nobody parts the words of a sentence
        ("日本", {"tokyo", "kyoto"}),
        ("京都", {"tokyo", "kyoto"}),  # two signs side by side, whatever they mean
        ("首都 猫", {"tokyo"}),
        ("猫", {"tokyo"}),  # a single sign is a word
        ('"日本の首都"', {"tokyo"}),
        ('"日本首都"', set()),
        ("東*", {"tokyo", "kyoto"}),
        ("title:古都", {"kyoto"}),
        ("日本 NOT 東京", {"kyoto"}),
        ("서울", {"seoul"}),  # and particles do not hide a word
        ("수도", {"seoul"}),
        ("die", {"eule"}),  # it says nothing, but nothing else was asked for
    ],
)
def test_a_query_finds_what_it_asks_for(portal: Path, query: str, hosts: set[str]) -> None:
    assert set(found(portal, query, limit=100)) == hosts


def test_any_of_the_words_will_do_on_demand(portal: Path) -> None:
    assert found(portal, "heron zebra") == []
    assert found(portal, "heron zebra", any_word=True) == ["heron"]


def test_filters_leave_out_what_does_not_fit(portal: Path) -> None:
    def left(**parts: object) -> list[str]:
        return sorted(found(portal, "night OR nacht", filters=Filters(**parts)))  # type: ignore[arg-type]

    assert left() == ["barn", "eule", "heron", "one.twins", "owls"]
    assert left(languages=("de",)) == ["eule"]
    assert left(sites=("barn.test", "heron.test")) == ["barn", "heron"]
    assert left(types=("pdf",)) == []
    assert left(since=START + 3 * DAY) == ["eule", "heron"]
    assert left(since=START + 2 * DAY, until=START + 4 * DAY) == ["owls"]
    assert left(until=START) == []


def test_a_page_of_a_topic_below_is_found_under_the_one_above(portal: Path) -> None:
    assert sorted(found(portal, "night", topic="birds")) == ["barn", "heron", "owls"]
    assert sorted(found(portal, "night", topic="birds/owls")) == ["barn", "owls"]
    assert sorted(found(portal, topic="/")) == ["barn", "heron", "owls"]
    with pytest.raises(NoSuchTopicError):
        found(portal, "night", topic="fish")
    with pytest.raises(NoSuchTopicError):
        found(portal, "topic:fish")


def test_each_ranking_has_its_own_order(portal: Path) -> None:
    assert found(portal, "night", "confidence", topic="birds") == ["barn", "heron", "owls"]
    assert found(portal, "barn OR links", "authority")[0] == "barn"
    assert found(portal, "night", "authority", topic="birds")[0] == "barn"
    assert found(portal, "owls", "bm25")[:2] == ["owls", "barn"]
    cosines = [one.why[0].value for one in searched(portal, "owls", "cosine").results]
    assert cosines == sorted(cosines, reverse=True)
    assert 0 < cosines[-1] < cosines[0] < 1


def test_the_score_is_the_sum_of_what_is_said_of_it(portal: Path) -> None:
    results = searched(portal, "night", "cosine=1,confidence=0.5,authority=0.5").results
    for one in results:
        assert [part.name for part in one.why] == ["cosine", "confidence", "authority"]
        assert [part.weight for part in one.why] == [0.5, 0.25, 0.25]
        assert one.score == pytest.approx(sum(part.contribution for part in one.why))
        assert all(0 <= part.scaled <= 1 for part in one.why)
    assert max(one.why[0].scaled for one in results) == 1.0
    assert results[0].why[1].value == 0.9


def test_a_cosine_is_as_worked_out_by_hand(portal: Path) -> None:
    one = searched(portal, "pellets", "cosine").results[0]
    assert one.url == "http://paper.test/a.pdf"
    # pellet twice (title and text), raptor and hold once; what, the and of do not count
    damped = 1 + 0.6931471805599453
    assert one.why[0].value == pytest.approx(damped / (damped**2 + 1 + 1) ** 0.5)


@pytest.mark.parametrize("query", ["barn owl", "bittern OR crakes", '"barn owl"', "mouse OR maus OR owl*"])
def test_what_is_found_in_each_place_adds_up_to_bm25(portal: Path, query: str) -> None:
    results = searched(portal, query, "bm25", places=True).results
    assert results
    for one in results:
        assert sum(one.places.values()) == pytest.approx(one.why[0].value, rel=1e-4)


def test_a_word_in_a_heading_counts_more_than_in_the_text_and_less_than_in_the_title(tmp_path: Path) -> None:
    filler = "Some words about other things that fill the page."
    papers = {
        "http://text.test/": Paper("Page", f"Ospreys here\n{filler} One."),
        "http://head.test/": Paper("Page", f"Ospreys here\n{filler} Two.", headings=("Ospreys here",)),
        "http://title.test/": Paper("Ospreys here", f"Ospreys here\n{filler} Three."),
    }
    path = shelve(tmp_path / "p", papers)
    for query in ("osprey", '"ospreys here"'):
        results = searched(path, query, "bm25", places=True).results
        assert [one.url.split("/")[2] for one in results] == ["title.test", "head.test", "text.test"]
        assert [set(one.places) for one in results] == [{"title", "text"}, {"headings", "text"}, {"text"}]


def test_a_topic_is_ranked_whole_where_there_are_no_words(
    portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MAX_RANKED_WITH_COSINE", 1)
    monkeypatch.setattr(searching, "MAX_RANKED_WITHOUT_COSINE", 1)
    assert found(portal, topic="birds") == ["barn", "heron", "owls"]
    assert searched(portal, topic="birds").weights == {"confidence": 1.0}
    assert found(portal, "topic:birds") == ["barn", "heron", "owls"]
    assert found(portal, "topic:birds", "bm25") == ["barn", "heron", "owls"]
    results = searched(portal, topic="birds", rank="cosine=1,topic=1,authority=2")
    assert results.ranked == results.total == 3
    assert results.weights == {"confidence": pytest.approx(1 / 3), "authority": pytest.approx(2 / 3)}
    assert [part.name for part in results.results[0].why] == ["confidence", "authority"]
    assert searched(portal, "night").ranked == 1  # words: the best by BM25
    assert (
        searched(portal, "night", "confidence", topic="birds").ranked == 3
    )  # but this has nothing to do with it


def test_the_topic_that_most_matches_are_on_counts(portal: Path) -> None:
    parts = {one.url: one.why[0] for one in searched(portal, "night", "topic", topic="birds").results}
    barn, heron = parts["http://barn.test/"], parts["http://heron.test/"]
    assert barn.value == 0.9  # owls have two pages of the three
    assert 0 < heron.value < 0.4
    assert searched(portal, "minister", "topic").results[0].why[0].value == 0  # on no topic


def test_authority_comes_from_results_alone(portal: Path) -> None:
    values = {one.url: one.why[0].value for one in searched(portal, "hunters OR wading", "authority").results}
    assert set(values.values()) == {0.0}  # who links to them was not found
    values = {one.url: one.why[0].value for one in searched(portal, "barn OR links", "authority").results}
    assert values["http://barn.test/"] > 0
    assert values["http://hub.test/"] == 0


def test_near_duplicates_are_folded(portal: Path) -> None:
    results = searched(portal, "rustle")
    assert (results.total, len(results.results)) == (2, 1)
    assert results.results[0].alike == ("http://two.twins.test/",)
    assert results.results[0].alike_count == 1


def test_results_come_in_pages(portal: Path) -> None:
    whole = found(portal, "night OR nacht", limit=10)
    first = searched(portal, "night OR nacht", limit=3)
    second = searched(portal, "night OR nacht", limit=3, page=2)
    assert (first.more, second.more) == (True, False)
    assert [one.place for one in (*first.results, *second.results)] == [1, 2, 3, 4, 5]
    assert [one.url.split("/")[2][:-5] for one in (*first.results, *second.results)] == whole
    assert searched(portal, "night", limit=3, page=9).results == ()


def test_words_are_marked_in_snippets(portal: Path) -> None:
    def marked(query: str) -> set[str]:
        snippet = searched(portal, query).results[0].snippet
        return {snippet.text[start:end] for start, end in snippet.marks}

    assert marked("hunting mice site:barn.test") == {"hunts", "mice"}
    assert marked('"barn owl"') == {"barn", "owl"}
    assert marked("hreon~") == {"heron"}
    assert marked("spea*") == {"spears"}
    assert marked("eule") == {"Eulen"}
    assert marked("title:pellets -zebra") == {"pellets"}
    assert marked("headings:reed") == {"reeds"}
    assert marked("h2o") == {"H2O"}
    assert marked("東京 猫") == {"東京", "猫"}
    assert marked('"日本の首都"') == {"日本の首都"}
    assert marked("수도") == {"수도"}


def test_pages_like_one_are_found_without_it(portal: Path) -> None:
    like = found(portal, like=address("http://barn.test/"))
    assert like[0] == "owls"
    assert "barn" not in like
    assert found(portal, like=address("http://barn.test/"), topic="politics") == []
    with pytest.raises(LodeError, match="has no page at"):
        found(portal, like=address("http://nowhere.test/"))


def test_a_query_without_letters_is_refused(portal: Path) -> None:
    with pytest.raises(QueryError, match="no letters or digits"):
        found(portal, "++ §")


def test_a_query_of_any_bytes_is_answered(portal: Path) -> None:
    assert "barn" in found(portal, "owl\udc80")
    assert found(portal, "\U0001f989 owl", any_word=True)
