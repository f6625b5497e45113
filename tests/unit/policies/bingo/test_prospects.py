"""What links promise: the arithmetic of it, and what the book forgets."""

import pickle
from collections.abc import Sequence
from math import exp, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.terms import bag_of
from motherlode.learning.links.weights import LinkWeights
from motherlode.policies.bingo.compiled import PAGES, PARENTS, PRIOR, Floats
from motherlode.policies.bingo.names import WEIGHT, ByWeight, Terms
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.steering import ByProspects, sureness
from motherlode.policies.policy import Visit
from motherlode.records import Document, Entry, Judgement, TopicId, UrlId
from motherlode.urls import address, url_key
from support.link_prospects import link, number, see, share

SMALL = 1 << 10


def called(share: float, anchor: float, address: float = 0.0) -> float:
    """A share whose log-odds are moved by what anchor and address say, half by each."""
    odds = share / (1 - share) * exp(WEIGHT * (anchor + address) / 2)
    return odds / (1 + odds)


def test_a_link_is_worth_the_share_of_its_parents_that_are_on_the_topic() -> None:
    book, owls = Prospects(SMALL), link("http://a.test/owls")
    assert see(book, 0.9, owls) == pytest.approx([share(0.9)])
    assert see(book, 0.9, owls) == pytest.approx([share(0.9, 0.9)])
    assert see(book, 0.0, owls) == pytest.approx([share(0.9, 0.9, 0.0)])


def test_two_good_parents_are_better_than_one_and_than_two_of_which_one_is_bad() -> None:
    book = Prospects(SMALL)
    one, both, mixed = (link(f"http://a.test/{name}") for name in ("one", "both", "mixed"))
    see(book, 0.1, mixed)
    see(book, 0.9, both)
    ranks = see(book, 0.9, one, both, mixed)
    assert ranks[1] > ranks[0] > ranks[2]


def test_a_page_that_links_twice_is_one_parent() -> None:
    book, owls = Prospects(SMALL), link("http://a.test/owls")
    assert see(book, 0.9, owls, owls) == pytest.approx([share(0.9)] * 2)
    assert see(book, 0.9, owls) == pytest.approx([share(0.9, 0.9)])


def test_the_words_of_the_last_link_speak_for_it() -> None:
    book = Prospects(SMALL)
    book.listen(ByWeight({number("owls"): 0.8, number("engine"): -0.4}))
    told = see(
        book,
        0.5,
        link("http://a.test/1", "Owls"),
        link("http://a.test/2", "owls and engines"),
        link("http://a.test/3", "the"),
        link("http://a.test/4", "something else"),
    )
    said = [0.8, (0.8 - 0.4) / 2**0.5, 0.0, 0.0]
    assert told == pytest.approx([called(share(0.5), words) for words in said])
    again = see(book, 0.5, link("http://a.test/4", "engine"))
    assert again == pytest.approx([called(share(0.5, 0.5), -0.4)])


def test_the_words_of_its_address_speak_for_it_too() -> None:
    book = Prospects(SMALL)
    book.listen(ByWeight({number("owls"): 0.8, number("engine"): -0.4}))
    told = see(
        book,
        0.5,
        link("http://a.test/birds/owls.html"),
        link("http://a.test/%6fwls", "engine"),
        link("http://engine.test/index.html"),
    )
    said = [(0.0, 0.8 / 2**0.5), (-0.4, 0.8), (0.0, 0.0)]
    assert told == pytest.approx([called(share(0.5), *words) for words in said])


def test_new_words_are_heard_at_once() -> None:
    book = Prospects(SMALL)
    before = see(book, 0.5, link("http://a.test/1", "owls"))
    book.listen(ByWeight({number("owls"): 0.8}))
    assert see(book, 0.5, link("http://a.test/2", "owls")) == pytest.approx([called(before[0], 0.8)])


def test_words_are_stemmed_in_the_language_of_the_page() -> None:
    book = Prospects(SMALL)
    book.listen(ByWeight({int(bag_of("Häuser", "de").terms[0]): 1.0}))
    links = [link("http://a.test/1", "Häusern")]
    page = url_key("", "b.test")
    assert book.see(0.5, page, book.called(links, "de"))[0] == pytest.approx(called(share(0.5), 1.0))
    assert book.see(0.5, page, book.called(links, "en"))[0] == pytest.approx(share(0.5, 0.5))


def test_a_host_that_had_much_to_offer_is_worth_more() -> None:
    book = Prospects(SMALL)
    for _ in range(5):
        see(book, 0.9, host="good.test")
        see(book, 0.0, host="bad.test")
    good, unknown, bad = see(
        book, 0.5, link("http://good.test/"), link("http://unknown.test/"), link("http://bad.test/")
    )
    assert good == pytest.approx(share(0.5, of_host=(5 * 0.9 + PAGES * PRIOR) / (5 + PAGES)))
    assert unknown == pytest.approx(share(0.5))
    assert bad == pytest.approx(share(0.5, of_host=PAGES * PRIOR / (5 + PAGES)))


def test_the_host_says_less_of_a_url_with_many_parents() -> None:
    book, owls, trains = Prospects(SMALL), link("http://good.test/"), link("http://bad.test/")
    for _ in range(5):
        see(book, 0.9, host="good.test")
    first = see(book, 0.5, owls, trains)
    for _ in range(10):
        last = see(book, 0.5, owls, trains)
    assert first[0] - first[1] > 2 * (last[0] - last[1]) > 0


def test_an_estimate_is_what_the_link_would_be_worth_now() -> None:
    book, owls = Prospects(SMALL), link("http://a.test/owls", "owls")
    book.listen(ByWeight({number("owls"): 0.8}))
    assert book.estimate(owls.key) is None
    ranks = see(book, 0.9, owls)
    assert book.estimate(owls.key) == pytest.approx(ranks[0])
    see(book, 0.0, host="a.test")
    estimate = book.estimate(owls.key)
    assert estimate is not None
    assert estimate < ranks[0]


def test_a_full_book_forgets_and_begins_anew() -> None:
    book = Prospects(1)
    one, other = link("http://a.test/1"), link("http://a.test/2")
    see(book, 0.9, one)
    assert see(book, 0.9, other) == pytest.approx([share(0.9)])
    assert book.estimate(one.key) is None
    assert see(book, 0.9, one) == pytest.approx([share(0.9)])
    assert see(book, 0.9, one, other) == pytest.approx([share(0.9, 0.9), share(0.9)])


def test_a_page_without_links_is_seen_too() -> None:
    assert see(Prospects(SMALL), 0.9) == []


@given(st.lists(st.tuples(st.floats(0, 1), st.sets(st.integers(0, 20), max_size=8)), max_size=20))
def test_without_words_and_hosts_ranks_are_shares(pages: list[tuple[float, set[int]]]) -> None:
    book, parents = Prospects(SMALL), dict[int, list[float]]()
    for sure, targets in pages:
        ordered = sorted(targets)
        for target in ordered:
            parents.setdefault(target, []).append(sure)
        ranks = see(book, sure, *(link(f"http://a.test/{target}") for target in ordered))
        assert ranks == pytest.approx([share(*parents[target]) for target in ordered], abs=1e-5)
        assert all(0 < rank < 1 for rank in ranks)


def test_a_promise_is_what_its_parts_come_to() -> None:
    book, target = Prospects(SMALL), link("http://t.test/a", "owls")
    book.listen(ByWeight({number("owls"): 0.8}))
    see(book, 0.9, target)
    see(book, 0.8, host="t.test")
    promise = book.promise(target.key)
    assert promise is not None
    assert promise.rank == pytest.approx(book.estimate(target.key))
    assert promise.parents == pytest.approx(0.9 / (1 + PARENTS))
    assert promise.host == pytest.approx(PARENTS / (1 + PARENTS) * (0.8 + PAGES * PRIOR) / (1 + PAGES))
    assert promise.words > 0
    assert promise.parents + promise.host + promise.words == pytest.approx(promise.rank)
    assert book.promise(address("http://never.test/").key) is None


def test_a_book_can_be_handed_to_another_process() -> None:
    book, owls = Prospects(SMALL), link("http://a.test/owls", "owls")
    book.listen(ByWeight({number("owls"): 0.8}))
    ranks = see(book, 0.9, owls)
    packed = pickle.dumps(book)
    again: Prospects = pickle.loads(packed)  # noqa: S301 - our own
    assert len(packed) < 10_000  # a million slots, and hardly any in use
    assert again.estimate(owls.key) == pytest.approx(ranks[0])
    again.listen(ByWeight({number("owls"): 0.8}))  # who listens is not handed over
    assert see(again, 0.9, owls) == see(book, 0.9, owls)
    known = again.estimates([owls.key, link("http://never.test/").key]).tolist()
    assert known == pytest.approx([book.estimate(owls.key), nan], nan_ok=True)
    see(book, 0.7, host="a.test")
    see(again, 0.7, host="a.test")
    assert again.estimate(owls.key) == book.estimate(owls.key)


def test_what_was_seen_while_a_book_was_written_is_taken_over() -> None:
    before, book = Prospects(SMALL), Prospects(SMALL)
    both, fresh = link("http://a.test/both"), link("http://a.test/fresh")
    see(before, 0.2, both, fresh)
    see(book, 0.9, both)
    book.take_over(before)
    assert book.estimates([both.key, fresh.key]).tolist() == pytest.approx([share(0.9), share(0.2)])


def test_all_that_is_known_counts_as_much_as_was_learned() -> None:
    """What names and links near by say is weighed where it comes from; the share is, too, at once."""
    weights = LinkWeights(share=2.0, near=3.0)
    book, owls = Prospects(SMALL), link("http://a.test/1", "owls")
    book.listen(ByWeight({number("owls"): 0.8}), weights)
    (rank,) = see(book, 0.5, owls)
    odds = 2.0 * log(share(0.5) / (1 - share(0.5))) + WEIGHT * 0.8 / 2
    assert log(rank / (1 - rank)) == pytest.approx(odds, rel=1e-5)
    assert book.estimate(owls.key) == pytest.approx(rank)
    assert book.estimates([owls.key]).tolist() == pytest.approx([rank])
    plain = Prospects(SMALL)
    see(plain, 0.5, owls)
    for one in (book, plain):
        one.note_near(owls.key, 0.9, 1)
    assert book._near.max() == pytest.approx(3.0 * plain._near.max())
    promise = book.promise(owls.key)
    assert promise is not None
    assert promise.rank == pytest.approx(promise.parents + promise.host + promise.words + promise.near)
    assert promise.parents / promise.host == pytest.approx(0.5 / (PARENTS * PRIOR))


class _Listening(ByWeight):
    """A voice that counts how often it is asked."""

    asked = 0

    def weigh(self, names: Sequence[Terms]) -> Floats:
        self.asked += 1
        return super().weigh(names)


def test_links_that_are_expected_are_weighed_together_and_once() -> None:
    words = {"owls": 0.8, "engine": -0.4}
    pages = [
        Visit(
            Entry(UrlId(1), f"http://p{at}.test/", link(f"http://p{at}.test/").key, TopicId(1), 0.5, 1, 0.0),
            Document(language=language, links=(link(f"http://a.test/{at}", word), link("http://b.test/"))),
        )
        for at, (word, language) in enumerate([("owls", "en"), ("Eulen", "de"), ("engine", "")])
    ]
    said = Judgement(TopicId(1), 0.02)
    rankings = []
    for expecting in (True, False):
        book, voice = Prospects(SMALL), _Listening({number(word): weight for word, weight in words.items()})
        book.listen(voice)
        ranking = ByProspects(book)
        if expecting:
            ranking.expect(pages)
            assert voice.asked <= 4  # anchors and addresses of each language
            voice.asked = 0
        rankings.append([list(ranking.rank(page, said, page.document.links)) for page in pages])
        assert (voice.asked == 0) is expecting
    assert rankings[0] == rankings[1]
    assert rankings[0][0][0] > rankings[0][2][0]


def test_links_that_are_left_out_are_not_mistaken_for_others() -> None:
    book = Prospects(SMALL)
    book.listen(ByWeight({number("owls"): 0.8}))
    ranking, links = ByProspects(book), (link("http://a.test/1", "owls"), link("http://a.test/2", "engine"))
    here = link("http://p.test/")
    page = Visit(Entry(UrlId(1), here.url, here.key, TopicId(1), 0.5, 1, 0.0), Document(links=links))
    ranking.expect([page])
    (rank,) = ranking.rank(page, Judgement(TopicId(1), 0.02), links[1:])
    assert rank == pytest.approx(share(sureness(Judgement(TopicId(1), 0.02))))
