"""The baselines' arithmetic; what they do in a crawl is tested with the trials."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.analysis import analyse_one
from motherlode.documents.extracts import Raw
from motherlode.documents.text.terms import bag_of
from motherlode.policies import Visit
from motherlode.policies.baselines import Centroid, RandomOrder
from motherlode.records import Document, Entry, Link, QueueId, UrlId, UrlKey
from motherlode.urls import address

texts = st.text("abcdefgh ", max_size=200)


def document(text: str) -> Document:
    return analyse_one(Raw("http://a.test/", text.encode(), "text/plain"))


@given(st.lists(texts, max_size=4), texts)
def test_cosines_lie_between_nought_and_one(examples: list[str], text: str) -> None:
    cosine = Centroid(map(document, examples)).cosine(bag_of(text))
    assert -1e-9 <= cosine <= 1 + 1e-9


def test_the_cosine_is_the_textbooks() -> None:
    # Two examples of one word each: the centroid is halfway between them.
    centroid = Centroid([document("owl"), document("falcon")])
    assert centroid.cosine(bag_of("owl")) == pytest.approx(0.5**0.5)
    assert centroid.cosine(bag_of("owl falcon")) == pytest.approx(1.0)
    assert centroid.cosine(bag_of("engine")) == 0.0


def test_a_word_that_occurs_often_counts_less_than_as_often() -> None:
    centroid = Centroid([document("owl")])
    assert centroid.cosine(bag_of("owl owl owl engine")) == pytest.approx(
        (1 + 1.0986122886681098) / ((1 + 1.0986122886681098) ** 2 + 1) ** 0.5
    )


def test_without_examples_nothing_is_alike() -> None:
    assert Centroid([]).cosine(bag_of("owl")) == 0.0
    assert Centroid([Document()]).cosine(bag_of("owl")) == 0.0


def test_random_ranks_are_spread_evenly_and_do_not_depend_on_the_page() -> None:
    links = tuple(
        Link(found.url, found.key) for found in (address(f"http://a.test/{n}") for n in range(2000))
    )
    entry = Entry(UrlId(0), "http://a.test/", UrlKey(0), QueueId(1), 0.0)
    visit = Visit(entry, Document(links=links))
    ranks = [follow.rank for follow in RandomOrder((), 5).steer(visit, None).follows]
    assert all(0 <= rank < 1 for rank in ranks)
    assert 0.45 < sum(ranks) / len(ranks) < 0.55
    assert [follow.rank for follow in RandomOrder((), 6).steer(visit, None).follows] != ranks
