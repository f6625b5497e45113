"""Microseconds a URL: our canonical form with key and limits, beside the bare parser and urllib."""

from urllib.parse import urldefrag, urljoin, urlsplit

import url as whatwg

from bench.timing import interleaved
from motherlode.urls import address, registrable_domain

BASE = "http://www.example.org/department/people/index.html?lang=en"
# The mix of the recorded `campus` web: mostly paths on the same host, some queries, some other hosts.
REFERENCES = [
    "../publications/2003.html",
    "/courses/db/lecture-07.html",
    "paper.pdf",
    "http://www.other-site.example.com/research/groups/ir/",
    "/wiki/doku.php?id=projects:start&rev=1234567890",
    "https://Another.Example.NET:443/a/b/../c.html#section-2",
    "#top",
    "/calendar/month.php?year=2019&month=7&utm_source=newsletter",
    "//cdn.example.org/docs/%7Euser/page%20one.html",
    "http://www.example.org/department/people/smith;jsessionid=0123456789ABCDEF",
] * 100


def main() -> None:
    base = whatwg.URL.parse(BASE)
    hosts = [address(reference, BASE).host for reference in REFERENCES]

    def ours() -> None:
        for reference in REFERENCES:
            address(reference, BASE)

    def bare() -> None:
        for reference in REFERENCES:
            str(base.join(reference))

    def urllib() -> None:
        for reference in REFERENCES:
            urlsplit(urldefrag(urljoin(BASE, reference)).url)

    def domains() -> None:
        for host in hosts:
            registrable_domain(host)

    candidates = {
        "join, canonical form, limits, key": ours,
        "bare parser (url-py), join only": bare,
        "urllib, join and split only": urllib,
        "registrable domain, cached": domains,
    }
    taken = interleaved(candidates)
    for name, seconds in taken.items():
        print(f"  {name:36} {seconds / len(REFERENCES) * 1e6:6.2f} us a URL")
    ratio = taken["urllib, join and split only"] / taken["join, canonical form, limits, key"]
    print(f"  ours is {ratio:.1f} times as fast as urllib's join and split alone")
