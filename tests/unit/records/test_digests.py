"""Digests of contents: which kind one is, and how it is shown."""

from motherlode.records.digests import digest_of, is_older, older_digest_of, shown_digest


def test_digests_are_those_that_other_tools_make() -> None:
    empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"  # of BLAKE3's specification
    assert shown_digest(digest_of(b"")) == f"blake3:{empty}"
    assert shown_digest(older_digest_of(b"")) == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    assert shown_digest(b"") == ""


def test_a_digest_shows_who_has_made_it() -> None:
    assert is_older(older_digest_of(b"owl"))
    assert not is_older(digest_of(b"owl"))
    assert not is_older(b"")
