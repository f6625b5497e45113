"""Which contents may be there already: never a wrong no, and seldom a wrong yes."""

from hypothesis import given
from hypothesis import strategies as st

from motherlode.crawl.stages.duplicates import DigestFilter
from motherlode.records.digests import digest_of

DIGESTS = st.lists(st.binary(min_size=32, max_size=32), max_size=50)


@given(DIGESTS)
def test_what_is_there_is_suspected(digests: list[bytes]) -> None:
    stored = DigestFilter()
    stored.add(digests)
    assert all(digest in stored for digest in digests)


def test_what_is_not_there_is_hardly_ever_suspected() -> None:
    stored = DigestFilter()
    there, others = (
        [digest_of(f"{kind} {at}".encode()) for at in range(20_000)] for kind in ("page", "other")
    )
    assert not any(digest in stored for digest in others)
    stored.add(there)
    assert sum(digest in stored for digest in others) < 40  # 6 are to be expected
