"""Searching, pages, marks and exports as a visitor meets them; hostile pages come out harmless."""

import io
import json
import re
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from motherlode.app.jobs import exports
from motherlode.app.requests.query_string import query_string_of
from motherlode.app.requests.search import SearchParameters
from motherlode.app.web.views import original as original_view
from motherlode.documents.html.sanitizer import harmless_html
from motherlode.portal import Portal, PortalLock
from motherlode.search.indexer import update_index
from support.app_server import send, visitor
from support.search_portals import SamplePage, fill_portal

EVIL = "http://evil.test/"
HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m\"'><img src=x onerror=alert(1)> owl"
LONG = "http://long.test/"
ACTIVE = (
    "<!DOCTYPE html><base href='http://x.test/'><meta http-equiv=refresh content='0;url=http://x.test/'>"
    "<link rel=dns-prefetch href='//x.test'><script>alert(1)</script><body onload=alert(2)>"
    "<p style='color:red'>owls</p><img src='http://x.test/i.png' onerror=alert(3)>"
    "<img src='data:image/png;base64,AAAA'><a href='javascript:alert(4)' ping='http://x.test'>go</a>"
    "<iframe src='http://x.test'></iframe>"
    "<form action='http://x.test'><button formaction='x'>b</button></form>"
    "<svg><script>alert(5)</script><a xlink:href='http://x.test'>y</a></svg><object data='x'></object>"
)
PAPERS = {
    "http://barn.test/": SamplePage(
        "The barn owl",
        "The barn owl hunts mice in the night.",
        topic="birds/owls",
        confidence=0.9,
        links={"http://heron.test/": "wading birds"},
    ),
    "http://owls.test/": SamplePage(
        "Owls", "Owls of the world hunt at night.", topic="birds/owls", day=2
    ),
    "http://heron.test/": SamplePage(
        "Herons", "The grey heron spears fish at night.", topic="birds", day=4
    ),
    "http://eule.test/": SamplePage("Eulen", "Die Eulen jagen in der Nacht.", language="de", day=8),
    "http://paper.test/a.pdf": SamplePage(
        "Pellets", "What pellets of owls hold.", mime="application/pdf"
    ),
    EVIL: SamplePage(HOSTILE, f"An owl says {HOSTILE}", topic="birds", confidence=0.4),
    LONG: SamplePage(
        "owl " * 250_000, "One megabyte of title, and an owl in the text.", topic="birds"
    ),
    "http://active.test/": SamplePage("Active", ACTIVE, topic="birds"),
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    path = fill_portal(folder / "birds", PAPERS, ("birds", "birds/owls", "politics"))
    with Portal.reading(path) as portal:
        update_index(portal)
    return folder


@pytest.fixture
def client(shelf: Path) -> TestClient:
    return visitor(shelf)


def found(client: TestClient, **asked: Any) -> Any:
    answer = client.get("/api/v1/portals/birds/search", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def hosts(answer: Any) -> list[str]:
    return [one["url"].split("/")[2].removesuffix(".test") for one in answer["results"]]


def over(client: TestClient, job: Any) -> Any:
    """The job, once it is over; one that never is would be ended by the test's own timeout."""
    pause = threading.Event()
    at = f"/api/v1/portals/{job['portal']}/jobs/{job['id']}"
    while (now := client.get(at).json())["state"] in ("queued", "running"):
        pause.wait(0.05)
    return now


# Searching


def test_results_with_marked_words_filters_and_their_counts(client: TestClient) -> None:
    page = client.get("/portals/birds/search", params={"q": "barn owls"})
    assert page.status_code == 200
    assert "1 page matches" in page.text
    assert "<mark>barn</mark> <mark>owl</mark>" in page.text
    assert 'href="/portals/birds/page?url=http%3A%2F%2Fbarn.test%2F"' in page.text
    part = client.get("/portals/birds/search/found", params={"q": "owl"}).text
    assert re.search(
        r'value="birds/owls"> <label[^>]*>birds/owls</label> <span class="facts">2<', part
    )
    assert "<html" not in part


def test_what_is_asked_stands_in_the_address(client: TestClient) -> None:
    text = client.get(
        "/portals/birds/search?q=owl&topic=birds/owls&site=barn.test&rank_bm25=1&rank_cosine=0"
    ).text
    assert re.search(r'value="birds/owls" checked', text)
    assert re.search(r'value="barn.test" checked', text)
    assert re.search(r'name="rank_cosine" [^>]*value="0.0"', text)
    searched = SearchParameters(q="owl", topic="a b", any=True, page=2)
    assert query_string_of(searched) == "q=owl&topic=a+b&any=1&page=2"


def test_weights_change_the_order(client: TestClient) -> None:
    by_words, by_topic = (
        found(client, q="night", rank="bm25"),
        found(client, q="night", rank="confidence"),
    )
    assert hosts(by_topic)[0] == "barn"
    assert hosts(by_words) != hosts(by_topic)
    assert by_topic["rank"] == {"confidence": 1.0}


def test_facets_count_what_is_found(client: TestClient) -> None:
    facets = found(client, q="night")["facets"]
    assert {one["value"]: one["pages"] for one in facets["topic"]} == {"birds": 3, "birds/owls": 2}
    assert {one["value"] for one in facets["site"]} == {"barn.test", "owls.test", "heron.test"}
    assert facets["language"] == [{"value": "en", "pages": 3}]
    assert hosts(found(client, q="night", topic="birds/owls", site=["owls.test", "x.test"])) == [
        "owls"
    ]
    assert found(client, type="pdf")["facets"]["type"] == [{"value": "pdf", "pages": 1}]


@pytest.mark.parametrize(
    ("asked", "status", "says"),
    [
        ({"q": "(owl"}, 400, "The parenthesis at character 1"),
        ({"q": "owl", "like": "http://barn.test/"}, 400, "not both"),
        ({"q": "owl", "topic": "nonsense"}, 404, "nonsense"),
        ({"q": "owl", "since": "soon"}, 400, "is not a day"),
        ({"q": "owl", "rank": "luck"}, 400, "There is no ranking"),
        ({"q": "owl", "rank": "bm25=0"}, 400, "above 0"),
        ({"like": "http://nowhere.test/"}, 409, "no page at"),
        ({"like": "mailto://x"}, 400, "not an address"),
    ],
)
def test_what_cannot_be_sought_is_said_in_a_sentence(
    client: TestClient, asked: dict[str, str], status: int, says: str
) -> None:
    answer = client.get("/api/v1/portals/birds/search", params=asked)
    assert (answer.status_code, says in answer.json()["error"]) == (status, True), answer.text
    page = client.get("/portals/birds/search", params=asked)
    assert (page.status_code, 'class="problem"' in page.text) == (status, True)


def test_a_parse_error_shows_its_place(client: TestClient) -> None:
    text = client.get("/portals/birds/search", params={"q": "barn (owl"}).text
    assert "<code>barn <mark>(</mark>owl</code>" in text


def test_more_like_this_and_why(client: TestClient) -> None:
    assert "owls" in hosts(found(client, like="http://barn.test/"))
    one = found(client, q="owl", why=True)["results"][0]
    assert {part["name"] for part in one["why"]} == {"bm25", "cosine", "topic", "authority"}
    assert one["places"]["title"] > 0


def test_without_an_index_there_is_a_button(tmp_path: Path) -> None:
    fill_portal(
        tmp_path / "birds",
        {"http://barn.test/": PAPERS["http://barn.test/"]},
        ("birds", "birds/owls"),
    )
    client = visitor(tmp_path)
    page = client.get("/portals/birds/search?q=owl").text
    assert "Make the index" in page
    assert "There is no index yet." in page
    assert client.get("/api/v1/portals/birds/search?q=owl").status_code == 409
    assert (
        over(client, client.post("/api/v1/portals/birds/index", json={}).json())["state"] == "done"
    )
    assert "1 page matches" in client.get("/portals/birds/search?q=owl").text
    fill_portal(tmp_path / "birds", {"http://owls.test/": PAPERS["http://owls.test/"]})
    assert (
        "1 page changed since the index was made" in client.get("/portals/birds/search?q=owl").text
    )


def test_an_index_at_work_is_told(tmp_path: Path) -> None:
    fill_portal(
        tmp_path / "birds",
        {"http://barn.test/": PAPERS["http://barn.test/"]},
        ("birds", "birds/owls"),
    )
    client = visitor(tmp_path, running_jobs=0)
    for _ in range(2):  # the second time it is at work already
        assert send(client, "/portals/birds/index").headers["location"] == "/portals/birds/search"
    page = client.get("/portals/birds/search").text
    assert "The index is being brought up to date." in page
    assert 'data-live="/portals/birds/index/now"' in page
    assert "Make the index" not in page
    (job,) = client.get("/api/v1/portals/birds/jobs").json()
    assert "data-over" not in client.get("/portals/birds/index/now").text
    client.post(f"/api/v1/portals/birds/jobs/{job['id']}/cancel")
    assert "data-over" in client.get("/portals/birds/index/now").text


# Pages


def test_a_page_says_what_it_is_and_why_it_is_here(client: TestClient) -> None:
    text = client.get("/portals/birds/page", params={"url": "http://heron.test/"}).text
    assert "The grey heron spears fish" in text
    assert "wading birds" in text  # the link to it
    assert "http%3A%2F%2Fbarn.test%2F" in text
    assert re.search(r"<iframe [^>]*\bsandbox(?!=)[^>]*>", text)
    told = client.get("/api/v1/portals/birds/pages", params={"url": "http://heron.test/"}).json()
    assert told["page"]["title"] == "Herons"
    assert told["links_in"] == [
        {"url": "http://barn.test/", "title": "The barn owl", "anchor": "wading birds"}
    ]
    assert told["explanation"]["became"] == "fetched"


def test_a_page_that_was_never_seen(client: TestClient) -> None:
    for place in ("pages", "explain", "pages/original"):
        answer = client.get(
            f"/api/v1/portals/birds/{place}", params={"url": "http://nowhere.test/"}
        )
        assert (answer.status_code, list(answer.json())) == (404, ["error"])
    assert client.get("/portals/birds/page", params={"url": "javascript:alert(1)"}).status_code in (
        400,
        404,
    )
    explained = client.get(
        "/api/v1/portals/birds/explain", params={"url": "http://barn.test/"}
    ).json()
    assert explained["judgement"]["topic"] == "birds/owls"


def test_hostile_words_are_words(client: TestClient) -> None:
    for path in ("/portals/birds/search?q=owl", f"/portals/birds/page?url={EVIL}"):
        text = client.get(path).text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert "&lt;script&gt;alert(1)" in text


def test_a_title_of_a_megabyte_is_cut(client: TestClient) -> None:
    assert len(client.get("/portals/birds/search?q=owl").text) < 200_000
    assert len(client.get("/portals/birds/page", params={"url": LONG}).text) < 50_000


def test_hostile_queries_are_words(client: TestClient) -> None:
    for query in (
        HOSTILE,
        '"><script>',
        "\x00",
        "\ud800".encode("utf-8", "replace").decode(),
        "a" * 4000,
    ):
        page = client.get(
            "/portals/birds/search", params={"q": query, "topic": query, "site": query}
        )
        assert page.status_code in (200, 400, 404, 422)
        assert "<script>" not in page.text


def test_the_original_can_neither_run_nor_ask_for_anything(client: TestClient) -> None:
    answer = client.get("/portals/birds/page/original", params={"url": "http://active.test/"})
    assert answer.headers["content-security-policy"] == original_view.POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "sandbox" in original_view.POLICY
    assert "allow-" not in original_view.POLICY
    assert '<p style="color:red">owls</p>' in answer.text
    assert "data:image/png" in answer.text
    for word in (
        "script",
        "http",
        "on",
        "href",
        "refresh",
        "action",
        "iframe",
        "svg",
        "object",
        "ping",
    ):
        assert not re.search(rf"<[^>]*\b{word}", answer.text), word


def test_what_is_no_page_is_not_shown_but_can_be_had(client: TestClient) -> None:
    at = {"url": "http://paper.test/a.pdf"}
    shown = client.get("/portals/birds/page/original", params=at)
    assert shown.headers["content-type"] == "text/plain; charset=utf-8"
    assert "you can download it" in shown.text
    kept = client.get("/portals/birds/page/original", params=at | {"download": "1"})
    assert kept.headers["content-type"] == "application/octet-stream"
    assert kept.headers["content-disposition"].startswith("attachment")
    assert kept.content == client.get("/api/v1/portals/birds/pages/original", params=at).content
    assert b"pellets of owls" in kept.content


@pytest.mark.parametrize(
    "html", ["", "<", "<p", "<b>" * 3_000, "\x00", "<style>a</style><script>b", "&lt;p&gt;"]
)
def test_any_text_becomes_harmless(html: str) -> None:
    assert "<script" not in harmless_html(html)


# Marks


def test_marks_are_given_listed_and_taken_back(tmp_path: Path) -> None:
    client = _copy(tmp_path)
    sent = send(client, "/portals/birds/marks", word="bad", url="http://owls.test/", next="q=owl")
    assert (sent.status_code, sent.headers["location"]) == (303, "/portals/birds/search?q=owl")
    text = client.get("/portals/birds/search?q=owl").text
    assert "bad for birds/owls" in text
    assert "1 mark not learned from yet" in text
    assert "bad for birds/owls" in client.get("/portals/birds/marks").text
    listed = client.get("/api/v1/portals/birds/marks").json()
    assert [(one["url"], one["word"], one["learned"]) for one in listed] == [
        ("http://owls.test/", "bad", False)
    ]
    body = {"good": ["http://eule.test/"], "topic": "birds"}
    assert (
        client.post("/api/v1/portals/birds/marks", json=body).json()["marked"][0]["topic"]
        == "birds"
    )
    assert client.post("/api/v1/portals/birds/marks", json={"undo": True}).json()["undone"] == 1
    assert send(client, "/portals/birds/marks", word="undo", back="marks").status_code == 303
    assert client.get("/api/v1/portals/birds/marks").json() == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"undo": True, "good": ["http://barn.test/"]}, 400),
        ({"good": ["http://nowhere.test/"]}, 400),
        ({"good": ["http://barn.test/"], "topic": "nonsense"}, 404),
        ({"good": ["http://barn.test/"], "bad": ["http://barn.test/"]}, 400),
        ({"excellent": ["http://barn.test/"]}, 422),
    ],
)
def test_marks_that_make_no_sense(client: TestClient, body: dict[str, Any], status: int) -> None:
    answer = client.post("/api/v1/portals/birds/marks", json=body)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


def test_nothing_is_marked_while_somebody_writes(client: TestClient, shelf: Path) -> None:
    with PortalLock(shelf / "birds", "crawl"):
        sent = send(client, "/portals/birds/marks", word="good", url="http://barn.test/")
    assert sent.status_code == 409
    assert "crawl" in sent.text


def test_one_comes_back_to_nowhere_else(client: TestClient) -> None:
    fields = {"word": "bad", "url": EVIL, "next": "//evil.example\r\nX: y"}
    there = send(client, "/portals/birds/marks", **fields).headers["location"]
    assert there.startswith("/portals/birds/search?")
    send(client, "/portals/birds/marks", word="undo")


def _copy(tmp_path: Path) -> TestClient:
    path = fill_portal(tmp_path / "birds", PAPERS, ("birds", "birds/owls", "politics"))
    with Portal.reading(path) as portal:
        update_index(portal)
    return visitor(tmp_path)


# Judging and exporting


def test_only_pages_are_judged_never_files(client: TestClient) -> None:
    for body in ({"url": "/etc/passwd"}, {"url": "file:///etc/passwd"}, {}, {"preview": True}):
        answer = client.post("/api/v1/portals/birds/judge", json=body)
        assert answer.status_code == 400, answer.text
    assert client.get("/api/v1/portals/birds/jobs").json() == []


def test_an_export_is_made_and_downloaded(tmp_path: Path) -> None:
    client = _copy(tmp_path)
    sent = send(client, "/portals/birds/export", format="csv", text="true", topic="birds")
    assert (sent.status_code, sent.headers["location"]) == (303, "/portals/birds/export")
    (job,) = client.get("/api/v1/portals/birds/jobs").json()
    done = over(client, job)
    assert (done["state"], done["options"]) == ("done", ["--format=csv", "--topic=birds", "--text"])
    assert str(tmp_path) not in json.dumps(done)
    assert (
        f'href="/portals/birds/export/{job["id"]}"' in client.get("/portals/birds/export/now").text
    )
    file = client.get(f"/portals/birds/export/{job['id']}")
    assert file.headers["content-disposition"] == 'attachment; filename="birds.csv"'
    assert b"spears fish" in file.content
    assert client.get(f"/api/v1/portals/birds/export/{job['id']}").content == file.content
    exports.remove_old_files(tmp_path / "birds", max_kept=1)
    assert client.get(f"/portals/birds/export/{job['id']}").status_code == 404
    assert "cleared away" in client.get("/portals/birds/export").text


def test_a_site_comes_as_a_zip(tmp_path: Path) -> None:
    client = _copy(tmp_path)
    job = over(client, client.post("/api/v1/portals/birds/export", json={"format": "site"}).json())
    assert job["state"] == "done", job
    packed = client.get(f"/api/v1/portals/birds/export/{job['id']}").content
    with zipfile.ZipFile(io.BytesIO(packed)) as site:
        assert site.testzip() is None
        assert "index.html" in site.namelist()
    assert [path.name for path in (tmp_path / "birds" / "reports").iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"format": "nonsense"}, 400),
        ({"format": "warc", "text": True}, 400),
        ({"format": "../../x"}, 400),
        ({}, 422),
        ({"format": "csv", "output": "x.csv"}, 422),
    ],
)
def test_exports_that_are_not(client: TestClient, body: dict[str, Any], status: int) -> None:
    assert client.post("/api/v1/portals/birds/export", json=body).status_code == status


def test_no_other_file_is_downloaded(client: TestClient) -> None:
    for job in ("lode.toml", "20261117T004902-ddb2135b", "%2e%2e%2flode.toml"):
        assert client.get(f"/portals/birds/export/{job}").status_code == 404
        assert client.get(f"/api/v1/portals/birds/export/{job}").status_code == 404


def test_so_many_files_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / exports.EXPORTS_FOLDER
    folder.mkdir()
    for number in range(12):
        (folder / f"served-{number:016x}.csv").write_text("x")
    (folder / "harvest.csv").write_text("mine")
    exports.remove_old_files(tmp_path)
    assert len(list(folder.glob("served-*"))) == exports.MAX_KEPT_FILES - 1
    assert (folder / "harvest.csv").exists()
