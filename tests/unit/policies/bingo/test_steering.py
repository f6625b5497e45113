"""BINGO!'s rules: focus, tunnels, phases, domains; what they are worth is measured in the lab."""

import pickle
from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from motherlode.documents.text.terms import bag_of
from motherlode.learning.links.mentions import learn_mentions
from motherlode.learning.links.model import LinkModel
from motherlode.learning.links.weights import LinkWeights
from motherlode.learning.options import VotingRule
from motherlode.learning.tree import TopicVerdict, TreeClassifier
from motherlode.policies import Revising, Visit
from motherlode.policies.bingo.options import BingoOptions, Focus
from motherlode.policies.bingo.prospects import Prospects
from motherlode.policies.bingo.steering import (
    FRONT_BONUS,
    MIN_FRONT_PROBABILITY,
    Bingo,
    ByConfidence,
    ByProspects,
    Phase,
    policy_for,
    queue_of,
    topic_probability,
)
from motherlode.policies.bounds import is_within
from motherlode.policies.options import CrawlOptions
from motherlode.policies.registry import BINGO, BINGO_2003
from motherlode.portal import Config
from motherlode.records import (
    ROOT,
    Document,
    Entry,
    Follow,
    Judgement,
    Lane,
    Link,
    ModelId,
    TopicId,
    UrlId,
    UrlKey,
)
from motherlode.urls import address

OWLS, HERONS = TopicId(2), TopicId(3)
ON = Judgement(OWLS, 0.2)
OFF = Judgement(ROOT, -0.2)


class Fixed:
    """A classifier that says what it was told to say."""

    spaces = ("terms",)

    def __init__(self, *verdicts: TopicVerdict) -> None:
        self._verdicts = list(verdicts)

    def judge(self, samples: Sequence[object]) -> list[TopicVerdict]:
        return self._verdicts[: len(samples)]


def bingo(
    phase: Phase = Phase.HARVESTING,
    options: BingoOptions = BingoOptions(),  # noqa: B008 - frozen
    **more: Any,
) -> Bingo:
    classifier: Any = Fixed(TopicVerdict(2, 0.3), TopicVerdict(1, -0.4, others=True))
    return Bingo(
        classifier,
        ModelId(7),
        more.pop("crawl", CrawlOptions()),
        options,
        more.pop("ranking", ByConfidence()),
        {"owls.test"},
        phase,
        **more,
    )


def visit(
    *links: str,
    queue: TopicId = OWLS,
    depth: int = 1,
    distance: float = 0.0,
    url: str = "http://a.owls.test/",
) -> Visit:
    here = address(url)
    found = tuple(
        Link(one.url, one.key) for one in map(address, links or ("http://b.owls.test/1",))
    )
    return Visit(
        Entry(UrlId(1), here.url, here.key, queue_of(queue), 0.5, depth, distance),
        Document(links=found),
    )


def only(policy: Bingo, page: Visit, said: Judgement) -> Follow:
    (follow,) = policy.steer(page, said).follows
    return follow


def test_judgements_are_the_classifiers_with_the_models_number() -> None:
    pages = [visit(), visit()]
    assert bingo().judge(pages) == [
        Judgement(OWLS, 0.3, ModelId(7)),
        Judgement(ROOT, -0.4, ModelId(7)),
    ]


def test_a_page_on_a_topic_passes_its_links_on_at_its_confidence() -> None:
    follow = only(bingo(), visit(queue=HERONS, depth=2, distance=2.0), ON)
    assert (follow.queue, follow.rank, follow.depth, follow.distance) == (
        queue_of(OWLS),
        0.2,
        3,
        0.0,
    )


@pytest.mark.parametrize("decay", [0.5, 1.0])
def test_a_tunnel_decays_and_ends(decay: float) -> None:
    policy = bingo(ranking=ByProspects(Prospects()), decay=decay, options=BingoOptions(tunnel=2))
    ranks = []
    for steps in range(4):
        follows = list(
            policy.steer(visit(f"http://x{steps}.test/", distance=float(steps)), OFF).follows
        )
        ranks += [(follow.distance, follow.rank) for follow in follows]
    assert [distance for distance, _ in ranks] == [1.0, 2.0]
    assert ranks[1][1] == pytest.approx(ranks[0][1] * decay, rel=0.2)
    assert list(bingo(options=BingoOptions(tunnel=0)).steer(visit(), OFF).follows) == []


def test_the_tunnel_of_the_paper_is_short_however_long_it_may_be() -> None:
    assert BingoOptions().reach(BINGO) == BingoOptions().tunnel > 2
    assert BingoOptions().reach(BINGO_2003) == 2
    assert BingoOptions(tunnel=1).reach(BINGO_2003) == 1


def test_soft_focus_accepts_any_topic_and_sharp_only_its_own() -> None:
    other = visit(queue=HERONS)
    sharp = BingoOptions(focus=Focus.SHARP)
    assert only(bingo(), other, ON).distance == 0
    assert only(bingo(Phase.HARVESTING, sharp), other, ON).distance == 1
    assert only(bingo(Phase.LEARNING), other, ON).distance == 1
    assert only(bingo(Phase.LEARNING), visit(queue=OWLS), ON).distance == 0
    assert only(bingo(Phase.LEARNING), visit(queue=ROOT), ON).distance == 0  # nobody's yet


def test_the_learning_phase_stays_near_and_at_home() -> None:
    policy = bingo(Phase.LEARNING)
    lanes = [
        follow.lane
        for follow in policy.steer(visit("http://b.owls.test/", "http://x.test/"), ON).follows
    ]
    assert lanes == [Lane.CRAWL, Lane.HELD]
    assert only(policy, visit(depth=3), ON).lane == Lane.CRAWL
    assert only(policy, visit(depth=4), ON).lane == Lane.HELD
    anywhere = BingoOptions(learn_at_home=False, learn_depth=0)
    assert (
        only(bingo(Phase.LEARNING, anywhere), visit("http://x.test/", depth=9), ON).lane
        == Lane.CRAWL
    )


def test_what_waited_for_later_comes_back_when_harvesting_begins() -> None:
    assert bingo(decay=0.5).place("http://x.test/", 0.4, 9, 1.0) == (Lane.CRAWL, 0.2)


def test_domains_that_a_person_named_are_kept_to() -> None:
    links = (
        "http://owls.test/",
        "http://www.owls.test/",
        "http://myowls.test/",
        "http://bad.owls.test/",
    )
    crawl = CrawlOptions(domains=("owls.test",), locked=("bad.owls.test",))
    follows = bingo(crawl=crawl).steer(visit(*links), ON).follows
    assert [follow.url for follow in follows] == list(links[:2])


def test_depth_can_be_limited() -> None:
    crawl = CrawlOptions(depth=3)
    assert only(bingo(crawl=crawl), visit(depth=2), ON).depth == 3
    assert list(bingo(crawl=crawl).steer(visit(depth=3), ON).follows) == []


def test_the_paper_learns_depth_first() -> None:
    policy = bingo(Phase.LEARNING, depth_first=True)
    deep, shallow = (
        only(policy, visit(depth=2), Judgement(OWLS, 0.1)),
        only(policy, visit(depth=1), ON),
    )
    assert deep.rank > shallow.rank
    assert only(bingo(depth_first=True), visit(depth=2), ON).rank == 0.2


def test_what_was_put_to_the_front_stays_there_while_it_is_likely_to_be_on_the_topic() -> None:
    policy = bingo(ranking=ByProspects(Prospects()))
    for _ in range(40):
        follow = only(policy, visit("http://x.test/"), ON)
    entry = Entry(UrlId(5), follow.url, follow.key, follow.queue, FRONT_BONUS + follow.rank)
    assert follow.rank > MIN_FRONT_PROBABILITY
    assert policy.rank_now(entry) == pytest.approx(FRONT_BONUS + follow.rank)
    only(policy, visit("http://x.test/"), OFF)
    assert FRONT_BONUS + MIN_FRONT_PROBABILITY < policy.rank_now(entry) < FRONT_BONUS + follow.rank
    for _ in range(40):
        only(policy, visit("http://x.test/"), OFF)
    assert policy.rank_now(entry) < MIN_FRONT_PROBABILITY


def test_an_entry_is_thought_over_by_what_is_known_now() -> None:
    prospects = Prospects()
    policy = bingo(ranking=ByProspects(prospects))
    assert isinstance(policy, Revising)
    follow = only(policy, visit("http://x.test/"), ON)
    entry = Entry(
        UrlId(5), follow.url, follow.key, follow.queue, follow.rank, distance=follow.distance
    )
    assert policy.rank_now(entry) == pytest.approx(follow.rank)
    only(policy, visit("http://x.test/"), OFF)  # a page on no topic links there, too
    assert policy.rank_now(entry) < follow.rank
    assert policy.rank_now(replace(entry, rank=9.0)) == 9.0  # before everything else
    unknown = replace(entry, key=UrlKey(1), rank=0.123)
    assert policy.rank_now(unknown) == 0.123
    assert bingo().rank_now(unknown) == 0.123


@pytest.mark.parametrize("phase", list(Phase))
def test_all_that_waits_is_placed_as_each_entry_would_be(phase: Phase) -> None:
    policy = bingo(phase, ranking=ByProspects(Prospects()))
    follows = list(policy.steer(visit("http://b.owls.test/", "http://x.test/"), ON).follows)
    entries = [
        Entry(UrlId(at), one.url, one.key, one.queue, one.rank, depth=one.depth, distance=2.0)
        for at, one in enumerate(follows)
    ]
    entries.append(replace(entries[0], key=UrlKey(1)))  # nothing is known of it
    lanes, ranks = policy.current_places(entries, np.full(3, 0.2))
    for entry, lane, rank in zip(entries[:2], lanes.tolist(), ranks.tolist(), strict=False):
        known = policy.prospects.rank(entry.key) if policy.prospects else None
        assert known is not None
        placed = policy.place(entry.url, known, entry.depth, 2.0)
        assert lane == placed[0]
        assert rank == pytest.approx(placed[1])
    assert np.isnan(ranks[2])


def test_a_page_that_is_thought_of_otherwise_is_no_second_parent() -> None:
    policy = bingo(ranking=ByProspects(Prospects()))
    first = only(policy, visit("http://x.test/"), ON)
    for _ in range(2):
        (again,) = policy.steer_again(visit("http://x.test/"), ON)
        assert again.rank == pytest.approx(first.rank)
        assert again.queue == queue_of(OWLS)
    (sure,) = bingo().steer_again(visit("http://x.test/"), ON)
    assert sure.rank == ON.confidence


def test_the_probability_grows_with_the_distance_to_the_plane() -> None:
    values = [topic_probability(Judgement(OWLS, value)) for value in (-1.0, -0.1, 0.0, 0.1, 1.0)]
    assert values == sorted(values)
    assert values[2] == 0.5


def test_hosts_are_within_their_domains() -> None:
    assert is_within("a.b.test", ["b.test"])
    assert not is_within("ab.test", ["b.test"])
    assert is_within("any.test", [""])


def taught() -> TreeClassifier:
    owls = [
        {"terms": bag_of(text)}
        for text in ("owl mouse night owl", "owl barn owl", "owl night hunter")
    ]
    others = [
        {"terms": bag_of(text)} for text in ("goal match ball", "court law judge", "soup salt pan")
    ]
    return TreeClassifier().fit({2: 1}, {2: owls}, {1: others})


def test_policies_by_name() -> None:
    classifier = taught()
    usual = policy_for(Config(), classifier, None, (), Phase.LEARNING)
    assert usual.prospects is not None
    assert classifier.rule is VotingRule.WEIGHTED
    config = Config(crawl=CrawlOptions(policy=BINGO_2003))
    paper = policy_for(config, classifier, None, (), Phase.LEARNING)
    assert (paper.prospects, paper.depth_first, classifier.rule) == (
        None,
        True,
        VotingRule.UNANIMOUS,
    )
    policy_for(config, classifier, None, (), Phase.HARVESTING)
    assert classifier.rule is VotingRule.WEIGHTED


def test_what_was_learned_of_links_counts_from_then_on() -> None:
    """Also if the book was handed over by whoever studied: it comes without weights."""
    classifier, owl = taught(), int(bag_of("owl").terms[0])
    mentions = learn_mentions([(np.full(9, owl, np.uint32), np.full(9, 0.9))], 0.3)
    page = Visit(
        visit().entry, Document(language="en", links=(Link("http://x.test/", UrlKey(9), "owl"),))
    )
    said = {}
    for name, weights in {
        "all": LinkWeights(),
        "no words": LinkWeights(words=0.0),
        "no mentions": LinkWeights(mentions=0.0),
        "neither": LinkWeights(words=0.0, mentions=0.0),
        "shares twice": LinkWeights(share=2.0, words=0.0, mentions=0.0),
    }.items():
        policy = bingo(ranking=ByProspects(Prospects()))
        handed: Prospects = pickle.loads(pickle.dumps(Prospects()))  # noqa: S301 - our own
        policy.adopt(
            classifier, LinkModel(mentions, weights), ModelId(8), Phase.HARVESTING, (), handed
        )
        (said[name],) = (
            log(rank / (1 - rank)) for rank in policy.ranking.rank(page, ON, page.document.links)
        )
    assert said["no words"] - said["neither"] == pytest.approx(np.log(3.0) / 2, rel=0.2)
    assert said["no mentions"] > said["neither"]
    assert said["all"] == pytest.approx(said["no words"] + said["no mentions"] - said["neither"])
    assert said["shares twice"] == pytest.approx(2 * said["neither"])


def test_anchors_speak_for_the_topic() -> None:
    policy = policy_for(Config(), taught(), None, (), Phase.HARVESTING)
    found = [
        Link(one.url, one.key, anchor)
        for anchor in ("barn owl", "goal")
        for one in [address(f"http://{anchor.split()[0]}.test/")]
    ]
    page = Visit(visit().entry, Document(language="en", links=tuple(found)))
    ranks = [follow.rank for follow in policy.steer(page, OFF).follows]
    assert ranks[0] > ranks[1]
    assert np.isfinite(ranks).all()
