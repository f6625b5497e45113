"""Worker processes: whatever a document does to its reader, the others are read."""

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from motherlode.documents.options import ReadingOptions
from motherlode.fetch.loops import run
from motherlode.records import DiskFullError, LodeError
from motherlode.workers import fork_client
from motherlode.workers import process_pool as pool_module
from motherlode.workers.fork_server import WorkerProgram
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure
from support.worker_tasks import lives, task

QUICK = ReadingOptions(workers=2, seconds=1.0, memory=256)


def results(jobs: Sequence[str], options: ReadingOptions = QUICK) -> tuple[list[Any], int]:
    async def work() -> tuple[list[Any], int]:
        async with ProcessPool(task, options) as workers:
            return await workers.run(jobs), workers.replaced_count

    return run(work())


def test_nothing_to_do_is_no_reason_to_end() -> None:
    async def work() -> tuple[list[list[Any]], int]:
        async with ProcessPool(task, ReadingOptions(workers=1)) as workers:
            return [await workers.run(jobs) for jobs in ([], ["a"], [], ["b"])], workers.replaced_count

    assert run(work()) == ([[], ["A"], [], ["B"]], 0)


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
    assert results(["a", bad, "b", bad, "c"]) == (["A", JobFailure(reason), "B", JobFailure(reason), "C"], 2)


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
    assert results(["a", bad, "b"]) == (["A", JobFailure(reason), "B"], 0)


def test_long_documents_pass_both_ways() -> None:
    (first, second), _ = results(["y" * 20_000_000, "long"], ReadingOptions(workers=1, seconds=10.0))
    assert len(first) == 20_000_000
    assert len(second) == 5_000_000


def test_batches_run_side_by_side_and_a_bad_one_holds_no_other_back() -> None:
    async def work() -> list[list[Any]]:
        async with ProcessPool(task, QUICK) as workers:
            return await asyncio.gather(
                *(workers.run([word, "b"]) for word in ("hang", "c", "d", "crash", "e"))
            )

    found = run(work())
    assert [batch[1] for batch in found] == ["B"] * 5
    assert [batch[0] for batch in found if not isinstance(batch[0], JobFailure)] == ["C", "D", "E"]


def test_a_batch_that_lies_ready_is_read_whatever_becomes_of_the_one_before_it() -> None:
    async def work() -> tuple[list[Any], int]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=20.0, memory=256)) as workers:
            batches = (["crash", "b"], ["c"], ["d"])
            return await asyncio.gather(*map(workers.run, batches)), workers.replaced_count

    assert run(work()) == ([[JobFailure("killed its reader (SIGSEGV)"), "B"], ["C"], ["D"]], 1)


def test_batches_longer_than_a_portion_have_their_own_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "_MAX_PORTION_BYTES", 40)  # bytes: a word or two

    async def work() -> list[list[Any]]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=20.0)) as workers:
            return await asyncio.gather(*(workers.run([f"{name}{n}" for n in range(5)]) for name in "abcd"))

    assert run(work()) == [[f"{name}{n}" for n in range(5)] for name in "ABCD"]


def test_a_batch_that_must_be_sent_again_is_sent_before_those_behind_it() -> None:
    """It lies ready at a reader that is killed; who had the first has a third before the second is read."""

    async def work() -> list[list[Any]]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=20.0)) as workers:

            async def one_after_the_other(*batches: list[str]) -> list[list[Any]]:
                return [await workers.run(batch) for batch in batches]

            one = one_after_the_other(["killed", "a"], ["c", "d"])
            other = one_after_the_other(["b", "e"])
            return [found for both in await asyncio.gather(one, other) for found in both]

    lost = JobFailure("killed its reader (SIGKILL)")
    assert run(work()) == [[lost, "A"], ["C", "D"], ["B", "E"]]


@pytest.mark.parametrize("seed", range(3))
def test_every_document_has_its_own_result_whoever_is_killed_or_given_up(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_MAX_PORTION_BYTES", 60)
    drawn = random.Random(seed)
    names = iter(range(10_000))

    async def work() -> None:
        async with ProcessPool(task, ReadingOptions(workers=2, seconds=20.0)) as workers:

            async def read() -> None:
                for _ in range(25):
                    jobs = [f"word {next(names)}" for _ in range(drawn.randrange(8))]
                    reading = asyncio.create_task(workers.run(jobs))
                    if drawn.random() < 0.1:
                        await asyncio.sleep(drawn.random() / 100)
                        reading.cancel()
                    with suppress(asyncio.CancelledError):
                        for job, found in zip(jobs, await reading, strict=True):
                            assert found in (job.upper(), JobFailure("killed its reader (SIGKILL)"))

            async def kill() -> None:
                while True:
                    await asyncio.sleep(drawn.random() / 50)
                    drawn.choice(workers._slots).worker.process.kill()

            killing = asyncio.create_task(kill())
            await asyncio.gather(*(read() for _ in range(6)))
            killing.cancel()
            assert workers.replaced_count

    run(work())


@pytest.mark.parametrize("given_up", [0, 1], ids=["the one being read", "the one that lies ready"])
def test_a_batch_that_is_given_up_leaves_no_results_to_others(given_up: int) -> None:
    async def work() -> list[Any]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=20.0)) as workers:
            batches = [asyncio.create_task(workers.run(["late", word])) for word in ("b", "c", "d")]
            await asyncio.sleep(0.05)
            batches[given_up].cancel()
            return await asyncio.gather(*batches, return_exceptions=True)

    found = run(work())
    assert isinstance(found.pop(given_up), asyncio.CancelledError)
    assert found == [["LATE", word] for index, word in enumerate("BCD") if index != given_up]


def test_a_worker_has_its_next_batch_before_anybody_has_heard_of_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("LODE_TEST_MARK", str(mark))

    async def work() -> bool:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=20.0)) as workers:
            batches = [asyncio.create_task(workers.run([word])) for word in ("a", "mark")]
            await asyncio.sleep(0)  # they are sent
            until = time.monotonic() + 20
            while not mark.exists() and time.monotonic() < until:  # nobody listens: the loop is busy
                time.sleep(0.01)  # noqa: ASYNC251
            came = mark.exists()
            await asyncio.gather(*batches)
            return came

    assert run(work())


def test_a_worker_takes_in_its_next_batch_while_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    monkeypatch.setenv("LODE_TEST_MARK", str(gate))

    async def work() -> bool:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=20.0)) as workers:
            batches = [asyncio.create_task(workers.run([word])) for word in ("gate", "y" * 20_000_000)]
            socket = workers._slots[0].worker.channel._transport
            assert socket is not None
            await asyncio.sleep(0)  # they are sent
            until = time.monotonic() + 15
            while (left := socket.get_write_buffer_size()) and time.monotonic() < until:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
            gate.touch()  # what was being read all the while
            await asyncio.gather(*batches)
            return not left

    assert run(work())


def test_a_worker_multiplies_alone_unless_somebody_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> list[Any]:
        async with ProcessPool(os.getenv, ReadingOptions(workers=1)) as workers:
            return await workers.run(["OMP_NUM_THREADS"])

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert run(work()) == ["1"]
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert run(work()) == ["2"]


def test_nobody_is_left_behind() -> None:
    async def work() -> list[int]:
        async with ProcessPool(task, QUICK) as workers:
            pids = [(await workers.run(["a"]), worker.process.pid)[1] for worker in workers._workers]
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(workers.run(["hang"]), 0.2)
            assert await workers.run(["a"]) == ["A"]
            return [
                *(pid for pid in pids if pid),
                *(w.process.pid for w in workers._workers if w.process.pid),
            ]

    for pid in run(work()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_batch_that_is_larger_than_the_memory_of_a_worker_is_read_all_the_same() -> None:
    jobs = [f"{number}" + "y" * 20_000_000 for number in range(20)]
    found, replaced = results(jobs, ReadingOptions(workers=1, seconds=20.0, memory=192))
    assert [one[:2] for one in found] == [job[:2].upper() for job in jobs]
    assert replaced == 0


def test_a_document_that_is_larger_than_the_memory_of_a_worker_is_lost_alone() -> None:
    found, _ = results(["a", "y" * 200_000_000, "b"], ReadingOptions(workers=1, seconds=20.0, memory=64))
    assert (found[0], found[2]) == ("A", "B")
    assert isinstance(found[1], JobFailure)


def test_a_worker_that_died_with_nothing_to_do_costs_no_document() -> None:
    async def work() -> tuple[list[Any], int]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=20.0)) as workers:
            await workers.run(["a"])
            (worker,) = workers._workers
            worker.process.kill()
            worker.process.wait()
            return await workers.run(["b", "c"]), workers.replaced_count

    assert run(work()) == (["B", "C"], 1)


def test_a_document_whose_reader_somebody_kills_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_RETRY_PAUSES_S", (0.0, 0.1))
    monkeypatch.setenv("LODE_TEST_MARK", str(tmp_path / "mark"))
    assert results(["a", "killed once", "b"]) == (["A", "KILLED ONCE", "B"], 1)
    lost = JobFailure("killed its reader (SIGKILL)")
    assert results(["a", "killed", "b", "killed"]) == (["A", lost, "B", lost], 6)


def test_a_reader_without_space_is_no_fault_of_its_document() -> None:
    with pytest.raises(DiskFullError, match=r"has no disk space left \(No space left on device\)"):
        results(["a", "full", "b"])


ORPHANING = """
import asyncio, os, signal, sys
sys.path.insert(0, sys.argv[1])
from motherlode.documents.options import ReadingOptions
from motherlode.workers.fork_server import WorkerProgram
from motherlode.workers.process_pool import ProcessPool
from support.worker_tasks import task
async def work():
    async with ProcessPool(task, ReadingOptions(workers=2, seconds=3600.0)) as workers:
        print(*(worker.process.pid for worker in workers._workers), flush=True)
        await workers.run(["spin"])
asyncio.run(work())
"""


def test_workers_end_with_whoever_started_them_in_the_midst_of_their_work() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ORPHANING, str(Path(__file__).parents[2])], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        time.sleep(0.5)
        parent.kill()
    until = time.monotonic() + 10
    while any(map(lives, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(lives, pids))


def running(mark: str) -> bool:
    """Whether the child that goes by this mark is there."""
    for commands in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if f"60.{mark}".encode() in commands.read_bytes():
                return True
    return False


def test_what_a_worker_has_started_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = f"{os.getpid()}{random.randrange(10**6):06}"
    monkeypatch.setenv("LODE_TEST_MARK", mark)
    found, replaced = results(["child", "b"], ReadingOptions(workers=1, seconds=2.0))
    assert (found, replaced) == ([JobFailure("took more than 2 s"), "B"], 1)
    until = time.monotonic() + 10
    while running(mark) and time.monotonic() < until:
        time.sleep(0.05)
    assert not running(mark)


def test_workers_that_are_killed_before_they_begin_are_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = 0
    bear = fork_client.fork_worker

    def bear_and_kill(upbringing: WorkerProgram, line: int) -> fork_client.WorkerProcess:
        nonlocal killed
        process = bear(upbringing, line)
        if killed < 4:
            killed += 1
            process.kill()
        return process

    monkeypatch.setattr(fork_client, "fork_worker", bear_and_kill)
    monkeypatch.setattr(pool_module, "_RETRY_PAUSES_S", (0.0, 0.1, 0.1, 0.1))
    assert results(["a", "b"], ReadingOptions(workers=1, seconds=20.0)) == (["A", "B"], 0)
    assert killed == 4


def test_workers_that_do_not_start_are_said_so_and_leave_nobody_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "_RETRY_PAUSES_S", (0.0, 0.1))
    monkeypatch.setattr(fork_client, "_SERVER_CODE", "raise SystemExit({descriptor})")
    monkeypatch.setattr(fork_client, "_SHARED", fork_client._SharedServer())
    workers = ProcessPool(task, QUICK)

    async def work() -> None:
        async with workers:
            pass

    with pytest.raises(LodeError, match="did not start"):
        run(work())
    assert workers._workers == set()
