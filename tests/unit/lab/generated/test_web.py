"""The generated web as a whole: from its seed alone, without loose ends, whatever its plan."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motherlode.lab.description import Description, WebPlan
from motherlode.lab.generated.formats import KINDS
from motherlode.lab.generated.web import GeneratedWeb
from motherlode.lab.misbehaviour import HABITS
from motherlode.urls import address, canonical, host_of
from support.generated_webs import DIGEST_SCRIPT, digest_of, made, survey

SMALL = WebPlan(seed=4, pages=400, hosts=20)  # with documents of every format
TESTS = Path(__file__).resolve().parents[3]
EDGES = {
    "the smallest": WebPlan(1, 20, 4),
    "three pages a host": WebPlan(2, 60, 20),
    "seed 0": WebPlan(0, 90, 7),
    "the last seed": WebPlan(2**63 - 1, 150, 23),
    "hosts that are no multiple of the cycle": WebPlan(3, 640, 191),
    "one large host after another": WebPlan(4, 300, 4),
}


def digest_elsewhere(plan: WebPlan, hash_seed: str) -> str:
    command = [
        sys.executable,
        "-c",
        DIGEST_SCRIPT,
        str(plan.seed),
        str(plan.pages),
        str(plan.hosts),
    ]
    env = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": str(TESTS),
        "TZ": "Asia/Kolkata",
    }
    return subprocess.run(
        command, env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_same_seed_is_the_same_web_byte_for_byte_in_another_process() -> None:
    assert {leaf.kind for leaf in survey(SMALL).leaves()} == {"html", *KINDS}
    assert digest_elsewhere(SMALL, "4242") == digest_of(made(SMALL))


def test_another_seed_is_another_web() -> None:
    one, other = made(SMALL), made(WebPlan(8, SMALL.pages, SMALL.hosts))
    assert one.fingerprint != other.fingerprint
    assert not set(one.urls()) & set(other.urls())


def test_another_size_is_another_web() -> None:
    plans = [SMALL, WebPlan(4, 401, 20), WebPlan(4, 400, 21), WebPlan(4, 400, 20, 0.5)]
    assert len({made(plan).fingerprint for plan in plans}) == len(plans)
    assert made(SMALL).fingerprint == GeneratedWeb(WebPlan(4, 400, 20)).fingerprint


def test_a_page_is_the_same_whenever_and_in_whatever_order_it_is_asked_for() -> None:
    known = survey(SMALL)
    shuffled = random.Random(1).sample(known.urls, len(known.urls))
    other = GeneratedWeb(SMALL)
    assert all(other.answer(url) == known.answers[url] for url in shuffled)


def test_every_url_answers_and_is_canonical_and_listed_once() -> None:
    known = survey(SMALL)
    assert len(set(known.urls)) == len(known.urls)
    assert all(canonical(url) == url for url in known.urls)
    assert {answer.status for answer in known.answers.values()} == {200}
    assert len(known.answers) == len(known.urls)
    assert all(answer.body for answer in known.answers.values())


def test_the_hosts_together_have_as_many_pages_as_planned() -> None:
    known = survey(SMALL)
    assert sum(site.size for site in known.sites) == SMALL.pages
    assert known.web.about.pages == SMALL.pages
    assert known.web.about.hosts == SMALL.hosts == len(set(known.web.hosts()))
    listed = [url for host in known.web.hosts() for url in known.web.pages_of(host)]
    assert listed == known.urls


def test_every_label_is_on_a_url_of_the_web_and_names_one_of_its_topics() -> None:
    known = survey(SMALL)
    labels = known.web.labels()
    assert {url for url, _ in labels.items()} <= set(known.urls)
    assert {topic for _, topics in labels.items() for topic in topics} == set(known.atlas.topics)
    assert len(labels) > SMALL.pages / 3


def test_no_link_of_any_page_dangles() -> None:
    known = survey(SMALL)
    ends = {
        link.url: known.way(link.url).end
        for page in known.documents.values()
        for link in page.links
    }
    assert len(ends) > SMALL.pages
    assert set(ends.values()) <= set(known.urls)


def test_every_page_can_be_reached_from_the_first_through_html_alone() -> None:
    known = survey(SMALL)
    assert known.reached({known.urls[0]}, set()) == set(known.urls)


def test_what_is_not_there_is_not_there() -> None:
    known = survey(SMALL)
    web, host = known.web, known.sites[0].name
    targets = [
        "nothing",
        "old/5/1",
        "old/0/1",
        "old/1/99999",
        "way/1/1.html",
        "index.php?page=",
        "?x=0",
        "//",
    ]
    targets += [
        "links.htm",
        "%D9%A1",
        "٣",
        "9" * 400,
        "articles/x-1.html",
        "-1",
        "files/x-2.pdf",
        "0",
        "frame/x",
    ]
    for target in targets:
        assert web.answer(f"http://{host}/{target}") is None, target
    hosts = [
        "nowhere.test",
        f"{host}.test",
        f"x{host}",
        "a0.test",
        "0.test",
        "a99999999999999.test",
        "٣.test",
    ]
    for name in [*hosts, "a٣.test", ""]:
        assert not web.has_host(name), name
        assert list(web.pages_of(name)) == []
        assert web.answer(f"http://{name}/") is None
    assert web.answer("no URL") is None


def test_hosts_have_names_of_their_own_some_under_a_common_domain() -> None:
    known = survey(WebPlan(1, 3000, 60))
    names = [site.name for site in known.sites]
    assert len(set(names)) == len(names)
    assert all(
        known.web.has_host(name) and address(f"http://{name}/").host == name for name in names
    )
    assert any(name.startswith("www.") for name in names)
    assert any(name.count(".") == 2 and not name.startswith("www.") for name in names)


def test_a_page_is_found_however_its_url_is_spelled() -> None:
    known = survey(SMALL)
    url = next(url for url in known.urls if url.endswith(".html"))
    upper = url.replace(host_of(url), host_of(url).upper())
    for spelling in (
        upper,
        f"{url}#part",
        url.replace("http://", "http://user@"),
        f"{url}?utm_source=x",
    ):
        assert known.web.answer(spelling) == known.answers[url]


def test_robots_and_sitemaps_name_what_is_there_and_no_tunnel() -> None:
    known = survey(SMALL)
    told = {host: known.web.answer(f"http://{host}/robots.txt") for host in known.web.hosts()}
    maps = {host: known.web.answer(f"http://{host}/sitemap.xml") for host in known.web.hosts()}
    assert 0 < sum(answer is not None for answer in told.values()) < SMALL.hosts
    assert 0 < sum(answer is not None for answer in maps.values()) < SMALL.hosts
    for host, answer in maps.items():
        if robots := told[host]:
            assert (b"Sitemap: http://%b/sitemap.xml\n" % host.encode() in robots.body) == (
                answer is not None
            )
        if answer:
            named = answer.body.decode().split("<loc>")[1:]
            urls = [row.partition("</loc>")[0].replace("&amp;", "&") for row in named]
            assert urls == [url for url in known.web.pages_of(host) if "/way/" not in url]


def test_hosts_misbehave_at_the_share_that_is_planned() -> None:
    web = made(WebPlan(1, 3000, 400, 0.25))
    habits = [web.habit_of(host) for host in web.hosts()]
    assert 0.18 < sum(map(bool, habits)) / len(habits) < 0.32
    assert set(filter(None, habits)) <= set(HABITS)
    assert not any(made(SMALL).habit_of(host) for host in made(SMALL).hosts())
    assert web.habit_of("nowhere.test") == ""


def test_a_habit_that_is_told_comes_first() -> None:
    made(SMALL)
    web = GeneratedWeb(SMALL, Description(name="mine", misbehaviour={"www.*": "stall"}))
    assert {web.habit_of(host) for host in web.hosts()} == {"", "stall"}
    assert web.about.name == "mine"


@pytest.mark.parametrize("name", EDGES)
def test_webs_at_the_edge_of_what_can_be_planned_are_whole(name: str) -> None:
    known = survey(EDGES[name])
    assert len(known.answers) == len(set(known.urls)) == len(known.urls) >= EDGES[name].pages
    assert min(site.size for site in known.sites) >= 2
    assert sum(site.size for site in known.sites) == EDGES[name].pages
    for page in known.documents.values():
        assert all(known.way(link.url).end for link in page.links)
    assert {url for url, _ in known.web.labels().items()} <= set(known.urls)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**63 - 1), hosts=st.integers(4, 40), more=st.integers(0, 60))
def test_in_the_web_of_any_plan_every_url_answers(seed: int, hosts: int, more: int) -> None:
    plan = WebPlan(seed, max(20, 3 * hosts) + more, hosts)
    web = made(plan)
    urls = list(web.urls())
    assert len(set(urls)) == len(urls) >= plan.pages
    for url in urls:
        answer = web.answer(url)
        assert answer is not None
        assert answer.status == 200, url
        assert answer.header("content-type").partition(";")[0] in {"text/html", *KINDS.values()}
    assert {url for url, _ in web.labels().items()} <= set(urls)
