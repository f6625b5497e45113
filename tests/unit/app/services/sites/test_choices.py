"""Choices about sites: in bulk, with undo, and learned from."""

from pathlib import Path

import pytest

from motherlode.app.errors import NoSuchSiteError
from motherlode.app.requests.sites import SiteChoicesRequest, SiteListRequest
from motherlode.app.services.sites.choices import SiteChoiceMade, choose_sites
from motherlode.app.services.sites.views import sites_in
from motherlode.portal.lock import PortalLock
from motherlode.records import BadInputError, LockedError, UsageError
from support.site_portals import (
    BARN,
    EAGLE,
    HERONS,
    NEWS,
    OLD_BARN,
    OWLS,
    SHOP,
    TAWNY,
    WAITING,
    make_sites,
)


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    return make_sites(tmp_path / "birds")


def choose(path: Path, **fields: object) -> list[tuple[str, str]]:
    result = choose_sites(path, SiteChoicesRequest(**fields))  # type: ignore[arg-type]
    return [(choice.site, choice.choice) for choice in (*result.made, *result.undone)]


def relevant(path: Path) -> set[str]:
    listed = sites_in(path, SiteListRequest(show="relevant"))
    return {site.site for site in listed.sites}


def choices(path: Path) -> dict[str, str]:
    listed = sites_in(path, SiteListRequest())
    return {site.site: site.choice for site in listed.sites if site.choice}


def test_choices_come_before_examples_and_verdicts(birds: Path) -> None:
    made = choose(birds, accept=(EAGLE, f"http://{NEWS}/any"), reject=(TAWNY,), undecided=())
    assert made == [(EAGLE, "accept"), (NEWS, "accept"), (TAWNY, "reject")]
    assert {EAGLE, NEWS} <= relevant(birds)
    assert TAWNY not in relevant(birds)
    assert choices(birds) == {EAGLE: "accept", NEWS: "accept", TAWNY: "reject", OWLS: "like"}
    assert choose(birds, undecided=(NEWS,)) == [(NEWS, "clear")]
    assert choices(birds)[NEWS] == "unlike"  # what it was named as


def test_choices_of_one_command_are_taken_back_together(birds: Path) -> None:
    choose(birds, accept=(EAGLE,))
    choose(birds, reject=(TAWNY, SHOP))
    assert choose(birds, undo=True) == [(TAWNY, "reject"), (SHOP, "reject")]
    assert choices(birds) == {EAGLE: "accept", OWLS: "like", NEWS: "unlike"}
    choose(birds, undo=True)
    with pytest.raises(UsageError, match="nothing to take back"):
        choose(birds, undo=True)


def test_the_portal_learns_and_tells_what_changed(birds: Path) -> None:
    said: list[str] = []
    request = SiteChoicesRequest(accept=(HERONS, SHOP), reject=(TAWNY, BARN))
    result = choose_sites(birds, request, say=said.append)
    assert said == ["Learning from your choices ..."]
    changed = {*result.became_relevant, *result.became_irrelevant}
    assert not changed & {HERONS, SHOP, TAWNY, BARN}
    again = choose_sites(birds, SiteChoicesRequest(undo=True))
    assert {BARN, TAWNY} <= relevant(birds)
    assert set(again.became_relevant) == set(result.became_irrelevant)


def test_a_mirror_means_the_site_that_it_leads_to(birds: Path) -> None:
    result = choose_sites(birds, SiteChoicesRequest(accept=(OLD_BARN, EAGLE)))
    assert result.made == (
        SiteChoiceMade(BARN, "accept", mirror=OLD_BARN),
        SiteChoiceMade(EAGLE, "accept"),
    )


def test_a_site_that_was_named_can_be_forgotten(birds: Path) -> None:
    result = choose_sites(birds, SiteChoicesRequest(forget=(f"http://{NEWS}/x",), accept=(EAGLE,)))
    assert (result.forgotten, result.not_learned) == ((NEWS,), "")
    assert choices(birds) == {OWLS: "like", EAGLE: "accept"}
    for word, words in (
        (NEWS, f"{NEWS} is not one of the sites that you named for the crawl"),
        (EAGLE, f"'lode sites {birds} --undecided {EAGLE}' takes your choice back"),
        ("mailto:a@b.test", "is not a site: scheme 'mailto'"),
    ):
        with pytest.raises(UsageError, match=words):
            choose(birds, forget=(word,))
    with pytest.raises(UsageError, match="or use undo alone"):
        choose(birds, forget=(OWLS,), undo=True)
    assert choices(birds) == {OWLS: "like", EAGLE: "accept"}


def test_a_choice_from_which_nothing_is_learned_says_so(tmp_path: Path) -> None:
    path = make_sites(tmp_path / "birds")
    (path / "lode.toml").write_text('[crawl]\npolicy = "breadth-first"\n')
    result = choose_sites(path, SiteChoicesRequest(accept=(EAGLE,)))
    assert result.not_learned == (
        "the portal is crawled by breadth-first, not for whole websites; "
        f"'lode sites {path} --crawl --policy websites' changes that."
    )
    assert not result.became_relevant


def test_a_site_that_waits_can_be_chosen(birds: Path) -> None:
    assert choose(birds, reject=(WAITING,)) == [(WAITING, "reject")]


def test_files_have_a_site_per_line_and_bad_lines_are_told(birds: Path, tmp_path: Path) -> None:
    accepted = tmp_path / "in.txt"
    accepted.write_text(f"# mine\n{EAGLE} very good\n\nnowhere.test\nhttp://{EAGLE}/x\n{SHOP},\n")
    result = choose_sites(birds, SiteChoicesRequest(accept_from=str(accepted), reject=(BARN,)))
    assert list(result.made) == [
        SiteChoiceMade(BARN, "reject"),
        SiteChoiceMade(EAGLE, "accept"),
        SiteChoiceMade(SHOP, "accept"),
    ]
    assert [problem.split(": ")[0] for problem in result.problems] == [
        f"{accepted}, line 4",
        f"{accepted}, line 5",
    ]
    accepted.write_text("nowhere.test\n")
    with pytest.raises(BadInputError, match=r"nowhere\.test is not among the sites"):
        choose(birds, accept_from=str(accepted))
    with pytest.raises(BadInputError, match="cannot be read"):
        choose(birds, accept_from=str(tmp_path))


def test_what_cannot_be_chosen_is_refused_and_nothing_is_stored(birds: Path) -> None:
    before = choices(birds)
    for fields, kind, words in (
        ({}, UsageError, "Name sites"),
        ({"undo": True, "accept": (EAGLE,)}, UsageError, "Name sites"),
        ({"accept": (EAGLE, "nowhere.test")}, NoSuchSiteError, "is not among the sites"),
        ({"accept": (EAGLE,), "reject": (EAGLE,)}, UsageError, "is named twice"),
        ({"undecided": (EAGLE,)}, UsageError, "no choice of yours"),
        ({"undecided": (OWLS,)}, UsageError, f"'lode sites {birds} --forget {OWLS}'"),
        ({"accept": ("mailto:a@b.c",)}, UsageError, "is not a site: scheme 'mailto'"),
        ({"accept": ("http://[",)}, UsageError, "is not a site"),
        ({"accept_from": "-", "reject_from": "-"}, UsageError, "can be read once"),
    ):
        with pytest.raises(kind, match=words):
            choose(birds, **fields)
    assert choices(birds) == before
    with PortalLock(birds, "lode crawl"), pytest.raises(LockedError):
        choose(birds, accept=(EAGLE,))
