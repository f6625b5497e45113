"""What is shown of topics: results that are computed once and remembered."""

import pytest

from motherlode.app.errors import BusyError
from motherlode.app.services.topics.views import ResultCache


def test_what_was_worked_out_is_remembered_and_who_waits_too_long_is_told() -> None:
    cache = ResultCache(max_results=1, max_wait_s=0.01)
    asked: list[str] = []

    def work(key: str) -> str:
        asked.append(key)
        with pytest.raises(BusyError):
            cache.get("other", str)
        return key.upper()

    assert [cache.get("a", lambda: work("a")) for _ in range(2)] == ["A", "A"]
    cache.get("b", lambda: work("b"))
    cache.get("a", lambda: work("a"))
    assert asked == ["a", "b", "a"]
