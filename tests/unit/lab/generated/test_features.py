"""What a generated web has: each feature is there, and is what it says."""

import re
from collections import Counter

import pytest

from motherlode.documents.encoding import charset_in, decode
from motherlode.lab.description import WebPlan
from motherlode.lab.generated.atlas import Part, Site
from motherlode.lab.generated.formats import KINDS
from motherlode.lab.generated.pages import tunnel_path
from motherlode.records import LinkFlag
from motherlode.urls import host_of
from support.generated_webs import Survey, survey

PLAN = WebPlan(seed=1, pages=3000, hosts=60)
DECLARED = re.compile(rb'<meta charset="([^"]+)">')
MAGIC = {"pdf": b"%PDF-", "gz": b"\x1f\x8b", "tgz": b"\x1f\x8b"}


@pytest.fixture(scope="module")
def known() -> Survey:
    return survey(PLAN)


def tunnel(known: Survey, island: Site) -> list[str]:
    """The URLs of the tunnel to an island, in their order."""
    host = known.atlas.tunnel_site(island).name
    steps = range(1, known.atlas.tunnel_length(island) + 1)
    return [f"http://{host}{tunnel_path(island, step)}" for step in steps]


def leading_to(known: Survey, url: str) -> set[str]:
    return {source for source, ends in known.graph.items() if url in ends}


def words(known: Survey, url: str) -> list[str]:
    return known.documents[url].text.lower().split()


def test_an_island_is_reached_through_its_tunnel_and_in_no_other_way(known: Survey) -> None:
    assert len(known.of(Part.ISLAND)) >= 4
    for island in known.of(Part.ISLAND):
        there = known.on(island.name)
        elsewhere = set(known.urls) - there
        assert there <= known.reached(elsewhere, set())
        assert not there & known.reached(elsewhere, set(tunnel(known, island)))
        for page in tunnel(known, island):  # any single page of it is one too many to be without
            assert not there & known.reached({known.urls[0]}, {page})


def test_an_island_is_on_a_topic_and_its_pages_are_labelled(known: Survey) -> None:
    labels = known.web.labels()
    for island in known.of(Part.ISLAND):
        topics = [labels.of(url) for url in known.on(island.name)]
        assert topics.count(frozenset({island.topic})) > len(topics) / 2


def test_a_tunnel_is_three_to_eight_pages_that_lead_from_one_to_the_next_and_are_on_no_topic(
    known: Survey,
) -> None:
    labels, lengths = known.web.labels(), set()
    for island in known.of(Part.ISLAND):
        pages = tunnel(known, island)
        lengths.add(len(pages))
        assert not known.atlas.tunnel_site(island).topic
        assert not any(labels.of(page) for page in pages)
        for page, following in zip(pages, [*pages[1:], f"http://{island.name}/"], strict=True):
            assert leading_to(known, following) - known.on(island.name) == {page}
            assert len(known.documents[page].links) > 3
    assert lengths <= set(range(3, 9))
    assert len(lengths) > 1


def test_the_entrance_of_a_tunnel_is_on_pages_of_the_islands_topic(known: Survey) -> None:
    labels = known.web.labels()
    for island in known.of(Part.ISLAND):
        entrances = leading_to(known, tunnel(known, island)[0])
        assert len(entrances) >= 3
        pages = [url for url in entrances if not url.endswith("/frame/menu.html")]
        assert {labels.of(url) for url in pages} == {frozenset({island.topic})}
        assert {host_of(url) for url in entrances} == {known.atlas.entrance(island).name}


def test_hubs_have_many_links_most_of_them_to_hosts_on_their_topic(known: Survey) -> None:
    hubs = [leaf for leaf in known.leaves() if leaf.hub]
    assert 0.3 < len(hubs) / PLAN.hosts < 0.8
    others = [
        len(page.links) for url, page in known.documents.items() if not url.endswith("/links.html")
    ]
    for hub in hubs:
        url = known.pages.url(hub)
        assert len(known.documents[url].links) > 2 * sum(others) / len(others)
        if not hub.topic:
            continue
        hosts = [host_of(end) for end in known.graph[url] if host_of(end) != hub.site.name]
        alike = [site.topic == hub.topic for host in hosts if (site := known.atlas.find(host))]
        assert sum(alike) / len(alike) > 0.6


def test_a_mirror_has_the_very_pages_of_its_original_under_another_name(known: Survey) -> None:
    assert len(known.of(Part.MIRROR)) >= 3
    for mirror in known.of(Part.MIRROR):
        original = known.atlas.origin(mirror)
        assert (original.part, original.topic) == (Part.PLAIN, mirror.topic)
        assert mirror.name != original.name
        assert mirror.size <= original.size
        here = [url for url in known.urls if host_of(url) == mirror.name]
        for url in here:
            assert known.answers[url] == known.answers[url.replace(mirror.name, original.name)]
        assert any(known.web.labels().of(url) for url in here)


def test_what_a_mirror_lacks_it_redirects_to_its_original(known: Survey) -> None:
    for mirror in known.of(Part.MIRROR):
        original = known.atlas.origin(mirror)
        for number in range(mirror.size, original.size):
            path = known.pages.path(known.pages.leaf(original, number))
            way = known.way(f"http://{mirror.name}{path}")
            assert (way.end, len(way.hops)) == (f"http://{original.name}{path}", 1)
            assert len(known.way(f"http://{mirror.name}/old/4/{number}").hops) == 4


def test_mirrors_are_never_larger_than_their_originals_in_webs_of_any_shape() -> None:
    for hosts, pages in ((191, 573), (191, 700), (400, 1300), (150, 20_000)):
        small = survey(WebPlan(11, pages, hosts))
        assert sum(site.size for site in small.sites) == pages
        for mirror in small.of(Part.MIRROR):
            assert 2 <= mirror.size <= small.atlas.origin(mirror).size


def test_near_duplicates_differ_from_their_source_and_only_a_little(known: Survey) -> None:
    copies = [leaf for leaf in known.leaves() if leaf.source != leaf.number]
    assert 0.02 < len(copies) / PLAN.pages < 0.06
    alike = []
    for copy in copies:
        source = known.pages.leaf(copy.site, copy.source)
        urls = known.pages.url(copy), known.pages.url(source)
        assert known.answers[urls[0]].body != known.answers[urls[1]].body
        assert (copy.topic, known.pages.title(copy)) == (source.topic, known.pages.title(source))
        if source.kind != "html" or copy.site.tongue in (
            "ja",
            "zh",
        ):  # these write no spaces between words
            continue
        one, other = words(known, urls[0]), words(known, urls[1])
        assert one != other
        alike.append(len(set(one) & set(other)) / len(set(one) | set(other)))
    assert len(alike) > 50
    assert min(alike) > 0.8
    assert sum(alike) / len(alike) > 0.9


def test_pages_that_are_no_copies_are_not_alike(known: Survey) -> None:
    site = next(site for site in known.sites if site.topic)
    leaves = [known.pages.leaf(site, number) for number in range(2, site.size)]
    urls = [
        known.pages.url(leaf)
        for leaf in leaves
        if leaf.kind == "html" and leaf.source == leaf.number
    ]
    texts = [set(words(known, url)) for url in urls[:25]]
    pairs = [(one, other) for place, one in enumerate(texts) for other in texts[:place]]
    assert max(len(one & other) / len(one | other) for one, other in pairs) < 0.8


def test_links_to_old_addresses_are_redirected_in_up_to_four_hops(known: Survey) -> None:
    assert len(known.graph) > 0
    chains = [known.ways[url].hops for url in known.ways if "/old/" in url]
    lengths = Counter(map(len, chains))
    assert set(lengths) == {1, 2, 3, 4}
    hops = [hop for chain in chains for hop in chain]
    assert {hop.status for hop in hops} == {301, 302, 303, 307, 308}
    locations = [hop.header("location") for hop in hops]
    assert {location.startswith("http://") for location in locations} == {True, False}
    stale = sum("/old/" in link.url for page in known.documents.values() for link in page.links)
    assert 0.02 < stale / sum(len(page.links) for page in known.documents.values()) < 0.04


def test_a_framed_site_shows_a_menu_and_its_content_which_has_the_links(known: Survey) -> None:
    framed = [site for site in known.sites if site.framed]
    assert 0 < len(framed) < PLAN.hosts / 4
    for site in framed:
        front = f"http://{site.name}/"
        frames = [link for link in known.documents[front].links if link.flags & LinkFlag.FRAME]
        assert [link.url for link in frames] == [
            f"{front}frame/menu.html",
            f"{front}frame/content.html",
        ]
        content, menu = (
            known.documents[f"{front}frame/{name}.html"] for name in ("content", "menu")
        )
        leaf = known.pages.leaf(site, 0)
        assert len(content.links) == len(list(known.pages.links(leaf)))
        assert len(menu.links) == min(20, len(content.links))
        assert content.title == known.pages.title(leaf) == known.documents[front].title
        if site.topic:
            assert known.web.labels().of(f"{front}frame/content.html") == {site.topic}
            assert not known.web.labels().of(front)
    plain = next(site for site in known.sites if not site.framed)
    assert known.web.answer(f"http://{plain.name}/frame/content.html") is None


def test_every_format_occurs_and_is_what_its_name_says(known: Survey) -> None:
    found = Counter(leaf.kind for leaf in known.leaves())
    assert set(found) == {"html", *KINDS}
    assert 0.85 < found["html"] / PLAN.pages < 0.97
    for leaf in known.leaves():
        if leaf.kind == "html":
            continue
        url = known.pages.url(leaf)
        answer = known.answers[url]
        assert url.endswith(f"-{leaf.number}.{leaf.kind}")
        assert answer.header("content-type") == KINDS[leaf.kind]
        if leaf.kind == "txt":
            assert answer.body.decode().startswith(known.pages.title(leaf))
        else:
            assert answer.body.startswith(MAGIC.get(leaf.kind, b"PK\x03\x04")), url


def test_files_have_labels_like_pages(known: Survey) -> None:
    labelled = Counter(
        url.rpartition(".")[2] for url, _ in known.web.labels().items() if "/files/" in url
    )
    assert labelled["pdf"] > 10


def test_hosts_are_in_several_languages_and_encodings() -> None:
    known = survey(WebPlan(2, 600, 200))
    tongues = Counter(site.tongue for site in known.sites)
    assert len(tongues) == 7
    assert tongues[""] > 100
    assert len({site.encoding for site in known.sites}) >= 5
    assert {site.encoding for site in known.sites if site.tongue} - {
        "utf-8",
        "iso-8859-1",
        "windows-1252",
    }


def test_every_page_is_in_the_encoding_of_its_site_which_is_declared_in_the_header_the_page_or_nowhere() -> (
    None
):
    known = survey(WebPlan(2, 600, 200))
    ways: dict[str, Counter[str]] = {"utf-8": Counter(), "other": Counter()}
    for url in known.documents:
        site, answer = known.atlas.find(host_of(url)), known.answers[url]
        assert site is not None
        if url.endswith("/frame/menu.html") or known.documents[url].text == "":
            continue
        text = answer.body.decode(site.encoding)
        header, declared = charset_in(answer.header("content-type")), DECLARED.search(answer.body)
        assert not (header and declared)
        assert declared is None or declared[1].decode() == site.encoding
        way = "header" if header else "page" if declared else "nowhere"
        ways["utf-8" if site.encoding == "utf-8" else "other"][way] += 1
        if way != "nowhere":
            assert decode(answer.body, answer.header("content-type")) == text
    assert all(set(counts) == {"header", "page", "nowhere"} for counts in ways.values())


def test_pages_in_other_languages_have_words_of_their_language() -> None:
    known = survey(WebPlan(2, 600, 200))
    for site in known.sites:
        if site.tongue in ("ru", "el", "ja", "zh"):
            text = "".join(known.pages.paragraphs(known.pages.leaf(site, 1)))
            letters = [letter for letter in text if letter.isalpha()]
            assert sum(ord(letter) > 0x250 for letter in letters) > 0.8 * len(letters)


def test_some_hosts_tell_when_a_page_was_changed(known: Survey) -> None:
    told = [bool(known.answers[url].header("last-modified")) for url in known.documents]
    assert 0.2 < sum(told) / len(told) < 0.8
