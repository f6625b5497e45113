"""Which contents may be there already: never a wrong no, and seldom a wrong yes."""

from hypothesis import given
from hypothesis import strategies as st

from motherlode.crawl.duplicates import Suspicion
from motherlode.records.digests import digest_of

DIGESTS = st.lists(st.binary(min_size=32, max_size=32), max_size=50)


@given(DIGESTS)
def test_what_is_there_is_suspected(digests: list[bytes]) -> None:
    suspicion = Suspicion()
    suspicion.add(digests)
    assert all(digest in suspicion for digest in digests)


def test_what_is_not_there_is_hardly_ever_suspected() -> None:
    suspicion = Suspicion()
    there, others = (
        [digest_of(f"{kind} {at}".encode()) for at in range(20_000)] for kind in ("page", "other")
    )
    assert not any(digest in suspicion for digest in others)
    suspicion.add(there)
    assert sum(digest in suspicion for digest in others) < 40  # 6 are to be expected
