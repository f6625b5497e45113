"""A small soak: thousands of fetches, one host in twenty misbehaving, and nothing is left over."""

from pathlib import Path

from bench.soak import descriptors, make_web, soak

from motherlode.fetch.loops import run
from motherlode.lab.serving.background import sandbox


def test_many_fetches_leave_nothing_behind(tmp_path: Path) -> None:
    urls = make_web(tmp_path / "web", hosts=860, pages=2)
    with sandbox(tmp_path / "web") as served:
        run(soak(served.address, urls[:500], 500, say=False))  # what is opened once and for all
        before = descriptors()
        memory = run(soak(served.address, urls, 3 * len(urls), say=False))
        assert descriptors() <= before
    assert memory[-1] - memory[0] < 30  # MB; each pass brings nothing new
