"""The process pool: a job that harms its worker does not harm other jobs."""

import asyncio
import os
import pickle
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from motherlode.documents.options import ReadingOptions
from motherlode.fetch.event_loop import run
from motherlode.records import DiskFullError, LodeError
from motherlode.workers import fork_client
from motherlode.workers import process_pool as pool_module
from motherlode.workers.fork_server import WorkerProgram
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_loop import JobFailure
from support.worker_tasks import die_at_once, lives, task

QUICK = ReadingOptions(workers=2, seconds=1.0, memory=256)  # for jobs that never end
PATIENT = ReadingOptions(workers=2, seconds=60.0, memory=256)


def run_jobs(jobs: Sequence[str], options: ReadingOptions = PATIENT) -> tuple[list[Any], int]:
    async def run_pool() -> tuple[list[Any], int]:
        async with ProcessPool(task, options) as pool:
            return await pool.run(jobs), pool.replaced_count

    return run(run_pool())


def test_an_empty_batch_ends_no_worker() -> None:
    async def run_pool() -> tuple[list[list[Any]], int]:
        async with ProcessPool(task, ReadingOptions(workers=1)) as pool:
            return [await pool.run(jobs) for jobs in ([], ["a"], [], ["b"])], pool.replaced_count

    assert run(run_pool()) == ([[], ["A"], [], ["B"]], 0)


def test_results_come_in_order() -> None:
    assert run_jobs(["a", "late", "b"]) == (["A", "LATE", "B"], 0)
    assert run_jobs([]) == ([], 0)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("hang", "took more than 1 s"),
        ("spin", "took more than 1 s"),
        ("crash", "killed its reader (SIGSEGV)"),
        ("exit", "killed its reader"),
    ],
)
def test_a_job_that_ends_its_worker_fails_alone(bad: str, reason: str) -> None:
    results = ["A", JobFailure(reason), "B", JobFailure(reason), "C"]
    assert run_jobs(["a", bad, "b", bad, "c"], QUICK) == (results, 2)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("memory", "took too much memory"),
        ("recursion", "is nested too deeply"),
        ("error", "stopped its reader (ValueError)"),
        ("panic", "stopped its reader (KeyboardInterrupt)"),
    ],
)
def test_a_job_that_its_worker_survives_costs_no_worker(bad: str, reason: str) -> None:
    assert run_jobs(["a", bad, "b"]) == (["A", JobFailure(reason), "B"], 0)


def test_long_jobs_and_results_pass() -> None:
    (first, second), _ = run_jobs(
        ["y" * 20_000_000, "long"],
        ReadingOptions(workers=1, seconds=10.0),
    )
    assert len(first) == 20_000_000
    assert len(second) == 5_000_000


def test_batches_run_concurrently_and_a_bad_one_delays_no_other() -> None:
    async def run_pool() -> list[list[Any]]:
        async with ProcessPool(task, QUICK) as pool:
            return await asyncio.gather(
                *(pool.run([word, "b"]) for word in ("hang", "c", "d", "crash", "e")),
            )

    results = run(run_pool())
    assert [batch[1] for batch in results] == ["B"] * 5
    assert [batch[0] for batch in results if not isinstance(batch[0], JobFailure)] == [
        "C",
        "D",
        "E",
    ]


def test_a_batch_sent_ahead_is_processed_after_the_one_before_it_crashes() -> None:
    async def run_pool() -> tuple[list[Any], int]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=60.0, memory=256)) as pool:
            batches = (["crash", "b"], ["c"], ["d"])
            return await asyncio.gather(*map(pool.run, batches)), pool.replaced_count

    assert run(run_pool()) == ([[JobFailure("killed its reader (SIGSEGV)"), "B"], ["C"], ["D"]], 1)


def test_batches_longer_than_a_portion_have_their_own_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "_MAX_PORTION_BYTES", 40)  # bytes: a word or two

    async def run_pool() -> list[list[Any]]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=60.0)) as pool:
            return await asyncio.gather(
                *(pool.run([f"{name}{n}" for n in range(5)]) for name in "abcd"),
            )

    assert run(run_pool()) == [[f"{name}{n}" for n in range(5)] for name in "ABCD"]


def test_a_batch_that_is_sent_again_keeps_its_place_in_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was sent ahead to a worker that is killed, and a third batch is queued before it runs."""
    monkeypatch.setattr(pool_module, "_RETRY_PAUSES_S", (0.0, 0.01, 0.02, 0.03))

    async def run_pool() -> list[list[Any]]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=60.0)) as pool:

            async def run_in_order(*batches: list[str]) -> list[list[Any]]:
                return [await pool.run(batch) for batch in batches]

            first = run_in_order(["killed", "a"], ["c", "d"])
            second = run_in_order(["b", "e"])
            return [results for both in await asyncio.gather(first, second) for results in both]

    failure = JobFailure("killed its reader (SIGKILL)")
    assert run(run_pool()) == [[failure, "A"], ["C", "D"], ["B", "E"]]


@pytest.mark.parametrize("seed", range(3))
def test_every_job_has_its_own_result_despite_kills_and_cancellations(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_MAX_PORTION_BYTES", 60)
    rng = random.Random(seed)
    numbers = iter(range(10_000))

    async def run_pool() -> None:
        async with ProcessPool(task, ReadingOptions(workers=2, seconds=60.0)) as pool:

            async def run_batches() -> None:
                for _ in range(25):
                    jobs = [f"word {next(numbers)}" for _ in range(rng.randrange(8))]
                    running_batch = asyncio.create_task(pool.run(jobs))
                    if rng.random() < 0.1:
                        await asyncio.sleep(rng.random() / 100)
                        running_batch.cancel()
                    with suppress(asyncio.CancelledError):
                        for job, result in zip(jobs, await running_batch, strict=True):
                            assert result in (
                                job.upper(),
                                JobFailure("killed its reader (SIGKILL)"),
                            )

            async def kill_workers() -> None:
                while True:
                    await asyncio.sleep(rng.random() / 50)
                    rng.choice(pool._slots).worker.process.kill()

            killing = asyncio.create_task(kill_workers())
            await asyncio.gather(*(run_batches() for _ in range(6)))
            killing.cancel()
            assert pool.replaced_count

    run(run_pool())


@pytest.mark.parametrize("cancelled", [0, 1], ids=["running", "sent ahead"])
def test_a_cancelled_batch_leaves_no_results_to_others(
    cancelled: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    monkeypatch.setenv("LODE_TEST_MARK", str(gate))

    async def run_pool() -> list[Any]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=60.0)) as pool:
            batches = [asyncio.create_task(pool.run(["gate", word])) for word in ("b", "c", "d")]
            await asyncio.sleep(0.05)
            batches[cancelled].cancel()
            gate.touch()  # ends the first job of each batch
            return await asyncio.gather(*batches, return_exceptions=True)

    results = run(run_pool())
    assert isinstance(results.pop(cancelled), asyncio.CancelledError)
    assert results == [["GATE", word] for index, word in enumerate("BCD") if index != cancelled]


def test_a_worker_has_its_next_batch_before_the_loop_takes_the_last_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("LODE_TEST_MARK", str(mark))

    async def run_pool() -> bool:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=60.0)) as pool:
            batches = [asyncio.create_task(pool.run([word])) for word in ("a", "mark")]
            await asyncio.sleep(0)  # both are sent
            deadline = time.monotonic() + 60
            while not mark.exists() and time.monotonic() < deadline:  # the loop is blocked
                time.sleep(0.01)  # noqa: ASYNC251
            is_marked = mark.exists()
            await asyncio.gather(*batches)
            return is_marked

    assert run(run_pool())


def test_a_worker_receives_its_next_batch_while_it_runs_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    monkeypatch.setenv("LODE_TEST_MARK", str(gate))

    async def run_pool() -> bool:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=60.0)) as pool:
            batches = [asyncio.create_task(pool.run([word])) for word in ("gate", "y" * 20_000_000)]
            transport = pool._slots[0].worker.channel._transport
            assert transport is not None
            await asyncio.sleep(0)  # both are sent
            deadline = time.monotonic() + 60
            unsent = transport.get_write_buffer_size()
            while unsent and time.monotonic() < deadline:
                await asyncio.sleep(0.01)
                unsent = transport.get_write_buffer_size()
            gate.touch()  # ends the first job
            await asyncio.gather(*batches)
            return not unsent

    assert run(run_pool())


def test_a_worker_uses_one_matrix_thread_unless_the_environment_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run_pool() -> list[Any]:
        async with ProcessPool(os.getenv, ReadingOptions(workers=1)) as pool:
            return await pool.run(["OMP_NUM_THREADS"])

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert run(run_pool()) == ["1"]
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert run(run_pool()) == ["2"]


def test_no_process_is_left() -> None:
    async def run_pool() -> list[int]:
        async with ProcessPool(task, QUICK) as pool:
            pids = [(await pool.run(["a"]), worker.process.pid)[1] for worker in pool._workers]
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(pool.run(["hang"]), 0.2)
            assert await pool.run(["a"]) == ["A"]
            return [
                *(pid for pid in pids if pid),
                *(worker.process.pid for worker in pool._workers if worker.process.pid),
            ]

    for pid in run(run_pool()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_batch_larger_than_the_memory_of_a_worker_succeeds() -> None:
    jobs = [f"{number}" + "y" * 20_000_000 for number in range(20)]
    results, replaced_count = run_jobs(jobs, ReadingOptions(workers=1, seconds=60.0, memory=192))
    assert [result[:2] for result in results] == [job[:2].upper() for job in jobs]
    assert replaced_count == 0


def test_a_job_larger_than_the_memory_of_a_worker_fails_alone() -> None:
    results, _ = run_jobs(
        ["a", "y" * 200_000_000, "b"],
        ReadingOptions(workers=1, seconds=60.0, memory=64),
    )
    assert (results[0], results[2]) == ("A", "B")
    assert isinstance(results[1], JobFailure)


def test_a_worker_that_is_killed_while_idle_costs_no_job() -> None:
    async def run_pool() -> tuple[list[Any], int]:
        async with ProcessPool(task, ReadingOptions(workers=1, seconds=60.0)) as pool:
            await pool.run(["a"])
            (worker,) = pool._workers
            worker.process.kill()
            worker.process.wait()
            return await pool.run(["b", "c"]), pool.replaced_count

    assert run(run_pool()) == (["B", "C"], 1)


def test_a_job_whose_worker_is_killed_from_outside_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_RETRY_PAUSES_S", (0.0, 0.1))
    monkeypatch.setenv("LODE_TEST_MARK", str(tmp_path / "mark"))
    assert run_jobs(["a", "killed once", "b"]) == (["A", "KILLED ONCE", "B"], 1)
    failure = JobFailure("killed its reader (SIGKILL)")
    assert run_jobs(["a", "killed", "b", "killed"]) == (["A", failure, "B", failure], 6)


def test_a_worker_without_disk_space_stops_the_pool() -> None:
    with pytest.raises(DiskFullError, match=r"has no disk space left \(No space left on device\)"):
        run_jobs(["a", "full", "b"])


ORPHAN_PROGRAM = """
import asyncio, os, signal, sys
sys.path.insert(0, sys.argv[1])
from motherlode.documents.options import ReadingOptions
from motherlode.workers.process_pool import ProcessPool
from support.worker_tasks import task
async def run_pool():
    async with ProcessPool(task, ReadingOptions(workers=2, seconds=3600.0)) as pool:
        print(*(worker.process.pid for worker in pool._workers), flush=True)
        await pool.run(["spin"])
asyncio.run(run_pool())
"""


def test_busy_workers_end_with_the_program_that_started_them() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ORPHAN_PROGRAM, str(Path(__file__).parents[2])],
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        time.sleep(0.5)
        parent.kill()
    deadline = time.monotonic() + 60
    while any(map(lives, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(lives, pids))


def child_is_running(mark: str) -> bool:
    """Whether a child process with this mark on its command line is running."""
    for command_line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if f"60.{mark}".encode() in command_line.read_bytes():
                return True
    return False


def test_children_of_a_worker_end_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = f"{os.getpid()}{random.randrange(10**6):06}"
    monkeypatch.setenv("LODE_TEST_MARK", mark)
    results, replaced_count = run_jobs(["child", "b"], ReadingOptions(workers=1, seconds=2.0))
    assert (results, replaced_count) == ([JobFailure("took more than 2 s"), "B"], 1)
    deadline = time.monotonic() + 60
    while child_is_running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not child_is_running(mark)


def test_workers_that_are_killed_before_they_are_ready_are_started_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed = 0
    fork_worker = fork_client.fork_worker

    def fork_doomed(program: WorkerProgram, channel: int) -> fork_client.WorkerProcess:
        nonlocal killed
        if killed < 4:
            killed += 1
            program = replace(program, main=pickle.dumps(die_at_once))
        return fork_worker(program, channel)

    monkeypatch.setattr(fork_client, "fork_worker", fork_doomed)
    monkeypatch.setattr(pool_module, "_RETRY_PAUSES_S", (0.0, 0.1, 0.1, 0.1))
    assert run_jobs(["a", "b"], ReadingOptions(workers=1, seconds=60.0)) == (["A", "B"], 0)
    assert killed == 4


def test_workers_that_do_not_start_raise_an_error_and_leave_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "_RETRY_PAUSES_S", (0.0, 0.1))
    monkeypatch.setattr(fork_client, "_SERVER_CODE", "raise SystemExit({descriptor})")
    monkeypatch.setattr(fork_client, "_SHARED", fork_client._SharedServer())
    pool = ProcessPool(task, QUICK)

    async def run_pool() -> None:
        async with pool:
            pass

    with pytest.raises(LodeError, match="did not start"):
        run(run_pool())
    assert pool._workers == set()
