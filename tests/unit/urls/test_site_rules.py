"""What a site is, by default and as the user says."""

import pytest

from motherlode.urls.site_rules import SiteRules, check_groups


@pytest.mark.parametrize(
    ("url", "site", "home"),
    [
        ("http://a.org/x/y", "a.org", "http://a.org/"),
        ("https://www.b.org:8443/x?y=1", "www.b.org", "https://www.b.org:8443/"),
        ("http://shop.c.org/cart", "www.c.org", "http://www.c.org/"),
        ("http://uni.edu/~anna/papers/1", "uni.edu/~anna/", "http://uni.edu/~anna/"),
        ("http://uni.edu/~anna", "uni.edu/~anna/", "http://uni.edu/~anna/"),
        ("http://uni.edu/~annabel/", "uni.edu", "http://uni.edu/"),
        ("http://uni.edu/~anna/blog/2", "uni.edu/~anna/blog/", "http://uni.edu/~anna/blog/"),
    ],
)
def test_a_site_is_a_host_or_the_longest_prefix_that_fits(url: str, site: str, home: str) -> None:
    groups = [["www.c.org", "shop.c.org"], ["uni.edu/~anna"], ["uni.edu/~anna/blog/"]]
    rules = SiteRules(groups)
    assert rules.site_of(url) == site
    assert rules.home_of(url).url == home


def test_hosts_are_divided_only_by_prefixes_with_a_path() -> None:
    assert SiteRules([["uni.edu/~anna/"]]).divides_hosts
    assert not SiteRules([["www.c.org", "shop.c.org"]]).divides_hosts
    assert not SiteRules().divides_hosts


@pytest.mark.parametrize(
    ("groups", "problem"),
    [
        ([["a.org"], ["a.org"]], "belongs to two sites"),
        ([[]], "at least one"),
        ([["http://"]], "no host or prefix"),
    ],
)
def test_prefixes_that_make_no_sense_are_refused(groups: list[list[str]], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_groups(groups)
