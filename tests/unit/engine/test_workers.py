"""Worker processes: whatever a document does to its reader, the others are read."""

import asyncio
import os
from collections.abc import Sequence
from typing import Any

import pytest

from motherlode.documents.options import ReadingOptions
from motherlode.engine.workers import Lost, Workers
from motherlode.fetch.loops import run
from tasks import task

QUICK = ReadingOptions(workers=2, seconds=1.0, memory=256)


def results(jobs: Sequence[str], options: ReadingOptions = QUICK) -> tuple[list[Any], int]:
    async def work() -> tuple[list[Any], int]:
        async with Workers(task, options) as workers:
            return await workers.run(jobs), workers.replaced

    return run(work())


def test_results_come_in_order() -> None:
    assert results(["a", "late", "b"]) == (["A", "LATE", "B"], 0)
    assert results([]) == ([], 0)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("hang", "took more than 1 s"),
        ("spin", "took more than 1 s"),
        ("crash", "killed its reader (SIGSEGV)"),
        ("exit", "killed its reader"),
    ],
)
def test_a_document_that_takes_its_worker_is_lost_alone(bad: str, reason: str) -> None:
    assert results(["a", bad, "b", bad, "c"]) == (["A", Lost(reason), "B", Lost(reason), "C"], 2)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("memory", "took too much memory"),
        ("recursion", "is nested too deeply"),
        ("error", "stopped its reader (ValueError)"),
        ("panic", "stopped its reader (KeyboardInterrupt)"),
    ],
)
def test_a_document_that_its_worker_survives_costs_no_worker(bad: str, reason: str) -> None:
    assert results(["a", bad, "b"]) == (["A", Lost(reason), "B"], 0)


def test_long_documents_pass_both_ways() -> None:
    (first, second), _ = results(["y" * 20_000_000, "long"], ReadingOptions(workers=1, seconds=10.0))
    assert len(first) == 20_000_000
    assert len(second) == 5_000_000


def test_batches_run_side_by_side_and_a_bad_one_holds_no_other_back() -> None:
    async def work() -> list[list[Any]]:
        async with Workers(task, QUICK) as workers:
            return await asyncio.gather(
                *(workers.run([word, "b"]) for word in ("hang", "c", "d", "crash", "e"))
            )

    found = run(work())
    assert [batch[1] for batch in found] == ["B"] * 5
    assert [batch[0] for batch in found if not isinstance(batch[0], Lost)] == ["C", "D", "E"]


def test_nobody_is_left_behind() -> None:
    async def work() -> list[int]:
        async with Workers(task, QUICK) as workers:
            pids = [(await workers.run(["a"]), worker.process.pid)[1] for worker in workers._all]
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(workers.run(["hang"]), 0.2)
            assert await workers.run(["a"]) == ["A"]
            return [*(pid for pid in pids if pid), *(w.process.pid for w in workers._all if w.process.pid)]

    for pid in run(work()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
