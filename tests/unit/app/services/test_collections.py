"""The collections of a crawl by tunnelling on a small recorded web."""

from pathlib import Path

import pytest

from motherlode.app.requests.collections import CollectionsRequest
from motherlode.app.services.collections import (
    CollectionView,
    collection_in,
    collections_in,
    make_choices,
)
from support.small_webs import record_web
from support.subject_portals import HITS, crawl_subjects, hit_pages, hit_url, subject_portal
from support.training_webs import paper, text

SEED, NEWS, OWL, HERON = (f"http://{name}.test/" for name in ("seed", "news", "owl", "heron"))
FILE = "http://files.test/owls.ps"
LATE_OWL = "http://late.test/"


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    """A portal that was crawled: the seed leads to an owl, behind news to a heron, and to a hit."""
    hit = hit_url("owl", 1)
    web = record_web(
        tmp_path / "web",
        {
            **hit_pages({hit: [LATE_OWL]}),
            SEED: paper("News", text("news", 0), [OWL, NEWS]),
            NEWS: paper("More news", text("news", 1), [HERON]),
            OWL: paper("An owl", f"{text('owl', 4)} Again.", {hit: "owls", FILE: "on owls"}),
            HERON: paper("A heron", f"{text('heron', 4)} Again."),
            LATE_OWL: paper("A late owl", f"{text('owl', 5)} Later."),
        },
    )
    settings = {
        "crawl__policy": "tunnel",
        "tunnel__threshold": 0.35,
        "tunnel__skip_tokens": ["files"],
    }
    path = subject_portal(tmp_path / "p", [SEED], **settings)
    crawl_subjects(path, web)
    return path


def view(portal: Path, subject: str) -> CollectionView:
    return collection_in(portal, CollectionsRequest(subject=subject))


def test_what_the_crawl_found_is_in_the_collections(portal: Path) -> None:
    members = {member.url: member for member in view(portal, "owl").members}
    hits = {hit_url("owl", number) for number in range(HITS)}
    assert {OWL, LATE_OWL, FILE} | hits == set(members)
    assert members[FILE].merit == members[OWL].merit
    assert [step.url for step in members[FILE].path] == [SEED, OWL, FILE]
    assert [step.url for step in members[LATE_OWL].path] == [
        SEED,
        OWL,
        hit_url("owl", 1),
        LATE_OWL,
    ]
    herons = {member.url: member for member in view(portal, "heron").members}
    assert [step.url for step in herons[HERON].path] == [SEED, NEWS, HERON]
    assert "heron" in {term.word for term in herons[HERON].why}


def test_a_table_says_how_good_each_is(portal: Path) -> None:
    owls, herons = collections_in(portal, CollectionsRequest())
    merits = [member.merit or 0.0 for member in view(portal, "owl").members]
    assert (owls.members, owls.best, owls.state) == (HITS + 3, max(merits), "thin")
    assert (herons.subject, herons.members) == ("heron", HITS + 1)


def test_choices_hold_after_another_crawl(portal: Path, tmp_path: Path) -> None:
    make_choices(portal, CollectionsRequest(reject=(OWL,), pin=(LATE_OWL,)), 1.0)
    crawl_subjects(portal, tmp_path / "web")
    urls = [member.url for member in view(portal, "owl").members]
    assert urls[0] == LATE_OWL
    assert not {OWL, FILE} & set(urls)  # the file has no member left that links to it
