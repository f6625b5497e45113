"""One response as it comes in: what is taken, what is refused, and when."""

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
from backports import zstd

from motherlode.fetch import FetchError, Request, TypeOptions
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.wire.intake import MAX_HEAD, MAX_HEADERS, Intake

MAX = 1_000_000
PNG = b"\x89PNG\r\n\x1a\n" + bytes(4096)
PDF = b"%PDF-1.7\n" + b"0 0 obj\n" * 1000
HTML = b"<!DOCTYPE html><p>some words, some more words, and so on\n"
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda body: brotli.compress(body, quality=1),
    "zstd": zstd.compress,
}


def intake(
    *headers: str,
    status: int = 200,
    types: TypeOptions | None = None,
    cut: int = 0,
    most: int = MAX,
) -> Intake:
    """One whose head has come."""
    made = Intake(Request("http://a.test/", types=types, cut=cut), most)
    for header in headers:
        name, _, value = header.partition(": ")
        made.add_header(name.encode(), value.encode())
    made.begin(status)
    return made


def taken(made: Intake, *pieces: bytes) -> bytes:
    for piece in pieces:
        if made.add(piece):
            break
    return made.end()


def refused(made: Intake, *pieces: bytes) -> tuple[str, int]:
    """Why, and after how many bytes."""
    with pytest.raises(FetchError) as caught:
        taken(made, *pieces)
    return caught.value.kind, made.received


def split(body: bytes, size: int = 1) -> list[bytes]:
    return [body[place : place + size] for place in range(0, len(body), size)]


# --- types ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    "told", ["image/png", "application/octet-stream", "application/x-odd", "", "video/mp4"]
)
def test_a_page_is_taken_for_one_whatever_is_said(told: str, size: int) -> None:
    made = intake(f"Content-Type: {told}", types=TypeOptions())
    assert taken(made, *split(b"\n\n" + HTML * 50, size)) == b"\n\n" + HTML * 50
    assert made.mime == "text/html"


@pytest.mark.parametrize(
    "told", ["application/force-download", "application/octet-stream", "text/html"]
)
def test_the_first_piece_may_be_a_single_byte(told: str) -> None:
    made = intake(f"Content-Type: {told}", types=TypeOptions(html=5000, text=5000))
    assert taken(made, *split(PDF)) == PDF
    assert made.mime == "application/pdf"


def test_a_picture_is_refused_at_once_whatever_is_said() -> None:
    for size in (1, 1500, 5000):
        made = intake("Content-Type: text/html", types=TypeOptions())
        reason, received = refused(made, *split(PNG * 100, size))
        assert reason == FailureKind.TYPE
        assert received <= 5000


def test_a_small_picture_is_refused_at_its_end() -> None:
    assert (
        refused(intake("Content-Type: text/html", types=TypeOptions()), PNG[:100])[0]
        == FailureKind.TYPE
    )


def test_a_packed_picture_that_says_it_is_a_page_is_refused_when_it_is_unpacked() -> None:
    made = intake("Content-Type: text/html", "Content-Encoding: gzip", types=TypeOptions())
    assert refused(made, gzip.compress(PNG))[0] == FailureKind.TYPE


def test_a_packed_page_that_says_it_is_a_picture_is_taken() -> None:
    made = intake("Content-Type: image/png", "Content-Encoding: gzip", types=TypeOptions())
    assert taken(made, *split(gzip.compress(HTML * 20), 5)) == HTML * 20


def test_a_type_has_a_limit_of_its_own() -> None:
    types = TypeOptions(html=2000, pdf=5000)
    made = intake("Content-Type: text/html", types=types)
    assert refused(made, *split(HTML * 1000, 500)) == (FailureKind.TOO_LARGE, 2500)
    assert (
        taken(intake("Content-Type: text/html", types=types), *split(PDF[:5000], 500)) == PDF[:5000]
    )
    made = intake("Content-Type: text/html", types=TypeOptions(html=100))
    assert refused(made, *split(HTML * 4, 10))[0] == FailureKind.TOO_LARGE


def test_the_web_has_a_limit_beyond_which_no_type_goes() -> None:
    assert refused(intake(most=3000), *split(bytes(10_000), 1000)) == (FailureKind.TOO_LARGE, 4000)
    made = intake("Content-Type: text/html", types=TypeOptions(html=10**9), most=3000)
    assert refused(made, *split(HTML * 1000, 1000)) == (FailureKind.TOO_LARGE, 4000)


def test_an_announced_length_counts_for_the_type_that_comes() -> None:
    told = ("Content-Type: text/html", "Content-Length: 6000")
    types = TypeOptions(html=5000, pdf=50_000)
    assert refused(intake(*told, types=types), HTML * 30) == (FailureKind.TOO_LARGE, len(HTML * 30))
    assert taken(intake(*told, types=types), PDF[:6000]) == PDF[:6000]


def test_an_absurd_length_is_nobodys_business() -> None:
    for length in ("9" * 500, "-5", "x", "٣", "²"):
        assert taken(intake(f"Content-Length: {length}"), HTML) == HTML


def test_no_body_is_no_failure() -> None:
    assert taken(intake("Content-Type: text/html", types=TypeOptions())) == b""
    assert taken(intake("Content-Type: image/png", types=TypeOptions())) == b""
    for coding in PACKERS:
        assert taken(intake(f"Content-Encoding: {coding}", types=TypeOptions())) == b""


# --- codings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coding", PACKERS)
def test_a_bomb_of_any_coding_is_too_large(coding: str) -> None:
    bomb = PACKERS[coding](bytes(20_000_000))
    for types in (None, TypeOptions(html=MAX, other=MAX)):
        made = intake("Content-Type: text/html", f"Content-Encoding: {coding}", types=types)
        assert refused(made, bomb)[0] == FailureKind.TOO_LARGE


@pytest.mark.parametrize("coding", PACKERS)
def test_a_bomb_within_a_bomb_is_too_large(coding: str) -> None:
    bomb = PACKERS[coding](PACKERS[coding](bytes(50_000_000)))
    made = intake("Content-Type: text/html", f"Content-Encoding: {coding}, {coding}")
    assert refused(made, bomb)[0] == FailureKind.TOO_LARGE


def test_a_hundred_codings_are_not_followed() -> None:
    made = intake("Content-Encoding: " + ", ".join(["gzip"] * 100))
    assert refused(made, gzip.compress(HTML))[0] == FailureKind.PROTOCOL


@pytest.mark.parametrize("coding", PACKERS)
def test_a_broken_body_is_a_broken_response(coding: str) -> None:
    made = intake("Content-Type: text/html", f"Content-Encoding: {coding}", types=TypeOptions())
    assert refused(made, b"\xff\xfe this is not packed at all")[0] == FailureKind.PROTOCOL


# --- what is no document --------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 404, 500, 600])
def test_an_error_page_is_cut_not_refused(status: int) -> None:
    made = intake(
        "Content-Type: image/png", "Content-Length: 999999999", status=status, types=TypeOptions()
    )
    assert len(taken(made, *split(PNG * 100, 1000))) == 64 * 1024
    assert made.received < 64 * 1024 + 1001


def test_a_broken_error_page_is_an_empty_one() -> None:
    assert taken(intake("Content-Encoding: gzip", status=404), b"not packed") == b""


@pytest.mark.parametrize("coding", ["", *PACKERS])
def test_a_request_that_cuts_takes_so_many_bytes_of_anything(coding: str) -> None:
    pack = PACKERS.get(coding, bytes)
    told = ("Content-Type: image/png", f"Content-Encoding: {coding}", "Content-Length: 999999999")
    made = intake(*told, cut=1000, types=TypeOptions())
    assert (
        taken(made, *split(pack(b"Disallow: /x\n" * 1000), 100)) == (b"Disallow: /x\n" * 100)[:1000]
    )
    assert made.received <= 1100


def test_a_request_that_cuts_takes_what_is_shorter_whole() -> None:
    made = intake(cut=1000)
    assert not made.add(bytes(1000))
    assert made.end() == bytes(1000)


# --- headers --------------------------------------------------------------------------------------------


def test_the_number_and_the_size_of_headers_are_limited() -> None:
    made = Intake(Request("http://a.test/"), MAX)
    for _ in range(MAX_HEADERS):
        made.add_header(b"X", b"y")
    with pytest.raises(FetchError, match="too many headers"):
        made.add_header(b"X", b"y")
    made = Intake(Request("http://a.test/"), MAX)
    with pytest.raises(FetchError, match="too many headers"):
        made.add_header(b"X", b"y" * MAX_HEAD)


def test_headers_of_an_interim_response_are_forgotten() -> None:
    made = Intake(Request("http://a.test/"), MAX)
    for _ in range(3):
        for _ in range(MAX_HEADERS):
            made.add_header(b"Content-Encoding", b"gzip")
        made.forget()
    made.begin(200)
    assert taken(made, HTML) == HTML
    assert made.response_headers() == ()


def test_headers_are_text_whatever_their_bytes_are() -> None:
    made = Intake(Request("http://a.test/"), MAX)
    for value in ("Ålesund".encode(), "Ålesund".encode("latin-1"), b"\xff\x00"):
        made.add_header(b"X-City", value)
    assert [value for _, value in made.response_headers()] == ["Ålesund", "Ålesund", "ÿ\x00"]


# --- as it came -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("coding", ["gzip", "GZIP"])
def test_a_whole_gzip_is_there_as_it_came(coding: str) -> None:
    packed = gzip.compress(HTML * 50)
    made = intake("Content-Type: text/html", f"Content-Encoding: {coding}", types=TypeOptions())
    assert taken(made, *split(packed, 7)) == HTML * 50
    assert made.sent == packed


@pytest.mark.parametrize(
    ("coding", "sent"),
    [
        ("gzip", gzip.compress(HTML * 50)[:-8]),
        ("gzip", gzip.compress(HTML * 50) + b"rest"),
        ("gzip", gzip.compress(HTML * 25) * 2),
        ("gzip, gzip", gzip.compress(gzip.compress(HTML * 50))),
        ("deflate", zlib.compress(HTML * 50)),
        ("", HTML * 50),
    ],
)
def test_what_is_not_whole_or_not_gzip_alone_is_there_unpacked_only(
    coding: str, sent: bytes
) -> None:
    made = intake("Content-Type: text/html", f"Content-Encoding: {coding}", types=TypeOptions())
    assert taken(made, sent) == HTML * 50
    assert made.sent == b""


def test_what_was_cut_is_not_there_as_it_came() -> None:
    made = intake("Content-Encoding: gzip", cut=100)
    assert taken(made, gzip.compress(HTML * 50)) == (HTML * 50)[:100]
    assert made.sent == b""
