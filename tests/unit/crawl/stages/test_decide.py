"""The decide stage: pages are judged as training will read them."""

from collections.abc import Iterable
from pathlib import Path

from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits
from motherlode.documents.features.spaces import ANCHORS, TERMS, URLS, Sample
from motherlode.lab.clock import run_virtually
from motherlode.policies.baselines import BreadthFirst
from motherlode.policies.policy import Moves, PolicyDefaults, Visit
from motherlode.portal import Portal
from motherlode.records import Follow, Judgement
from motherlode.training.samples import stored_sample
from motherlode.training.training_document import page_at_url
from motherlode.urls import address
from support.scripted_web import Said, ScriptedWeb, moved
from support.training_webs import paper, planted

SEED, FINAL = "http://a.test/", "http://b.test/barn/owls"
PAGES: dict[str, Said] = {
    SEED: paper("Seed", "An owl", {"http://a.test/old": "the old way", FINAL: "barn owls"}),
    "http://a.test/old": moved(FINAL),
    FINAL: paper("Barn owls", "They hunt at night"),
}
SPACES = (TERMS, ANCHORS, URLS)


class Watching(PolicyDefaults):
    """Follows the first link of each page, and remembers the samples."""

    name = "watching"
    spaces = SPACES

    def __init__(self) -> None:
        self.samples: dict[str, Sample] = {}

    def seed(self) -> Iterable[Follow]:
        return BreadthFirst([address(SEED)]).seed()

    def steer(self, visit: Visit, judgement: Judgement | None) -> Moves:
        self.samples[visit.url] = visit.sample
        follows = BreadthFirst([]).steer(visit, judgement).follows
        return Moves(list(follows)[:1])


def words(sample: Sample) -> dict[str, list[list[int]]]:
    return {
        space: [bag.terms.tolist(), bag.counts.tolist()] for space, bag in sorted(sample.items())
    }


def test_a_page_is_judged_in_the_features_that_it_is_learned_from(tmp_path: Path) -> None:
    portal, policy = planted(tmp_path / "p", {"owls": [SEED]}), Watching()
    with Portal.crawling(portal, "test") as opened:
        run_virtually(crawl(opened, ScriptedWeb(PAGES), policy, Limits(2)))
        with opened.store.reading() as session:
            page = page_at_url(session, FINAL)
            assert page is not None
            stored = stored_sample(session, page, SPACES)
    assert words(policy.samples[FINAL]) == words(stored)
    assert len(stored[URLS])
