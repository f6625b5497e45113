"""What a redirect asks for next, of a GET and of a form."""

import asyncio

import pytest
from msgspec.structs import replace

from motherlode.fetch import FetchError, Request, Response
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.redirects import MAX_REDIRECTS, follow_redirects, next_request

URL = "https://a.test/find"
FORM = Request(
    URL, (("X-Key", "secret"),), cut=9, method="POST", body=b"q=owls", content_type="text/plain"
)
PAGE = Request(URL, (("X-Key", "secret"),), cut=9)


def redirect(status: int, location: str, url: str = URL) -> Response:
    headers = (("Location", location),) if location else ()
    return Response(url, status, headers, b"", 0.0, 0.0)


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_form_becomes_a_get_without_a_body(status: int) -> None:
    assert next_request(FORM, redirect(status, "/results?id=1")) == Request(
        "https://a.test/results?id=1", FORM.headers, cut=9
    )


@pytest.mark.parametrize("status", [307, 308])
def test_a_form_is_repeated_at_its_own_origin(status: int) -> None:
    following = next_request(FORM, redirect(status, "/elsewhere"))
    assert following is not None
    assert (following.url, following.method) == ("https://a.test/elsewhere", "POST")
    assert (following.body, following.content_type) == (FORM.body, FORM.content_type)
    assert following.headers == FORM.headers


@pytest.mark.parametrize("status", [307, 308])
@pytest.mark.parametrize(
    "location",
    ["https://b.test/", "http://a.test/find", "https://a.test:8443/", "//www.a.test/find"],
)
def test_a_form_is_not_handed_to_another_origin(status: int, location: str) -> None:
    with pytest.raises(FetchError) as raised:
        next_request(FORM, redirect(status, location))
    assert raised.value.kind == FailureKind.BAD_REDIRECT
    assert f"status {status}" in raised.value.detail
    assert next_request(PAGE, redirect(status, location)) is not None


def test_a_form_may_go_on_over_tls_at_its_own_host() -> None:
    plain = replace(FORM, url="http://a.test/find")
    following = next_request(plain, redirect(308, "https://a.test/find"))
    assert following is not None
    assert (following.url, following.body, following.headers) == (URL, FORM.body, ())
    for elsewhere in ("https://b.test/find", "https://a.test:8443/find"):
        with pytest.raises(FetchError):
            next_request(plain, redirect(308, elsewhere))


@pytest.mark.parametrize("request_sent", [PAGE, FORM])
def test_headers_stay_with_their_origin(request_sent: Request) -> None:
    following = next_request(request_sent, redirect(302, "http://a.test/find"))
    assert following == Request("http://a.test/find", (), cut=9)


@pytest.mark.parametrize(("status", "location"), [(200, "/x"), (302, ""), (304, "/x"), (300, "/x")])
def test_what_is_no_redirect_leads_nowhere(status: int, location: str) -> None:
    assert next_request(FORM, redirect(status, location)) is None


@pytest.mark.parametrize("location", ["http://[x/", "ftp://a.test/", "javascript:alert(1)"])
def test_a_redirect_to_nowhere_is_a_failure(location: str) -> None:
    with pytest.raises(FetchError) as raised:
        next_request(PAGE, redirect(302, location))
    assert raised.value.kind == FailureKind.BAD_REDIRECT


def test_no_parameter_is_lost_on_the_way() -> None:
    following = next_request(FORM, redirect(303, "/r?PHPSESSID=7&utm_source=x"))
    assert following is not None
    assert following.url == "https://a.test/r?PHPSESSID=7&utm_source=x"


def test_redirects_end_at_their_limit() -> None:
    sent: list[str] = []

    async def send(request: Request) -> Response:
        sent.append(request.url)
        return redirect(302, f"/{len(sent)}", request.url)

    with pytest.raises(FetchError) as raised:
        asyncio.run(follow_redirects(PAGE, send))
    assert raised.value.kind == FailureKind.REDIRECTS
    assert sent == [URL, *(f"https://a.test/{number}" for number in range(1, MAX_REDIRECTS + 1))]
