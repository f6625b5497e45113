"""Addresses without end."""

import pytest

from motherlode.urls.traps import TrapRules, trap_in


@pytest.mark.parametrize(
    ("url", "trap"),
    [
        ("http://a.test/", ""),
        ("http://a.test/a/b/c.html?x=1&y=2", ""),
        ("http://a.test/2026/11/16/2026/11/page", ""),
        ("http://a.test/x/x/x", ""),
        ("http://a.test/x/x/x/x", "repeating path"),
        ("http://a.test/a/b/a/b/a/b/a/b/", "repeating path"),
        ("http://a.test//////////////////////////////", ""),
        ("http://a.test/" + "/".join(map(str, range(21))), "deep path"),
        ("http://a.test/?" + "&".join(f"p{n}=1" for n in range(21)), "many parameters"),
        ("http://a.test/?" + "&".join(f"p{n}=1" for n in range(20)), ""),
    ],
)
def test_traps_are_told_by_their_looks(url: str, trap: str) -> None:
    assert trap_in(url) == trap


def test_the_limits_are_the_persons() -> None:
    assert trap_in("http://a.test/a/b", TrapRules(max_depth=1)) == "deep path"
    assert trap_in("http://a.test/x/x/x/x", TrapRules(max_repeats=4)) == ""
