"""The benches are run by hand; what they take hold of inside the engine must be there all the same."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import bench
import pytest
from bench.crawl import _clocked

NAMES = sorted(found.name for found in iter_modules([str(Path(bench.__file__).parent)]))


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("__")])
def test_every_bench_can_be_loaded(name: str) -> None:
    assert import_module(f"bench.{name}")


def test_the_stages_that_are_clocked_are_there() -> None:
    with _clocked() as spent:
        assert spent == {}
