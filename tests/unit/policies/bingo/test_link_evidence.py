"""What all pages said of URLs: the same as if they were seen one by one; and what was known beforehand."""

import pickle
from math import isfinite, log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motherlode.learning.links.weights import LinkWeights
from motherlode.policies.bingo.compiled import Floats
from motherlode.policies.bingo.link_evidence import Recollection, Told, evidence_of
from motherlode.policies.bingo.names import WEIGHT, ByWeight
from motherlode.policies.bingo.prospects import Prospects
from support.link_prospects import link, number, see, share

NAMES = ("owls", "", "an-engine.html")
targets = st.lists(st.tuples(st.integers(1, 12), st.sampled_from(["owls", "engine", "more", ""])), max_size=8)


@given(
    st.lists(st.tuples(st.floats(0, 1) | st.just(nan), st.integers(0, 3), targets), max_size=12),
    st.sets(st.integers(1, 12)),
    st.integers(0, 12),
)
@settings(deadline=None)  # the first one compiles
def test_what_is_recalled_is_what_was_seen(
    pages: list[tuple[float, int, list[tuple[int, str]]]], wanted: set[int], parted: int
) -> None:
    seen, recalled = Prospects(1 << 16), Prospects(1 << 16)  # no two share a slot
    urls = {
        target: link(f"http://h{target % 4}.test/{target}/{NAMES[target % 3]}") for target in range(1, 13)
    }
    numbers = np.array(sorted(wanted), np.int64)
    keys = np.array([urls[target].key for target in sorted(wanted)], np.int64)
    waiting = Told(numbers, keys, np.array([nan], np.float32))
    recollection = Recollection(recalled, waiting)
    for book in (seen, recalled):
        book.listen(ByWeight({number("owls"): 0.8, number("engine"): -0.4}))
    for sure, host, links in pages:
        if isfinite(sure):  # else nothing is known of the page
            named = [link(urls[target].url, anchor) for target, anchor in links]
            see(seen, sure, *named, host=f"h{host}.test")
    for first, some in ((parted, pages[parted:]), (0, pages[:parted])):  # the latest first
        became = np.array([sure for sure, _, _ in some], np.float64)
        hosts = [link(f"http://h{host}.test/page").key for _, host, _ in some]
        recalled.note_hosts(np.array(hosts, np.int64), became)
        waiting.see(
            np.arange(first + 1, first + len(some) + 1),
            became,
            np.cumsum([0, *(len(links) for _, _, links in some)]),
            np.array([target for _, _, links in some for target, _ in links], np.int32),
        )
    places, at, which = waiting.last_links()
    said = [pages[page - 1][2][position][1] for page, position in zip(at, which, strict=True)]
    recollection.hear(places, said, "en")
    recollection.write([(np.array([target]), [urls[target].url]) for target in range(12, 0, -1)])
    for target, url in urls.items():
        known = seen.estimate(url.key) if target in wanted else None
        assert recalled.estimate(url.key) == (None if known is None else pytest.approx(known))


def recalled_from(
    *links: int,
    outcomes: dict[int, float],
    sure: float = 0.5,
    weights: LinkWeights = LinkWeights(),  # noqa: B008 - frozen
) -> Prospects:
    """The book after a page that links to these URLs, by their numbers; of some the outcomes are known."""
    book, last = Prospects(1 << 16), max(links)
    book.listen(ByWeight({}), weights)
    urls = [number for number in sorted(set(links)) if number not in outcomes]
    known = np.full(last + 2, nan, np.float32)
    known[list(outcomes)] = list(outcomes.values())
    keys = np.array([link(f"http://a.test/{number}").key for number in urls], np.int64)
    waiting = Told(np.array(urls, np.int64), keys, known)
    waiting.see(np.array([1]), np.array([sure]), np.array([0, len(links)]), np.array(links, np.int32))
    Recollection(book, waiting).write([])
    return book


def near(share: float, *outcomes: float) -> float:
    """A share whose log-odds are moved by half of what links near by tell."""
    told = (sum(outcomes) + 2 * share) / (len(outcomes) + 2)
    odds = share / (1 - share) * (told / (1 - told) / (share / (1 - share))) ** 0.5
    return float(odds / (1 + odds))


def estimate(book: Prospects, number: int) -> float:
    found = book.estimate(link(f"http://a.test/{number}").key)
    assert found is not None
    return found


def test_links_near_one_speak_by_what_became_of_them() -> None:
    outcomes = {1: 0.9, 2: 0.8, 4: 0.1, 9: 0.0}
    book = recalled_from(1, 2, 3, 4, 5, 6, 7, 8, 9, outcomes=outcomes)
    assert estimate(book, 3) == pytest.approx(near(share(0.5), 0.9, 0.8, 0.1))
    assert estimate(book, 5) == pytest.approx(near(share(0.5), 0.8, 0.1))
    assert estimate(book, 8) == pytest.approx(near(share(0.5), 0.0))
    told = book.estimates([link(f"http://a.test/{number}").key for number in (3, 5, 8)])
    assert told.tolist() == pytest.approx([estimate(book, number) for number in (3, 5, 8)])


def test_links_that_nothing_is_known_near_are_worth_their_parents_share() -> None:
    book = recalled_from(1, 2, 3, 4, 5, outcomes={1: 0.9})
    assert estimate(book, 5) == pytest.approx(share(0.5))


def test_what_links_near_by_tell_is_remembered_when_others_lead_there_and_handed_over() -> None:
    book = recalled_from(1, 2, outcomes={1: 0.9})
    evidence = near(share(0.5), 0.9) / (1 - near(share(0.5), 0.9)) / (share(0.5) / (1 - share(0.5)))
    odds = share(0.5, 0.0) / (1 - share(0.5, 0.0)) * evidence
    (rank,) = see(book, 0.0, link("http://a.test/2"))
    assert rank == pytest.approx(odds / (1 + odds), rel=1e-5)
    assert estimate(book, 2) == pytest.approx(rank)
    again: Prospects = pickle.loads(pickle.dumps(book))  # noqa: S301 - our own
    assert estimate(again, 2) == pytest.approx(rank)
    fresh = Prospects(1 << 16)
    fresh.take_over(book)
    assert estimate(fresh, 2) == pytest.approx(rank, rel=1e-5)


def test_a_promise_says_what_links_near_by_add() -> None:
    book = recalled_from(1, 2, outcomes={1: 0.9})
    promise = book.promise(link("http://a.test/2").key)
    assert promise is not None
    assert promise.near == pytest.approx(near(share(0.5), 0.9) - share(0.5))
    assert promise.rank == pytest.approx(promise.parents + promise.host + promise.words + promise.near)
    alone = recalled_from(2, outcomes={})
    alone.note_near(link("http://a.test/2").key, 0.9, 1)
    assert estimate(alone, 2) == pytest.approx(promise.rank)


def test_what_links_near_by_tell_counts_as_much_as_was_learned() -> None:
    plain = recalled_from(1, 2, outcomes={1: 0.9})
    book = recalled_from(1, 2, outcomes={1: 0.9}, weights=LinkWeights(near=2.0))
    key = link("http://a.test/2").key
    evidence = [
        log(told / (1 - told)) - log(share(0.5) / (1 - share(0.5)))
        for told in (estimate(plain, 2), estimate(book, 2))
    ]
    assert book.estimate(key) is not None
    assert evidence[1] == pytest.approx(2 * evidence[0], rel=1e-4)


class Crawled:
    """Pages 1, 2 and so on at the URLs of the same numbers, each with links to others, all fetched."""

    def __init__(self, sure: list[float], links: list[list[int]]) -> None:
        numbers = np.arange(1, len(sure) + 1)
        self.urls = [f"http://a.test/{at}" for at in numbers]
        self.became = np.array(sure)
        self.book = Prospects(1 << 16)
        keys = np.array([link(url).key for url in self.urls], np.int64)
        outcomes = np.array([nan, *sure, nan], np.float32)
        self.told = Told(numbers, keys, outcomes, numbers)
        self.book.note_hosts(keys, self.became)
        starts = np.cumsum([0, *map(len, links)])
        targets = np.array([target for of in links for target in of], np.int32)
        self.told.see(numbers, self.became, starts, targets)

    def evidence(self, *voices: ByWeight, anchors: list[tuple[str, str]] | None = None) -> Floats:
        places = self.told.last_links()[0]
        urls = [self.urls[at] for at in places]
        said = anchors or [("", "en")] * len(places)
        return evidence_of(self.book, self.told, self.became[places], voices, said, urls)


def test_in_hindsight_a_page_is_known_by_others_alone() -> None:
    """By its parents, not by itself; by the other pages of its host; and by the links near it."""
    crawled = Crawled([0.9, 0.2, 0.6], links=[[1, 2, 3], [2], [1]])
    assert crawled.told.last_links()[0].tolist() == [0, 1, 2]
    shares = []
    for at, parents in ((0, [0.6]), (1, [0.9]), (2, [0.9])):
        others = [sure for place, sure in enumerate(crawled.became) if place != at]
        shares.append(share(*parents, of_host=(sum(others) + 0.5) / (len(others) + 5)))
    rows = crawled.evidence()
    assert rows[:, 0].tolist() == pytest.approx([log(one / (1 - one)) for one in shares], rel=1e-5)
    moved = [near(one, *outcomes) for one, outcomes in zip(shares, ([], [0.9, 0.6], [0.9, 0.2]), strict=True)]
    told = [log(after / (1 - after)) - log(one / (1 - one)) for one, after in zip(shares, moved, strict=True)]
    assert rows[:, 3].tolist() == pytest.approx(told, abs=1e-5)


def test_in_hindsight_names_speak_by_each_voice_for_itself() -> None:
    crawled = Crawled([0.5, 0.5], links=[[2], [1]])
    voices = ByWeight({number("owls"): 0.8}), ByWeight({number("herons"): -0.4})
    rows = crawled.evidence(*voices, anchors=[("owls", "en"), ("Herons", "")])
    assert rows[:, 1].tolist() == pytest.approx([WEIGHT * 0.8 / 2, 0.0])
    assert rows[:, 2].tolist() == pytest.approx([0.0, -WEIGHT * 0.4 / 2])
    assert crawled.evidence(voices[0]).shape == (2, 4)
