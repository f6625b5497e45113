"""A disk that is full, that fills up in the middle of a batch, that cannot be written."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.portal import Portal, create_portal
from motherlode.records import DiskFullError, ReadOnlyError
from motherlode.store import StoreOptions
from motherlode.store.store import Store
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules
from support.helpers import lacks, run_lode, said_one_sentence
from support.page_batches import check_whole, keep_batch

PLANTING = plant_seeds([(("A",), ["http://a.example/"])], UrlRules())


def mount(folder: Path, *options: str) -> None:
    """Mount a small disk of memory, where that is allowed."""
    tool = shutil.which("mount")
    if tool is None or os.geteuid() != 0:
        lacks("root, or the program mount (Debian's package mount)")
    done = subprocess.run([tool, *options, str(folder)], capture_output=True, check=False)
    if done.returncode != 0:
        lacks(f"the right to mount: {done.stderr.decode().strip()}")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount(folder, "-t", "tmpfs", "-o", "size=6m", "tmpfs")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(portal: Portal, first: int) -> int:
    """Keep batches until the disk is full. Returns how many were committed."""
    for number in range(first, first + 10_000):
        try:
            keep_batch(portal, number)
        except DiskFullError:
            return number - first
    raise AssertionError("the disk never filled up")


@pytest.mark.system
def test_a_disk_that_fills_up_in_the_middle_of_a_batch(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(3_000_000))
    create_portal(small_disk / "p", PLANTING, {})
    with Portal.crawling(small_disk / "p", "test") as portal:
        batches = fill(portal, 0)
    assert batches > 1
    ballast.unlink()
    with Portal.crawling(small_disk / "p", "test") as portal:
        check_whole(portal, batches)
        keep_batch(portal, batches)
        check_whole(portal, batches + 1)


@pytest.mark.system
def test_the_same_process_goes_on_when_there_is_space_again(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(3_000_000))
    create_portal(small_disk / "p", PLANTING, {})
    with Portal.crawling(small_disk / "p", "test") as portal:
        batches = fill(portal, 0)
        ballast.unlink()
        keep_batch(portal, batches)
        check_whole(portal, batches + 1)


@pytest.mark.system
def test_a_full_disk_is_told_in_one_sentence(small_disk: Path) -> None:
    create_portal(small_disk / "p", PLANTING, {})
    with (
        (small_disk / "ballast").open("wb", buffering=0) as ballast,
        pytest.raises(OSError, match="No space"),
    ):
        while True:
            ballast.write(bytes(4096))
    run = run_lode(small_disk, "topics", "p", "add", "New")
    assert run.returncode == 1
    assert said_one_sentence(run)
    assert "No space is left" in run.stderr
    (small_disk / "ballast").unlink()
    assert "New" not in run_lode(small_disk, "topics", "p").stdout
    assert run_lode(small_disk, "topics", "p", "add", "New").returncode == 0


@pytest.mark.system
def test_no_portal_is_left_behind_on_a_disk_too_small_for_it(small_disk: Path) -> None:
    (small_disk / "urls.txt").write_text(
        "".join(f"http://h/{n}/{'x' * 100}\n" for n in range(30_000))
    )
    run = run_lode(small_disk, "new", "p", "--bookmarks", "urls.txt")
    assert run.returncode == 1
    assert said_one_sentence(run)
    assert {path.name for path in small_disk.iterdir()} == {"urls.txt"}


@pytest.mark.system
def test_a_read_only_disk(small_disk: Path) -> None:
    create_portal(small_disk / "p", PLANTING, {})
    mount(small_disk, "-o", "remount,ro")
    assert "http://a.example/" in run_lode(small_disk, "topics", "p").stdout
    for arguments in (("topics", "p", "add", "New"), ("new", "q", "--query", "words")):
        run = run_lode(small_disk, *arguments)
        assert run.returncode == 1
        assert said_one_sentence(run)
        assert "cannot be" in run.stderr


LIMITED = """
import resource, sys
from pathlib import Path
from motherlode.records import LodeError
from motherlode.store.tables import topics
from motherlode.store import Store, StoreOptions
from motherlode.records import ROOT
with Store.open(Path(sys.argv[1]), StoreOptions()) as store:
    with store.writing() as session:
        topics.add_topic(session, ROOT, "kept")
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    try:
        with store.writing() as session:
            for number in range(20_000):
                topics.add_topic(session, ROOT, f"topic {number}")
    except LodeError as error:
        print(type(error).__name__, error)
"""


def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path: Path) -> None:
    """Works without root: the system refuses to let the database grow."""
    database = tmp_path / "lode.db"
    Store.create(database, StoreOptions()).close()
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(database)], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith(f"DiskFullError No space is left for {database}")
    with Store.open(database, StoreOptions()) as store, store.reading() as session:
        names = (
            session.connection.exec_driver_sql("SELECT name FROM topics ORDER BY id")
            .scalars()
            .all()
        )
    assert names == ["", "kept"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_a_database_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "lode.db").write_bytes(b"not a database at all, but long enough to be one" * 100)
    with pytest.raises(Exception, match="damaged or not a Motherlode database"):
        Store.open(tmp_path / "lode.db", StoreOptions())
    with pytest.raises(Exception, match="is missing"):
        Store.open(tmp_path / "nothing.db", StoreOptions())


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ReadOnlyError, match="cannot be made"):
        create_portal(tmp_path / "file" / "p", PLANTING, {})
