"""The evidence of link texts: by the weights, meanings and mentions of their words."""

import numpy as np
import pytest

from motherlode.documents.features.meanings import Meanings
from motherlode.documents.text.terms import bag_of
from motherlode.learning.links.mentions import learn_mentions
from motherlode.policies.bingo import link_text
from motherlode.policies.bingo.link_text import (
    LOG_ODDS_PER_COSINE,
    LOG_ODDS_PER_LIFT,
    LOG_ODDS_PER_WEIGHT,
    EvidenceSum,
    LinkTextEvidence,
    MeaningEvidence,
    MentionEvidence,
    WeightEvidence,
    mean_evidence,
    url_words,
)
from motherlode.records import Link
from motherlode.urls import address


def term_of(word: str) -> int:
    return int(bag_of(word).terms[0])


def link(url: str, anchor: str) -> Link:
    return Link(url, address(url).key, anchor)


def evidence_of_links(link_text: LinkTextEvidence, *links: Link) -> list[float]:
    keys = np.array([link.key for link in links], np.int64)
    evidence: list[float] = link_text.of_links(keys, links, "en").tolist()
    return evidence


@pytest.fixture
def meanings() -> Meanings:
    """Owls and herons mean much the same, and engines something else."""
    vectors = {"owls": (90, 10), "herons": (80, -20), "engine": (0, 100)}
    ordered = sorted((term_of(word), row) for word, row in vectors.items())
    terms = np.array([term for term, _ in ordered], np.uint32)
    return Meanings(terms, np.array([row for _, row in ordered], np.int8), "test")


def cosine(first: tuple[float, float], second: tuple[float, float]) -> float:
    return float(np.dot(first, second) / np.linalg.norm(first) / np.linalg.norm(second))


def test_texts_near_the_topic_in_meaning_are_evidence_for_it(meanings: Meanings) -> None:
    evidence = LinkTextEvidence(MeaningEvidence(meanings, [np.array([1, 0], np.float32)]))
    log_odds = evidence.of_anchors(["Herons", "engine"], "en")
    expected = [LOG_ODDS_PER_COSINE * cosine((80, -20), (1, 0)), 0.0]
    assert log_odds.tolist() == pytest.approx(expected, abs=1e-6)


def test_of_several_topics_the_nearest_counts(meanings: Meanings) -> None:
    directions = [np.array([1, 0], np.float32), np.array([0, 1], np.float32)]
    evidence = LinkTextEvidence(MeaningEvidence(meanings, directions))
    assert evidence.of_anchors(["engine"], "en").tolist() == pytest.approx([LOG_ODDS_PER_COSINE])


def test_unknown_words_and_no_words_are_no_evidence(meanings: Meanings) -> None:
    evidence = LinkTextEvidence(MeaningEvidence(meanings, [np.array([1, 0], np.float32)]))
    assert np.isnan(evidence.of_anchors(["zyzzyva", "", "click here"], "en")).all()
    assert evidence_of_links(evidence, link("http://a.test/x1", "zyzzyva")) == [0.0]


def mention_evidence(**lifts: float) -> MentionEvidence:
    """Return mention evidence in which words have these lifts; 2.0 is twice the usual share."""
    share, pages = 0.25, 1000
    parts = [
        (np.full(pages, term_of(word), np.uint32), np.full(pages, share * lift))
        for word, lift in lifts.items()
    ]
    return MentionEvidence(learn_mentions(parts, share))


def test_texts_that_pages_on_the_topic_mention_are_evidence_for_it() -> None:
    evidence = LinkTextEvidence(mention_evidence(kestrel=2.0, engine=0.5))
    anchors = ["Kestrels", "kestrel engines", "a kestrel of Zyzzyva", "zyzzyva", ""]
    log_odds = evidence.of_anchors(anchors, "en")
    log2 = LOG_ODDS_PER_LIFT * np.log(2.0)
    assert log_odds[:3].tolist() == pytest.approx([log2, 0.0, log2 / 2], abs=2e-3)
    assert np.isnan(log_odds[3:]).all()


def test_several_kinds_of_evidence_are_added_by_their_weights(meanings: Meanings) -> None:
    by_meaning = MeaningEvidence(meanings, [np.array([1, 0], np.float32)])
    by_mention = mention_evidence(kestrel=2.0, owls=2.0)
    evidence = LinkTextEvidence(EvidenceSum([by_meaning, by_mention], (1.0, 0.5)))
    log_odds = evidence.of_anchors(["owls", "kestrel", "herons", "zyzzyva"], "en")
    meaning, mention = (
        np.nan_to_num(LinkTextEvidence(kind).of_anchors(["owls", "kestrel", "herons"], "en"))
        for kind in (by_meaning, by_mention)
    )
    assert log_odds[:3].tolist() == pytest.approx((meaning + mention / 2).tolist())
    assert np.isnan(log_odds[3])


def test_anchor_and_url_count_half_each() -> None:
    evidence = LinkTextEvidence(WeightEvidence({term_of("owls"): 0.5}))
    links = [link("http://a.test/owls.html", ""), link("http://a.test/7", "owls")]
    with_both = link("http://a.test/owls.htm", "Owls")
    expected = [LOG_ODDS_PER_WEIGHT * 0.25] * 2 + [LOG_ODDS_PER_WEIGHT * 0.5]
    assert evidence_of_links(evidence, *links, with_both) == pytest.approx(expected)


def test_the_mean_counts_missing_evidence_as_zero() -> None:
    anchors, urls = np.array([1.0, np.nan, np.nan]), np.array([3.0, 3.0, np.nan])
    assert mean_evidence(anchors, urls).tolist() == [2.0, 1.5, 0.0]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://owls.test/", []),
        ("http://a.test/birds/Barn_owl-2.htm?page=next", ["birds", "Barn", "owl"]),
        ("http://a.test/w/index.php", []),
        ("http://a.test/%E9%9B%80/Eule", ["Eule"]),
    ],
)
def test_words_of_a_url(url: str, words: list[str]) -> None:
    assert url_words(url) == words


def test_a_full_text_cache_is_emptied_and_filled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_text, "_MAX_CACHED_TEXTS", 2)
    evidence = LinkTextEvidence(WeightEvidence({term_of("owls"): 0.5}))
    for anchors in (["owls", "a b", "c d"], ["owls", "e f"], ["g h", "owls", "owls"]):
        log_odds = evidence.of_anchors(anchors, "en")
        assert log_odds[anchors.index("owls")] == pytest.approx(LOG_ODDS_PER_WEIGHT * 0.5)


def test_texts_keep_their_evidence_when_the_table_grows() -> None:
    evidence = LinkTextEvidence(WeightEvidence({term_of("owls"): 0.5, term_of("engine"): -0.5}))
    urls = [f"http://a.test/{('owls', 'engine')[at % 2]}/{at}" for at in range(5_000)]
    # The lowest bits are the same, so that the search for each key starts at the same row.
    keys = np.array([at << 40 for at in range(len(urls))], np.int64)
    expected = [LOG_ODDS_PER_WEIGHT * 0.5, -LOG_ODDS_PER_WEIGHT * 0.5]
    for start in range(0, len(urls), 500):
        log_odds = evidence.of_urls(
            keys[start : start + 500],
            urls[start : start + 500].__getitem__,
        )
        assert log_odds.tolist() == pytest.approx(expected * 250)
    assert evidence.of_urls(keys, _fail_if_called).tolist() == pytest.approx(expected * 2_500)


def _fail_if_called(_place: int) -> str:
    raise AssertionError("a text was forgotten")
