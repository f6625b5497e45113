"""A small soak: thousands of fetches, one host in twenty misbehaving, and nothing is left over."""

from pathlib import Path

from bench.soak import NETWORK, descriptors, make_web, soak
from msgspec.structs import replace

from motherlode.fetch.event_loop import run
from motherlode.lab.serving.background import sandbox

# Whether a host is given up too early is of no interest here: nothing may be left of it.
HASTY = replace(NETWORK, timeout=1.0, idle_timeout=0.2, first_byte_timeout=0.2)


def test_many_fetches_leave_nothing_behind(tmp_path: Path) -> None:
    urls = make_web(tmp_path / "web", hosts=860, pages=2)
    with sandbox(tmp_path / "web") as served:
        run(
            soak(served.address, urls[:500], 500, say=False, network=HASTY)
        )  # what is opened once and for all
        before = descriptors()
        memory = run(soak(served.address, urls, 3 * len(urls), say=False, network=HASTY))
        assert descriptors() <= before
    assert memory[-1] - memory[0] < 30  # MB; each pass brings nothing new
