"""The figures of a generated web: locality, degrees, sizes; topics can be learned; huge ones cost nothing."""

import random
import tracemalloc
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from motherlode.documents.analysis import analyse_one
from motherlode.documents.extracts import Raw
from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import unpack
from motherlode.lab.description import WebPlan
from motherlode.lab.generated.atlas import Atlas, Part
from motherlode.lab.generated.topics import TOPICS
from motherlode.lab.generated.web import GeneratedWeb
from motherlode.policies.baselines import Centroid
from motherlode.records import Document, LodeError
from motherlode.urls import host_of
from support.generated_webs import Survey, made, survey

PLAN = WebPlan(seed=1, pages=3000, hosts=60)
ALL_TOPICS = WebPlan(seed=2, pages=3000, hosts=200)
HUGE = WebPlan(seed=5, pages=100_000_000, hosts=1_000_000)
EXAMPLES = 5


@pytest.fixture(scope="module")
def known() -> Survey:
    return survey(PLAN)


@pytest.fixture(scope="module")
def labelled() -> dict[str, list[tuple[str, Document]]]:
    """The labelled HTML pages of a web with all topics, by their topic, in some order; no mirrors and no
    copies, which would be known from the examples."""
    known, found = survey(ALL_TOPICS), dict[str, list[tuple[str, Document]]]()
    for leaf in known.leaves():
        if leaf.kind == "html" and leaf.source == leaf.number and leaf.site.part is not Part.MIRROR:
            url = known.pages.url(leaf)
            for topic in known.web.labels().of(url):
                answer = known.web.answer(url)
                assert answer is not None
                page = analyse_one(
                    Raw(url, answer.body, content_type=answer.header("content-type"))
                )
                found.setdefault(topic, []).append((url, page))
    for pages in found.values():
        random.Random(1).shuffle(pages)
    return found


def slope(degrees: list[int], least: int) -> float:
    """The exponent of a power law in the tail, by maximum likelihood (Clauset, Shalizi, Newman 2009, 3.5)."""
    tail = np.array([degree for degree in degrees if degree >= least])
    return float(-1 - len(tail) / np.log(tail / (least - 0.5)).sum())


def test_links_lead_to_pages_on_the_same_topic_far_more_often_than_by_chance(known: Survey) -> None:
    labels = known.web.labels()
    same = [
        labels.of(end) == topics
        for url, topics in labels.items()
        for end in known.graph.get(url, ())
        if host_of(end) != host_of(url)
    ]
    sizes = Counter(topics for _, topics in labels.items())
    chance = sum(size * size for size in sizes.values()) / len(labels) / PLAN.pages
    share = sum(same) / len(same)
    assert 0.35 < share < 0.7
    assert share > 5 * chance


def test_links_inside_a_host_are_as_common_as_links_to_others(known: Survey) -> None:
    inside = [host_of(end) == host_of(url) for url, ends in known.graph.items() for end in ends]
    assert 0.4 < sum(inside) / len(inside) < 0.9


def test_few_pages_get_many_links_and_many_pages_few(known: Survey) -> None:
    links = Counter(end for ends in known.graph.values() for end in ends)
    degrees = sorted((links[url] for url in known.urls), reverse=True)
    assert sum(degrees[: len(degrees) // 100]) > 0.1 * sum(degrees)
    assert degrees[0] > 15 * sum(degrees) / len(degrees)
    assert all(-4 < slope(degrees, least) < -1.2 for least in (10, 20, 30))


def test_pages_have_few_links_or_many(known: Survey) -> None:
    degrees = sorted(map(len, known.graph.values()), reverse=True)
    assert -4.5 < slope(degrees, 15) < -1.2
    assert degrees[0] > 5 * degrees[len(degrees) // 2]


def test_few_hosts_have_many_pages(known: Survey) -> None:
    sizes = [site.size for site in known.sites]
    assert sizes[0] > 8 * sizes[-1]
    assert sum(sizes[:6]) > 2 * sum(sizes) / 10
    plain = [site.size for site in known.sites if site.part is not Part.MIRROR]
    assert all(one >= other - 2 for one, other in pairwise(plain))


def test_topics_are_learned_from_five_examples_each_but_not_by_a_marker(
    labelled: dict[str, list[tuple[str, Document]]],
) -> None:
    assert set(labelled) == set(TOPICS)
    centroids = {
        topic: Centroid(page for _, page in pages[:EXAMPLES]) for topic, pages in labelled.items()
    }
    right = []
    for topic, pages in labelled.items():
        for _, page in pages[EXAMPLES:]:
            bag = unpack(page.vectors[TERMS])
            cosines = {name: centroid.cosine(bag) for name, centroid in centroids.items()}
            right.append(max(cosines, key=lambda name: cosines[name]) == topic)
    assert len(right) > 1000
    assert 0.75 < sum(right) / len(right) < 0.999


def test_no_page_names_its_topics_path(labelled: dict[str, list[tuple[str, Document]]]) -> None:
    for topic, pages in labelled.items():
        for url, page in pages:
            assert "/" not in topic or topic.lower() not in f"{page.title} {page.text}".lower()
            assert "/" not in topic or topic.lower() not in url


def test_pages_are_text_and_not_the_same_words_over_and_over(
    labelled: dict[str, list[tuple[str, Document]]],
) -> None:
    ratios, top = [], []
    for pages in labelled.values():
        for _, page in pages:
            words = page.text.lower().split()
            bag = unpack(page.vectors[TERMS])
            ratios.append(len(set(words)) / len(words))
            top.append(bag.counts.max() / bag.counts.sum())
            assert len(words) > 30
    assert 0.4 < float(np.median(ratios)) < 0.85
    assert float(np.median(top)) < 0.1


def test_few_topics_have_a_word_that_is_on_all_their_pages_and_on_few_others(
    labelled: dict[str, list[tuple[str, Document]]],
) -> None:
    on = {
        topic: Counter(int(term) for _, page in pages for term in unpack(page.vectors[TERMS]).terms)
        for topic, pages in labelled.items()
    }
    everywhere = sum(on.values(), Counter[int]())
    count = sum(map(len, labelled.values()))
    marked = [
        topic
        for topic, pages in labelled.items()
        for term, here in on[topic].items()
        if here == len(pages) and everywhere[term] - here < 0.05 * count
    ]
    assert len(marked) < len(TOPICS) / 4, marked  # such as "dog": glosses of narrower nouns name it


def test_a_web_of_a_hundred_million_pages_costs_no_space() -> None:
    made(PLAN)  # so that the lexicon is not counted, nor the libraries of the formats
    chance = random.Random(1)
    tracemalloc.start()
    try:
        web = GeneratedWeb(HUGE)
        for _ in range(50):
            site = web._atlas.site(chance.randrange(HUGE.hosts))
            leaf = web._pages.leaf(site, chance.randrange(site.size))
            answer = web.answer(web._pages.url(leaf))
            assert answer is not None
            assert answer.status == 200
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 30_000_000
    with pytest.raises(
        LodeError, match=r"^This web has 100,000,000 pages; at most [\d,]+ can be listed\.$"
    ):
        web.labels()


@pytest.mark.parametrize(
    "plan",
    [
        HUGE,
        WebPlan(0, 3_000_000, 1_000_000),
        WebPlan(0, 10**10, 10**8),
        WebPlan(0, 300_000_001, 10**8),
    ],
)
def test_sizes_of_hosts_add_up_in_huge_webs(plan: WebPlan) -> None:
    atlas = Atlas(plan, made(PLAN)._lexicon)
    assert (atlas._start(0), atlas._start(plan.hosts)) == (0, plan.pages)
    chance = random.Random(3)
    firsts = [0, *(chance.randrange(plan.hosts - 500) for _ in range(10)), plan.hosts - 500]
    for number in (first + more for first in firsts for more in range(0, 500, 7)):
        site = atlas.site(number)
        assert site.size >= 2
        assert site == atlas.find(site.name)
        assert atlas.origin(site).size >= site.size


def test_a_huge_web_lists_the_pages_of_a_host_at_once() -> None:
    web = GeneratedWeb(HUGE)
    site = web._atlas.site(HUGE.hosts - 1)
    assert sum(1 for _ in web.pages_of(site.name)) >= site.size
    through = web._atlas.site(len(web._atlas.topics))
    islands = list(web._atlas.islands_through(through))
    assert len(islands) > 1000
    assert all(island.part is Part.ISLAND for island in islands)
    assert {web._atlas.tunnel_site(island) for island in islands} == {through}
