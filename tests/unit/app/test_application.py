"""The application as a visitor meets it: pages, forms, the API, and what it refuses."""

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from motherlode.app.server.guard import POLICY
from motherlode.app.web.routes import VIEWS
from support.app_server import ORIGIN, OWLS, form_token, send, visitor

TOKEN = "a token of some length"
BOOKMARKS = b"""<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
<DT><H3>Owls</H3><DL><p><DT><A HREF="http://a.test/">A</A></DL><p></DL>"""


class Clock:
    """A clock that stands still unless a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    return visitor(tmp_path)


def made(client: TestClient, **changes: Any) -> None:
    answer = client.post("/api/v1/portals", json=OWLS | changes)
    assert answer.status_code == 201, answer.text


# Pages


def test_an_empty_folder_invites_to_make_a_portal(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "There is no portal yet" in page.text
    assert 'href="/new"' in page.text


def test_a_portal_of_an_uploaded_bookmark_file(client: TestClient) -> None:
    fields = {
        "form_token": form_token(client),
        "name": "birds",
        "way": "bookmarks",
        "contact": "me@example.org",
    }
    sent = client.post("/new", data=fields, files={"bookmarks": ("b.html", BOOKMARKS)})
    assert (sent.status_code, sent.headers["location"]) == (303, "/portals/birds")
    assert "Owls" in client.get("/portals/birds").text
    assert 'href="/portals/birds"' in client.get("/").text


def test_a_portal_of_addresses_under_topics(client: TestClient, tmp_path: Path) -> None:
    sent = send(
        client,
        "/new",
        name="birds",
        way="topics",
        topic=["birds/owls", "birds/herons", ""],
        seeds=["http://a.test/\r\nhttp://b.test/", "http://c.test/", ""],
        others="http://news.test/",
        set="crawl.policy=best-first\n# a comment",
    )
    assert sent.status_code == 303, sent.text
    status = client.get("/api/v1/portals/birds/status").json()
    assert [one["topic"] for one in status["topics"]] == ["birds", "birds/owls", "birds/herons"]
    assert status["examples"] == 4
    assert 'policy = "best-first"' in (tmp_path / "birds" / "lode.toml").read_text()


def test_a_portal_of_a_query(client: TestClient) -> None:
    assert send(client, "/new", name="birds", way="query", query="barn owls").status_code == 303
    assert client.get("/api/v1/portals").json()[0]["examples"] == 1


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"name": "x/y", "way": "query", "query": "q"}, "A portal's name has"),
        (
            {"name": "x", "way": "query", "query": " "},
            "The query is empty; write what you look for.",
        ),
        (
            {"name": "x", "way": "topics", "topic": ["owls"], "seeds": ["nonsense"]},
            "cannot be crawled",
        ),
        ({"name": "x", "way": "topics"}, "Name the topics one way"),
        ({"name": "x", "way": "bookmarks"}, "The file is empty"),
        ({"name": "x", "way": "query", "query": "q", "set": "crawl.polcy=x"}, "did you mean"),
        (
            {"name": "x", "way": "query", "query": "q", "set": "store.url=postgresql:///x"},
            "Settings of the store",
        ),
    ],
)
def test_a_form_with_a_mistake_is_shown_again_as_it_was(
    client: TestClient, tmp_path: Path, fields: dict[str, Any], says: str
) -> None:
    answer = send(client, "/new", **fields)
    assert answer.status_code == 400
    text = answer.text.replace("&#39;", "'")
    assert says in text
    assert f'value="{fields["name"]}"' in text
    assert str(tmp_path) not in text
    assert not (tmp_path / "x").exists()


def test_one_portal_by_itself_is_the_first_page(client: TestClient, tmp_path: Path) -> None:
    made(client)
    alone = visitor(tmp_path / "owls")
    assert alone.get("/").headers["location"] == "/portals/owls"
    assert alone.get("/portals/owls").status_code == 200
    assert send(alone, "/new", name="x", way="query", query="q").status_code == 400


def test_what_a_portal_says_is_text_and_nothing_else(client: TestClient) -> None:
    title = '<script>alert(1)</script>"\u202e\x07'
    made(client, topics=[{"topic": title}], set=[f"portal.title={title}"])
    text = client.get("/portals/owls").text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "\u202e" not in text
    assert "\x07" not in text


@pytest.mark.parametrize(
    "path", ["/nothing", "/portals/none", "/portals/..%2f..", "/portals/owls/jobs/x"]
)
def test_errors_are_pages_or_json(client: TestClient, path: str) -> None:
    made(client)
    page = client.get(path)
    assert page.status_code == 404
    assert '<p class="lead">There is no such' in page.text
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == 404
    assert list(answer.json()) == ["error"]


def test_a_bug_is_one_sentence_and_a_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client = visitor(tmp_path)
    router = APIRouter()

    @router.get("/api/v1/broken")
    def broken() -> None:
        raise RuntimeError("secret particulars")

    client.app.include_router(router)  # type: ignore[attr-defined]  # the client knows it as any ASGI application
    answer = client.get("/api/v1/broken")
    assert (answer.status_code, list(answer.json())) == (500, ["error"])
    assert "secret" not in answer.text
    assert answer.headers["content-security-policy"] == POLICY
    assert "secret particulars" in caplog.text


# Security


@pytest.mark.parametrize(
    "path", ["/", "/new", "/nothing", "/static/style.css", "/static/nothing", "/api/v1/portals"]
)
def test_no_answer_goes_without_its_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert "'unsafe" not in POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    refused = client.get(path, headers={"Host": "rebound.example"})
    assert refused.status_code == 400
    assert refused.headers["content-security-policy"] == POLICY


def test_a_form_without_its_token_changes_nothing(client: TestClient, tmp_path: Path) -> None:
    fields = {"name": "x", "way": "query", "query": "q"}
    assert client.post("/new", data=fields).status_code == 403
    assert client.post("/new", data=fields | {"form_token": "0" * 64}).status_code == 403
    files = {"form_token": ("f", form_token(client))}
    assert client.post("/new", data=fields, files=files).status_code == 403
    assert list(tmp_path.iterdir()) == []


def test_every_view_that_changes_something_wants_the_token(client: TestClient) -> None:
    routes = [
        route for view in VIEWS for route in view.router.routes if isinstance(route, APIRoute)
    ]
    changing = [route.path for route in routes if "POST" in (route.methods or ())]
    assert len(changing) >= 6
    for path in changing:
        assert client.post(re.sub(r"{\w+}", "x", path), data={}).status_code == 403, path


def test_another_site_changes_nothing(client: TestClient) -> None:
    foreign = {"Origin": "http://evil.example"}
    assert client.post("/api/v1/portals", json=OWLS, headers=foreign).status_code == 403
    assert (
        client.post(
            "/api/v1/portals", json=OWLS, headers={"Sec-Fetch-Site": "cross-site"}
        ).status_code
        == 403
    )
    assert client.post("/api/v1/portals", json=OWLS, headers={"Origin": ORIGIN}).status_code == 201


def test_the_token_is_wanted_of_everybody(tmp_path: Path) -> None:
    client = visitor(tmp_path, token=TOKEN)
    assert client.get("/portals/x?y=1").headers["location"] == "/login?next=/portals/x%3Fy%3D1"
    assert client.get("/api/v1/portals").status_code == 401
    assert client.get("/api/v1/openapi.json").status_code == 401
    assert client.post("/new", data={"form_token": form_token(client)}).status_code == 401
    assert client.get("/login").status_code == 200
    assert client.get("/static/style.css").status_code == 200
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get("/api/v1/portals", headers=bearer).status_code == 200
    assert (
        client.get("/api/v1/portals", headers={"Authorization": "Bearer nonsense"}).status_code
        == 401
    )
    assert (
        client.get("/api/v1/portals", headers={"Cookie": "lode-session-8420=1.x"}).status_code
        == 401
    )


def test_logging_in_and_out(tmp_path: Path) -> None:
    client = visitor(tmp_path, token=TOKEN)
    assert send(client, "/login", token="nonsense and more").status_code == 403
    sent = send(client, "/login", token=TOKEN, next="/jobs")
    assert (sent.status_code, sent.headers["location"]) == (303, "/jobs")
    cookie = sent.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert client.get("/jobs").status_code == 200
    assert send(client, "/logout").status_code == 303
    assert client.get("/jobs").status_code == 303
    assert send(client, "/login", token=TOKEN, next="//evil.example").headers["location"] == "/"


def test_tokens_cannot_be_guessed_for_long(tmp_path: Path) -> None:
    client = visitor(tmp_path, Clock(), token=TOKEN)
    wrong = [send(client, "/login", token=f"guess {n}").status_code for n in range(12)]
    assert wrong == [403] * 10 + [429] * 2
    guess = client.get("/api/v1/portals", headers={"Authorization": "Bearer guess"})
    assert guess.status_code == 429
    assert int(guess.headers["retry-after"]) >= 1


def test_whoever_guessed_too_often_is_not_listened_to_and_others_stay_in(tmp_path: Path) -> None:
    client = visitor(tmp_path, Clock(), token=TOKEN)
    assert send(client, "/login", token=TOKEN).status_code == 303
    for number in range(11):
        send(client, "/login", token=f"guess {number}")
    assert send(client, "/login", token=TOKEN).status_code == 429
    shown = {"Authorization": f"Bearer {TOKEN}"}
    assert visitor_without_cookies(client).get("/api/v1/portals", headers=shown).status_code == 429
    assert client.get("/jobs").status_code == 200  # by its session


def visitor_without_cookies(client: TestClient) -> TestClient:
    return TestClient(client.app, base_url=ORIGIN, follow_redirects=False)


def test_who_changes_too_much_has_to_wait(tmp_path: Path) -> None:
    clock = Clock()
    client = visitor(tmp_path, clock)
    codes = [client.post("/api/v1/portals", json={}).status_code for _ in range(42)]
    assert codes == [422] * 40 + [429] * 2
    clock.now += 0.25  # four changes a second are allowed
    assert [client.post("/api/v1/portals", json={}).status_code for _ in range(2)] == [422, 429]


@pytest.mark.parametrize("told", [True, False])
def test_what_is_too_large_is_not_taken(tmp_path: Path, *, told: bool) -> None:
    client = visitor(tmp_path, max_body_bytes=100_000)
    body = json.dumps(OWLS | {"bookmarks": "x" * 100_000}).encode()
    pieces = iter([body[:50_000], body[50_000:], b" " * 10**6])
    headers = {"Content-Type": "application/json"}
    answer = client.post("/api/v1/portals", content=body if told else pieces, headers=headers)
    assert answer.status_code == 413, answer.text
    fields = {"form_token": form_token(client), "name": "x", "way": "bookmarks"}
    sent = client.post("/new", data=fields, files={"bookmarks": ("b.html", b"x" * 200_000)})
    assert sent.status_code == 413
    assert list(tmp_path.iterdir()) == []


def test_the_log_says_who_asked_for_what_and_no_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "motherlode.access")
    client = visitor(tmp_path, token=TOKEN)
    client.get("/jobs?q=private", headers={"Authorization": f"Bearer {TOKEN}"})
    send(client, "/login", token=TOKEN)
    client.get("/x%0Ay")
    assert "GET /jobs 200" in caplog.text
    assert "private" not in caplog.text
    assert TOKEN not in caplog.text
    assert "/x?y" in caplog.text


# The API


def test_the_api_makes_lists_and_shows_portals(client: TestClient) -> None:
    made(client)
    assert [card["name"] for card in client.get("/api/v1/portals").json()] == ["owls"]
    status = client.get("/api/v1/portals/owls/status").json()
    assert (status["portal"], status["step"], status["next"]) == (
        "owls",
        "crawl",
        "lode crawl owls --set crawler.contact=you@example.org",
    )
    again = client.post("/api/v1/portals", json=OWLS)
    assert (again.status_code, again.json()["error"][:22]) == (400, "The name owls is taken")


def test_a_bookmark_file_as_text(client: TestClient) -> None:
    body = {"name": "birds", "bookmarks": BOOKMARKS.decode()}
    assert client.post("/api/v1/portals", json=body).json()["topics"][0]["topic"] == "Owls"


def test_an_unknown_option_is_told_by_name(client: TestClient) -> None:
    made(client)
    answer = client.post("/api/v1/portals/owls/crawl", json={"pagse": 5})
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("pagse: ")
    wrong = client.post("/api/v1/portals/owls/crawl", json={"time": "soon"})
    assert (wrong.status_code, "length of time" in wrong.json()["error"]) == (400, True)


def test_a_job_can_be_polled_and_followed_and_read(client: TestClient) -> None:
    made(client)
    asked = client.post("/api/v1/portals/owls/index", json={})
    assert asked.status_code == 202
    at = f"/api/v1/portals/owls/jobs/{asked.json()['id']}"
    with client.stream("GET", f"{at}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = [line for line in stream.iter_lines() if line.startswith(("event", "data"))]
    assert events[-2] == "event: job"
    assert json.loads(events[-1].removeprefix("data: "))["state"] == "done"
    job = client.get(at).json()
    assert (job["state"], job["exit_code"]) == ("done", 0)
    assert client.get(f"{at}/lines").json()["next"] >= 0
    assert (
        client.get("/api/v1/jobs").json() == client.get("/api/v1/portals/owls/jobs").json() == [job]
    )
    assert client.post(f"{at}/cancel").json()["state"] == "done"
    page = client.get(f"/portals/owls/jobs/{job['id']}")
    assert "exit code 0" in page.text
    assert job["id"] in client.get("/jobs").text


def test_the_description_names_every_route_and_record(client: TestClient) -> None:
    described = client.get("/api/v1/openapi.json").json()
    assert all(path.startswith("/api/v1/") for path in described["paths"])
    assert {"Status", "Job", "PortalCard", "Problem", "NewPortalRequest"} <= set(
        described["components"]["schemas"]
    )
    references = set(_references(described))
    names = {f"#/components/schemas/{name}" for name in described["components"]["schemas"]}
    assert references <= names


def _references(tree: Any) -> list[str]:
    if isinstance(tree, dict):
        here = [tree["$ref"]] if "$ref" in tree else []
        return here + [one for value in tree.values() for one in _references(value)]
    return [one for value in tree for one in _references(value)] if isinstance(tree, list) else []
