"""The estimated precision of a topic is that of the pages that nobody gave as examples."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from motherlode.learning.precision import PrecisionEstimate
from motherlode.portal import Portal, create_portal
from motherlode.records import Example, Judgement, Origin, Outcome, Page, TopicId
from motherlode.store.tables import frontier, outcomes
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import plant_seeds
from motherlode.training.portal_view import PortalView
from motherlode.training.topic_profile import precision_estimates
from motherlode.urls import UrlRules
from support.helpers import follow

OWLS = TopicId(2)
GIVEN_PROBABILITY, FOUND_PROBABILITY = 0.99, 0.4


def estimate(folder: Path, origins: Sequence[Origin], found: int) -> PrecisionEstimate | None:
    """Return the estimate of a topic with examples of these origins, and pages that were found."""
    create_portal(folder, plant_seeds([(("owls",), [])], UrlRules()), {})
    examples = [Example(OWLS, f"http://a.test/{n}", origin=o) for n, o in enumerate(origins)]
    pages = {example.url or "": GIVEN_PROBABILITY for example in examples}
    pages |= {f"http://b.test/{number}": FOUND_PROBABILITY for number in range(found)}
    with Portal.crawling(folder, "test") as portal:
        with portal.batch() as session:
            topic_rows.add_examples(session, examples)
            frontier.offer(session, [follow(url, queue=OWLS) for url in pages])
            outcomes.keep(
                session,
                [
                    Outcome(
                        entry,
                        page=Page(entry.url, entry.key, 1.5, 200, "text/html", 10),
                        judgement=Judgement(OWLS, 0.2, probability=pages[entry.url]),
                    )
                    for entry in frontier.waiting(session, 2, 100)  # type: ignore[arg-type]
                ],
            )
        with portal.store.reading() as session:
            view = PortalView(session, portal.config, portal.tree())
            return precision_estimates(view).get(OWLS)


def test_the_examples_own_pages_do_not_count(tmp_path: Path) -> None:
    known = estimate(tmp_path / "p", [Origin.PERSON] * 6, found=5)
    assert known == PrecisionEstimate(pytest.approx(FOUND_PROBABILITY), 6)  # type: ignore[arg-type]


def test_too_few_other_pages_give_no_estimate(tmp_path: Path) -> None:
    assert estimate(tmp_path / "p", [Origin.PERSON] * 6, found=4) is None


def test_accepted_archetypes_are_no_given_examples(tmp_path: Path) -> None:
    origins = [Origin.PERSON] * 4 + [Origin.FEEDBACK] * 4
    assert estimate(tmp_path / "p", origins, found=20) is None
