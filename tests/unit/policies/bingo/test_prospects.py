"""The ranks of links: their arithmetic, and the fixed size of the table."""

import pickle
from collections.abc import Sequence
from math import exp, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.text.terms import bag_of
from motherlode.learning.links.weights import LinkWeights
from motherlode.policies.bingo.kernels import PRIOR_PAGES, PRIOR_PARENTS, PRIOR_PROBABILITY, Floats
from motherlode.policies.bingo.link_text import LOG_ODDS_PER_WEIGHT, Terms, WeightEvidence
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.steering import ByProspects, topic_probability
from motherlode.policies.policy import Visit
from motherlode.records import Document, Entry, Judgement, QueueId, TopicId, UrlId
from motherlode.urls import address, url_key
from support.link_prospects import add_page, link, share, term_of

SMALL = 1 << 10


def with_text(share: float, anchor: float, url: float = 0.0) -> float:
    """Return a share whose log-odds are moved by anchor text and URL, half by each."""
    odds = share / (1 - share) * exp(LOG_ODDS_PER_WEIGHT * (anchor + url) / 2)
    return odds / (1 + odds)


def test_a_link_is_worth_the_share_of_its_parents_that_are_on_the_topic() -> None:
    prospects, owls = Prospects(SMALL), link("http://a.test/owls")
    assert add_page(prospects, 0.9, owls) == pytest.approx([share(0.9)])
    assert add_page(prospects, 0.9, owls) == pytest.approx([share(0.9, 0.9)])
    assert add_page(prospects, 0.0, owls) == pytest.approx([share(0.9, 0.9, 0.0)])


def test_two_good_parents_are_better_than_one_and_than_two_of_which_one_is_bad() -> None:
    prospects = Prospects(SMALL)
    single, double, mixed = (
        link(
            f"http://a.test/{name}",
        )
        for name in ("single", "double", "mixed")
    )
    add_page(prospects, 0.1, mixed)
    add_page(prospects, 0.9, double)
    ranks = add_page(prospects, 0.9, single, double, mixed)
    assert ranks[1] > ranks[0] > ranks[2]


def test_a_page_that_links_twice_is_one_parent() -> None:
    prospects, owls = Prospects(SMALL), link("http://a.test/owls")
    assert add_page(prospects, 0.9, owls, owls) == pytest.approx([share(0.9)] * 2)
    assert add_page(prospects, 0.9, owls) == pytest.approx([share(0.9, 0.9)])


def test_the_anchor_text_of_the_last_link_counts() -> None:
    prospects = Prospects(SMALL)
    prospects.use_evidence(WeightEvidence({term_of("owls"): 0.8, term_of("engine"): -0.4}))
    ranks = add_page(
        prospects,
        0.5,
        link("http://a.test/1", "Owls"),
        link("http://a.test/2", "owls and engines"),
        link("http://a.test/3", "the"),
        link("http://a.test/4", "something else"),
    )
    evidence = [0.8, (0.8 - 0.4) / 2**0.5, 0.0, 0.0]
    assert ranks == pytest.approx([with_text(share(0.5), anchor) for anchor in evidence])
    again = add_page(prospects, 0.5, link("http://a.test/4", "engine"))
    assert again == pytest.approx([with_text(share(0.5, 0.5), -0.4)])


def test_the_words_of_the_url_count() -> None:
    prospects = Prospects(SMALL)
    prospects.use_evidence(WeightEvidence({term_of("owls"): 0.8, term_of("engine"): -0.4}))
    ranks = add_page(
        prospects,
        0.5,
        link("http://a.test/birds/owls.html"),
        link("http://a.test/%6fwls", "engine"),
        link("http://engine.test/index.html"),
    )
    evidence = [(0.0, 0.8 / 2**0.5), (-0.4, 0.8), (0.0, 0.0)]
    assert ranks == pytest.approx([with_text(share(0.5), *texts) for texts in evidence])


def test_new_text_evidence_is_used_at_once() -> None:
    prospects = Prospects(SMALL)
    before = add_page(prospects, 0.5, link("http://a.test/1", "owls"))
    prospects.use_evidence(WeightEvidence({term_of("owls"): 0.8}))
    assert add_page(prospects, 0.5, link("http://a.test/2", "owls")) == pytest.approx(
        [with_text(before[0], 0.8)]
    )


def test_words_are_stemmed_in_the_language_of_the_page() -> None:
    prospects = Prospects(SMALL)
    prospects.use_evidence(WeightEvidence({int(bag_of("Häuser", "de").terms[0]): 1.0}))
    links = [link("http://a.test/1", "Häusern")]
    page = url_key("", "b.test")
    assert prospects.add_page(0.5, page, prospects.score_links(links, "de"))[0] == pytest.approx(
        with_text(share(0.5), 1.0)
    )
    assert prospects.add_page(0.5, page, prospects.score_links(links, "en"))[0] == pytest.approx(
        share(0.5, 0.5)
    )


def test_a_host_with_many_pages_on_the_topic_is_worth_more() -> None:
    prospects = Prospects(SMALL)
    for _ in range(5):
        add_page(prospects, 0.9, host="good.test")
        add_page(prospects, 0.0, host="bad.test")
    good, unknown, bad = add_page(
        prospects,
        0.5,
        link("http://good.test/"),
        link("http://unknown.test/"),
        link("http://bad.test/"),
    )
    prior = PRIOR_PAGES * PRIOR_PROBABILITY
    assert good == pytest.approx(share(0.5, host_share=(5 * 0.9 + prior) / (5 + PRIOR_PAGES)))
    assert unknown == pytest.approx(share(0.5))
    assert bad == pytest.approx(share(0.5, host_share=prior / (5 + PRIOR_PAGES)))


def test_the_host_counts_less_for_a_url_with_many_parents() -> None:
    prospects, owls, trains = Prospects(SMALL), link("http://good.test/"), link("http://bad.test/")
    for _ in range(5):
        add_page(prospects, 0.9, host="good.test")
    first = add_page(prospects, 0.5, owls, trains)
    for _ in range(10):
        last = add_page(prospects, 0.5, owls, trains)
    assert first[0] - first[1] > 2 * (last[0] - last[1]) > 0


def test_the_rank_of_a_url_follows_its_host() -> None:
    prospects, owls = Prospects(SMALL), link("http://a.test/owls", "owls")
    prospects.use_evidence(WeightEvidence({term_of("owls"): 0.8}))
    assert prospects.rank(owls.key) is None
    ranks = add_page(prospects, 0.9, owls)
    assert prospects.rank(owls.key) == pytest.approx(ranks[0])
    add_page(prospects, 0.0, host="a.test")
    rank = prospects.rank(owls.key)
    assert rank is not None
    assert rank < ranks[0]


def test_a_full_table_forgets_and_starts_again() -> None:
    prospects = Prospects(1)
    first, second = link("http://a.test/1"), link("http://a.test/2")
    add_page(prospects, 0.9, first)
    assert add_page(prospects, 0.9, second) == pytest.approx([share(0.9)])
    assert prospects.rank(first.key) is None
    assert add_page(prospects, 0.9, first) == pytest.approx([share(0.9)])
    assert add_page(prospects, 0.9, first, second) == pytest.approx([share(0.9, 0.9), share(0.9)])


def test_a_page_without_links_has_no_ranks() -> None:
    assert add_page(Prospects(SMALL), 0.9) == []


@given(st.lists(st.tuples(st.floats(0, 1), st.sets(st.integers(0, 20), max_size=8)), max_size=20))
def test_without_words_and_hosts_ranks_are_shares(pages: list[tuple[float, set[int]]]) -> None:
    prospects, parents = Prospects(SMALL), dict[int, list[float]]()
    for probability, targets in pages:
        ordered = sorted(targets)
        for target in ordered:
            parents.setdefault(target, []).append(probability)
        links = [link(f"http://a.test/{target}") for target in ordered]
        ranks = add_page(prospects, probability, *links)
        assert ranks == pytest.approx([share(*parents[target]) for target in ordered], abs=1e-5)
        assert all(0 < rank < 1 for rank in ranks)


def test_a_rank_is_the_sum_of_its_parts() -> None:
    prospects, target = Prospects(SMALL), link("http://t.test/a", "owls")
    prospects.use_evidence(WeightEvidence({term_of("owls"): 0.8}))
    add_page(prospects, 0.9, target)
    add_page(prospects, 0.8, host="t.test")
    parts = prospects.rank_parts(target.key)
    assert parts is not None
    assert parts.rank == pytest.approx(prospects.rank(target.key))
    assert parts.parents == pytest.approx(0.9 / (1 + PRIOR_PARENTS))
    host_share = (0.8 + PRIOR_PAGES * PRIOR_PROBABILITY) / (1 + PRIOR_PAGES)
    assert parts.host == pytest.approx(PRIOR_PARENTS / (1 + PRIOR_PARENTS) * host_share)
    assert parts.words > 0
    assert parts.parents + parts.host + parts.words == pytest.approx(parts.rank)
    assert prospects.rank_parts(address("http://never.test/").key) is None


def test_the_table_can_be_sent_to_another_process() -> None:
    prospects, owls = Prospects(SMALL), link("http://a.test/owls", "owls")
    prospects.use_evidence(WeightEvidence({term_of("owls"): 0.8}))
    ranks = add_page(prospects, 0.9, owls)
    packed = pickle.dumps(prospects)
    copy: Prospects = pickle.loads(packed)  # noqa: S301 - our own
    assert len(packed) < 10_000  # a million slots, and hardly any in use
    assert copy.rank(owls.key) == pytest.approx(ranks[0])
    copy.use_evidence(WeightEvidence({term_of("owls"): 0.8}))  # not pickled with the table
    assert add_page(copy, 0.9, owls) == add_page(prospects, 0.9, owls)
    ranks_of_copy = copy.ranks([owls.key, link("http://never.test/").key]).tolist()
    assert ranks_of_copy == pytest.approx([prospects.rank(owls.key), nan], nan_ok=True)
    add_page(prospects, 0.7, host="a.test")
    add_page(copy, 0.7, host="a.test")
    assert copy.rank(owls.key) == prospects.rank(owls.key)


def test_urls_found_while_a_table_was_written_are_copied() -> None:
    old, prospects = Prospects(SMALL), Prospects(SMALL)
    known, new = link("http://a.test/known"), link("http://a.test/new")
    add_page(old, 0.2, known, new)
    add_page(prospects, 0.9, known)
    prospects.add_missing_from(old)
    assert prospects.ranks([known.key, new.key]).tolist() == pytest.approx([share(0.9), share(0.2)])


def test_evidence_counts_by_the_learned_weights() -> None:
    """The share is weighed when a rank is computed, other evidence when it is stored."""
    weights = LinkWeights(share=2.0, near=3.0)
    prospects, owls = Prospects(SMALL), link("http://a.test/1", "owls")
    prospects.use_evidence(WeightEvidence({term_of("owls"): 0.8}), weights)
    (rank,) = add_page(prospects, 0.5, owls)
    odds = 2.0 * log(share(0.5) / (1 - share(0.5))) + LOG_ODDS_PER_WEIGHT * 0.8 / 2
    assert log(rank / (1 - rank)) == pytest.approx(odds, rel=1e-5)
    assert prospects.rank(owls.key) == pytest.approx(rank)
    assert prospects.ranks([owls.key]).tolist() == pytest.approx([rank])
    plain = Prospects(SMALL)
    add_page(plain, 0.5, owls)
    for table in (prospects, plain):
        table.set_nearby(owls.key, 0.9, 1)
    assert prospects._nearby.max() == pytest.approx(3.0 * plain._nearby.max())
    parts = prospects.rank_parts(owls.key)
    assert parts is not None
    assert parts.rank == pytest.approx(parts.parents + parts.host + parts.words + parts.near)
    assert parts.parents / parts.host == pytest.approx(0.5 / (PRIOR_PARENTS * PRIOR_PROBABILITY))


class _CountingEvidence(WeightEvidence):
    """Text evidence that counts its calls."""

    calls = 0

    def log_odds(self, texts: Sequence[Terms]) -> Floats:
        self.calls += 1
        return super().log_odds(texts)


def test_announced_links_are_scored_together_and_once() -> None:
    weights = {term_of("owls"): 0.8, term_of("engine"): -0.4}
    pages = [
        Visit(
            Entry(
                UrlId(1),
                f"http://p{at}.test/",
                link(f"http://p{at}.test/").key,
                QueueId(1),
                0.5,
                1,
                0.0,
            ),
            Document(
                language=language,
                links=(link(f"http://a.test/{at}", word), link("http://b.test/")),
            ),
        )
        for at, (word, language) in enumerate([("owls", "en"), ("Eulen", "de"), ("engine", "")])
    ]
    judgement = Judgement(TopicId(1), 0.02)
    rankings = []
    for expecting in (True, False):
        prospects, evidence = Prospects(SMALL), _CountingEvidence(weights)
        prospects.use_evidence(evidence)
        ranking = ByProspects(prospects)
        if expecting:
            ranking.expect(pages)
            assert evidence.calls <= 4  # anchors and URLs of each language
            evidence.calls = 0
        rankings.append(
            [list(ranking.rank(page, judgement, page.document.links)) for page in pages],
        )
        assert (evidence.calls == 0) is expecting
    assert rankings[0] == rankings[1]
    assert rankings[0][0][0] > rankings[0][2][0]


def test_links_that_are_left_out_are_not_confused_with_others() -> None:
    prospects = Prospects(SMALL)
    prospects.use_evidence(WeightEvidence({term_of("owls"): 0.8}))
    ranking = ByProspects(prospects)
    links = (link("http://a.test/1", "owls"), link("http://a.test/2", "engine"))
    own = link("http://p.test/")
    entry = Entry(UrlId(1), own.url, own.key, QueueId(1), 0.5, 1, 0.0)
    page = Visit(entry, Document(links=links))
    ranking.expect([page])
    (rank,) = ranking.rank(page, Judgement(TopicId(1), 0.02), links[1:])
    assert rank == pytest.approx(share(topic_probability(Judgement(TopicId(1), 0.02))))
