"""Content codings, under a limit."""

import gzip
import random
import zlib

import brotli
import pytest
from backports import zstd

from motherlode.fetch.content_codings import TooLargeError, decoded

TEXT = b"some text that is worth packing " * 100
PACKED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "zstd": zstd.compress(TEXT),
    "identity": TEXT,
    "": TEXT,
    "gzip, br": brotli.compress(gzip.compress(TEXT)),
}


@pytest.mark.parametrize("coding", PACKED)
def test_every_coding_is_unpacked(coding: str) -> None:
    assert decoded(PACKED[coding], coding, 10_000) == TEXT
    assert decoded(PACKED[coding], coding.upper(), len(TEXT)) == TEXT


def test_deflate_without_its_header_is_unpacked_too() -> None:
    assert decoded(zlib.compress(TEXT)[2:-4], "deflate", 10_000) == TEXT


@pytest.mark.parametrize("coding", PACKED)
def test_no_coding_gets_past_the_limit(coding: str) -> None:
    with pytest.raises(TooLargeError):
        decoded(PACKED[coding], coding, len(TEXT) - 1)


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_bomb_is_stopped_at_the_limit(coding: str) -> None:
    zeros = bytes(50_000_000)
    bomb = {
        "gzip": gzip.compress,
        "br": lambda b: brotli.compress(b, quality=1),
        "zstd": zstd.compress,
    }[coding](zeros)
    with pytest.raises(TooLargeError):
        decoded(bomb, coding, 100_000)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_broken_bodies_are_broken(coding: str) -> None:
    with pytest.raises(ValueError, match=r"broken|unknown"):
        decoded(b"\xff\xfe this is not packed at all", coding, 10_000)


def test_an_unknown_coding_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown content coding 'pack200"):
        decoded(TEXT, "pack200-gzip", 10_000)


def test_every_member_of_a_gzip_body_counts_and_what_follows_does_not() -> None:
    both = gzip.compress(b"one ") + gzip.compress(b"two")
    assert decoded(both, "gzip", 100) == b"one two"
    assert decoded(both + b"rest", "gzip", 100) == b"one two"
    assert decoded(both, "gzip", 5, cut=True) == b"one t"
    with pytest.raises(TooLargeError):
        decoded(gzip.compress(b"x" * 60) * 1000, "gzip", 1000)


def test_every_frame_of_a_zstd_body_counts_and_what_follows_does_not() -> None:
    both = zstd.compress(b"one ") + zstd.compress(b"two")
    assert decoded(both, "zstd", 100) == b"one two"
    assert decoded(both + b"rest", "zstd", 100) == b"one two"
    assert decoded(both, "zstd", 5, cut=True) == b"one t"
    with pytest.raises(TooLargeError):
        decoded(zstd.compress(b"x" * 60) * 1000, "zstd", 1000)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_parts_of_any_size_are_put_together(coding: str) -> None:
    parts = [TEXT, b"", bytes(range(256)) * 1000, b"x", random.Random(1).randbytes(200_000), TEXT]
    body = b"".join(
        gzip.compress(part) if coding == "gzip" else zstd.compress(part) for part in parts
    )
    assert decoded(body, coding, 10**7) == b"".join(parts)
    assert b"".join(parts).startswith(decoded(body[:-5000], coding, 10**7))


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_body_of_nothing_but_small_parts_holds_nobody_up(coding: str) -> None:
    """Each costs a little whatever it holds: a body within its limit could have millions."""
    part = {"gzip": gzip.compress(b"x"), "zstd": zstd.compress(b"x")}[coding]
    assert len(decoded(part * 11_000, coding, 10**7)) == 10_001
