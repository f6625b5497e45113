"""Which contents may be there already: never a wrong no, and seldom a wrong yes."""

from hashlib import sha1

from hypothesis import given
from hypothesis import strategies as st

from motherlode.engine.copies import Suspicion

DIGESTS = st.lists(st.binary(min_size=20, max_size=20), max_size=50)


@given(DIGESTS)
def test_what_is_there_is_suspected(digests: list[bytes]) -> None:
    suspicion = Suspicion()
    suspicion.add(digests)
    assert all(digest in suspicion for digest in digests)


def test_what_is_not_there_is_hardly_ever_suspected() -> None:
    suspicion = Suspicion()
    there, others = (
        [sha1(f"{kind} {at}".encode()).digest() for at in range(20_000)]  # noqa: S324 - as pages have
        for kind in ("page", "other")
    )
    assert not any(digest in suspicion for digest in others)
    suspicion.add(there)
    assert sum(digest in suspicion for digest in others) < 40  # 6 are to be expected
