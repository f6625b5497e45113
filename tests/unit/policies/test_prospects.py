"""What a link promises, and what that is made of."""

import pytest

from motherlode.policies.prospects import ANCHOR, HOST, PRIOR, Prospects
from motherlode.records import Link
from motherlode.urls import address


def test_a_promise_is_what_its_parts_come_to() -> None:
    book, target = Prospects(1 << 10), address("http://t.test/a")
    book.see(0.9, "a.test", [Link(target.url, target.key, "owls")])
    book.see(0.8, "t.test", ())
    promise = book.promise(target.key)
    assert promise is not None
    assert promise.rank == pytest.approx(book.estimate(target.key))
    parts = promise.parents + HOST * (promise.host - PRIOR) + ANCHOR * promise.said
    assert promise.rank == pytest.approx(parts)
    assert promise.host > PRIOR
    assert book.promise(address("http://never.test/").key) is None
