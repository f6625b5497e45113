"""Which decided site is read on: a doubtful one, or a relevant one for its links."""

from collections.abc import Iterator

from motherlode.policies.websites.decided_sites import MAX_DECIDED_SITES, DecidedSites
from motherlode.policies.websites.examination import Examination, ReadPage, WaitingPage
from motherlode.records import UrlKey
from motherlode.urls import address


def decided(probabilities: dict[str, float], pages: dict[str, int] | None = None) -> DecidedSites:
    sites = DecidedSites(probabilities)
    for site in probabilities:
        sites.add(examination(site, (pages or {}).get(site, 1)))
    return sites


def examination(site: str, pages: int) -> Examination:
    home = address(f"http://{site}/")
    read = [ReadPage(UrlKey(number), 0.5, 0, 0) for number in range(pages)]
    more = address(f"http://{site}/more")
    waiting = {more.key: WaitingPage(more, 1, home.key, 0)}
    return Examination(site, home, read=read, waiting=waiting)


def doubtful(sites: DecidedSites, least: float) -> Iterator[str]:
    while (site := sites.take_doubtful(least)) is not None:
        yield site.site


def test_the_most_doubtful_site_is_read_on_first_and_sure_ones_are_not() -> None:
    sites = decided({"sure.test": 0.97, "no.test": 0.02, "even.test": 0.5, "maybe.test": 0.3})
    assert list(doubtful(sites, 0.09)) == ["even.test", "maybe.test"]


def test_a_site_of_more_pages_is_less_worth_another_one() -> None:
    sites = decided({"long.test": 0.5, "short.test": 0.5}, {"long.test": 3, "short.test": 2})
    assert list(doubtful(sites, 0.09)) == ["short.test"]  # 0.125; the other has 0.083


def test_a_later_model_makes_a_site_doubtful_again() -> None:
    probabilities = {"raised.test": 0.02}
    sites = decided(probabilities)
    assert sites.take_doubtful(0.09) is None
    probabilities["raised.test"] = 0.4
    raised = sites.take_doubtful(0.09)
    assert raised is not None
    assert raised.probability == 0.4


def test_a_doubtful_site_gives_way_to_an_unexamined_one_of_a_better_rank() -> None:
    sites = decided({"even.test": 0.5})
    assert sites.take_doubtful(0.26) is None
    assert sites.take_doubtful(0.24) is not None


def test_relevant_sites_are_read_on_for_links_those_of_fewest_pages_first() -> None:
    sites = decided(
        {"named.test": 1.0, "found.test": 0.9, "other.test": 0.1},
        {"named.test": 25, "found.test": 2, "other.test": 1},
    )
    taken = [sites.take_for_links() for _ in range(3)]
    assert [None if site is None else site.site for site in taken] == [
        "found.test",
        "named.test",
        None,
    ]


def test_a_site_without_pages_to_read_is_not_taken() -> None:
    sites = decided({"even.test": 0.5})
    even = sites.get("even.test")
    assert even is not None
    for key in list(even.waiting):
        even.meet(key)
    assert sites.take_doubtful(0.0) is None


def test_the_least_probable_site_is_forgotten_where_there_are_too_many() -> None:
    sites = decided({f"s{number}.test": 0.5 for number in range(MAX_DECIDED_SITES)} | {"x": 0.01})
    assert len(sites.sites) == MAX_DECIDED_SITES
    assert sites.get("x") is None
