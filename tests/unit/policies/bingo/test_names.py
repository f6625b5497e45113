"""What names say: by the weights of their words, or by what they mean."""

import numpy as np
import pytest

from motherlode.documents.meanings import Meanings
from motherlode.documents.terms import bag_of
from motherlode.learning.links.mentions import learn_mentions
from motherlode.policies.bingo import names
from motherlode.policies.bingo.names import (
    MEANING,
    MENTION,
    WEIGHT,
    ByMeaning,
    ByMention,
    ByWeight,
    Names,
    Together,
    both,
    words_of,
)
from motherlode.records import Link
from motherlode.urls import address


def number(word: str) -> int:
    return int(bag_of(word).terms[0])


def link(url: str, anchor: str) -> Link:
    return Link(url, address(url).key, anchor)


def said_of(heard: Names, *links: Link) -> list[float]:
    keys = np.array([link.key for link in links], np.int64)
    said: list[float] = heard.say(keys, links, "en").tolist()
    return said


@pytest.fixture
def meanings() -> Meanings:
    """Owls and herons mean much the same, and engines something else."""
    vectors = {"owls": (90, 10), "herons": (80, -20), "engine": (0, 100)}
    ordered = sorted((number(word), row) for word, row in vectors.items())
    terms = np.array([term for term, _ in ordered], np.uint32)
    return Meanings(terms, np.array([row for _, row in ordered], np.int8), "test")


def cosine(one: tuple[float, float], other: tuple[float, float]) -> float:
    return float(np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other))


def test_names_that_mean_the_same_speak_for_the_topic_though_no_example_has_them(meanings: Meanings) -> None:
    said = Names(ByMeaning(meanings, [np.array([1, 0], np.float32)])).anchors(["Herons", "engine"], "en")
    assert said.tolist() == pytest.approx([MEANING * cosine((80, -20), (1, 0)), 0.0], abs=1e-6)


def test_of_several_topics_the_nearest_is_meant(meanings: Meanings) -> None:
    voice = ByMeaning(meanings, [np.array([1, 0], np.float32), np.array([0, 1], np.float32)])
    assert Names(voice).anchors(["engine"], "en").tolist() == pytest.approx([MEANING])


def test_unknown_words_and_no_words_say_nothing(meanings: Meanings) -> None:
    heard = Names(ByMeaning(meanings, [np.array([1, 0], np.float32)]))
    assert np.isnan(heard.anchors(["zyzzyva", "", "click here"], "en")).all()
    assert said_of(heard, link("http://a.test/x1", "zyzzyva")) == [0.0]


def mentioning(**lifts: float) -> ByMention:
    """By so many pages, each with one word, that the words have these lifts: 2.0 is twice the usual share."""
    share, pages = 0.25, 1000
    parts = [
        (np.full(pages, number(word), np.uint32), np.full(pages, share * lift))
        for word, lift in lifts.items()
    ]
    return ByMention(learn_mentions(parts, share))


def test_names_that_pages_on_the_topic_mention_speak_for_it() -> None:
    heard = Names(mentioning(kestrel=2.0, engine=0.5))
    said = heard.anchors(["Kestrels", "kestrel engines", "a kestrel of Zyzzyva", "zyzzyva", ""], "en")
    log2 = MENTION * np.log(2.0)
    assert said[:3].tolist() == pytest.approx([log2, 0.0, log2 / 2], abs=2e-3)
    assert np.isnan(said[3:]).all()


def test_what_several_voices_say_is_added_up_each_as_it_counts(meanings: Meanings) -> None:
    means, mentions = ByMeaning(meanings, [np.array([1, 0], np.float32)]), mentioning(kestrel=2.0, owls=2.0)
    heard = Names(Together([means, mentions], (1.0, 0.5)))
    said = heard.anchors(["owls", "kestrel", "herons", "zyzzyva"], "en")
    mean, mention = (
        np.nan_to_num(Names(voice).anchors(["owls", "kestrel", "herons"], "en"))
        for voice in (means, mentions)
    )
    assert said[:3].tolist() == pytest.approx((mean + mention / 2).tolist())
    assert np.isnan(said[3])


def test_anchor_and_address_have_a_half_each() -> None:
    heard = Names(ByWeight({number("owls"): 0.5}))
    links = [link("http://a.test/owls.html", ""), link("http://a.test/7", "owls")]
    both_say = link("http://a.test/owls.htm", "Owls")
    assert said_of(heard, *links, both_say) == pytest.approx([WEIGHT * 0.25] * 2 + [WEIGHT * 0.5])


def test_what_is_said_counts_by_its_mean() -> None:
    assert both(np.array([1.0, np.nan, np.nan]), np.array([3.0, 3.0, np.nan])).tolist() == [2.0, 1.5, 0.0]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://owls.test/", []),
        ("http://a.test/birds/Barn_owl-2.htm?page=next", ["birds", "Barn", "owl"]),
        ("http://a.test/w/index.php", []),
        ("http://a.test/%E9%9B%80/Eule", ["Eule"]),
    ],
)
def test_words_of_an_address(url: str, words: list[str]) -> None:
    assert words_of(url) == words


def test_names_are_forgotten_and_heard_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "_REMEMBERED", 2)
    heard = Names(ByWeight({number("owls"): 0.5}))
    for anchors in (["owls", "a b", "c d"], ["owls", "e f"], ["g h", "owls", "owls"]):
        said = heard.anchors(anchors, "en")
        assert said[anchors.index("owls")] == pytest.approx(WEIGHT * 0.5)


def test_names_keep_what_they_say_as_there_are_more_than_the_table_had_room_for() -> None:
    heard = Names(ByWeight({number("owls"): 0.5, number("engine"): -0.5}))
    urls = [f"http://a.test/{('owls', 'engine')[at % 2]}/{at}" for at in range(5_000)]
    # The lowest bits are the same, so that all of them begin to be looked for at the same row.
    keys = np.array([at << 40 for at in range(len(urls))], np.int64)
    told = [WEIGHT * 0.5, -WEIGHT * 0.5]
    for start in range(0, len(urls), 500):
        said = heard.addresses(keys[start : start + 500], urls[start : start + 500].__getitem__)
        assert said.tolist() == pytest.approx(told * 250)
    assert heard.addresses(keys, _never_asked).tolist() == pytest.approx(told * 2_500)


def _never_asked(_place: int) -> str:
    raise AssertionError("a name was forgotten")
