"""How sites are judged: the pages with the names, and when enough was read."""

import pytest

from motherlode.documents.text.terms import Bag, bag_of
from motherlode.learning.sites.contrast import SiteProfile
from motherlode.learning.sites.contrast_estimation import fit_contrast
from motherlode.learning.sites.edge_weights import EdgeWeighting
from motherlode.policies.websites.examination import Examination, ReadPage, WaitingPage
from motherlode.policies.websites.judges import ContrastJudge, PaperJudge
from motherlode.policies.websites.options import WebsitesOptions
from motherlode.policies.websites.ranks import NamedEdgeRank
from motherlode.policies.websites.site_graph import SiteGraph, TransversalLink
from motherlode.records import UrlKey
from motherlode.urls import address
from motherlode.urls.site_rules import SiteRules

OWLS = "owls hunt barn night feather wing beak talon plumage raptor perch prey"
VOTES = "voters elect parliament ballot party campaign poll seat senate candidate"


def page(words: str) -> Bag:
    return bag_of(f"{words} " * 3, "en")


@pytest.fixture
def judge() -> ContrastJudge:
    profiles = [SiteProfile(f"owl{n}.test", [page(OWLS)], 1.0) for n in range(3)]
    profiles += [SiteProfile(f"vote{n}.test", [page(VOTES)], 0.0) for n in range(3)]
    rank = NamedEdgeRank(EdgeWeighting.COMBINED, fit_contrast(profiles).contrast)
    return ContrastJudge(rank, SiteGraph(SiteRules(), rank, {}))


def examined(site: str, words: str) -> Examination:
    home = address(f"http://{site}/")
    return Examination(site, home, read=[ReadPage(home.key, 0.5, 0, 0)], profile=[page(words)])


def linked(judge: ContrastJudge, site: str, anchor: str) -> None:
    link = TransversalLink(site, f"http://{site}/", anchor)
    judge.graph.add_links("index.test", UrlKey(1), 0, 0.5, [link])


def test_the_names_of_a_site_count_with_its_pages(judge: ContrastJudge) -> None:
    mixed = "owls hunt night voters elect ballot"
    linked(judge, "a.test", "owls and other raptors")
    linked(judge, "b.test", "parliament and elections")
    linked(judge, "c.test", "more")
    by_pages = judge.probability(examined("c.test", mixed))
    assert judge.probability(examined("a.test", mixed)) > by_pages
    assert judge.probability(examined("b.test", mixed)) < by_pages


def test_names_alone_do_not_make_a_site_relevant(judge: ContrastJudge) -> None:
    linked(judge, "a.test", "owls and other raptors")
    assert judge.probability(examined("a.test", VOTES)) < 0.5


def test_the_paper_reads_a_decided_site_on_until_its_links_are_enough() -> None:
    home, more = address("http://a.test/"), address("http://a.test/more")
    judge = PaperJudge(WebsitesOptions(threshold=0.9, link_rank=5.0), 0.1, lambda: 0.5)
    site = Examination("a.test", home, read=[ReadPage(home.key, 1.0, 2, 0)], probability=0.95)
    site.waiting[more.key] = WaitingPage(more, 1, home.key, 0)
    assert not judge.is_decided(site)  # (1.0 * 2 + 1) / 0.95 = 3.2
    site.read.append(ReadPage(more.key, 1.0, 1, 1))
    assert judge.is_decided(site)  # 5 / 0.95 = 5.3
    site.probability = 0.6
    assert not judge.is_decided(site)


def test_without_more_pages_a_sure_site_is_decided_whatever_its_links() -> None:
    home = address("http://a.test/")
    judge = PaperJudge(WebsitesOptions(threshold=0.9, link_rank=5.0), 0.1, lambda: 0.5)
    site = Examination("a.test", home, read=[ReadPage(home.key, 1.0, 0, 0)], probability=0.95)
    assert judge.is_decided(site)
