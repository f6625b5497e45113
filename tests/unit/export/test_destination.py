"""Where exports are put: whole, or not at all, and never over anything else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from motherlode.export import destination
from motherlode.export.destination import check_place, directory_at, file_at
from motherlode.records import BadInputError, ReadOnlyError, UsageError


def test_a_file_is_there_when_it_is_whole(tmp_path: Path) -> None:
    place = tmp_path / "out.csv"
    with file_at(place) as file:
        file.write(b"some")
        assert not place.exists()
    assert place.read_bytes() == b"some"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    mask = os.umask(0)
    os.umask(mask)
    assert place.stat().st_mode & 0o777 == 0o666 & ~mask


def test_what_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("before")
    with pytest.raises(KeyboardInterrupt), file_at(tmp_path / "out.csv") as file:
        file.write(b"half")
        raise KeyboardInterrupt
    with pytest.raises(RuntimeError), directory_at(tmp_path / "tables") as place:
        (place / "a").write_text("half")
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "before"


@pytest.mark.parametrize("at_once", [True, False])
def test_a_directory_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, at_once: bool
) -> None:
    if not at_once:
        monkeypatch.setattr(destination, "_exchange", lambda _one, _other: False)
    for said in ("one", "two"):
        with directory_at(tmp_path / "tables") as place:
            (place / "a").write_text(said)
    assert (tmp_path / "tables" / "a").read_text() == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it takes two steps")
def test_there_is_always_one_of_the_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tables").mkdir()
    with directory_at(tmp_path / "tables") as place:
        (place / "a").write_text("new")
        monkeypatch.setattr(Path, "rename", lambda *_: pytest.fail("it went away"))
    assert (tmp_path / "tables" / "a").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


def test_what_a_marker_is_in_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    for name, files in (
        ("ours", ("mark", "a")),
        ("foreign", ("a",)),
        ("mixed", ("mark", "b")),
        ("empty", ()),
    ):
        (tmp_path / name).mkdir()
        for file in files:
            (tmp_path / name / file).write_text("")

    def check(name: str, *, force: bool) -> None:
        check_place(
            tmp_path / name, force=force, portal=tmp_path / "p", files=("mark", "a"), marker="mark"
        )

    for force in (False, True):
        for name in ("ours", "empty", "new"):
            check(name, force=force)
        for name in ("foreign", "mixed"):
            with pytest.raises(UsageError):
                check(name, force=force)


def test_what_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ReadOnlyError, match="cannot be written"), file_at(tmp_path / "out") as _:
        raise PermissionError(13, "Permission denied")


def test_nothing_is_replaced_without_being_told_to(tmp_path: Path) -> None:
    portal = tmp_path / "portal"
    (portal / "archive").mkdir(parents=True)
    (portal / "reports").mkdir()
    (portal / "lode.db").write_text("")
    (tmp_path / "there").write_text("")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.txt").write_text("")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "a").write_text("")
    os.mkfifo(tmp_path / "pipe")

    def check(name: str, *, force: bool = False, files: tuple[str, ...] | None = None) -> None:
        check_place(tmp_path / name, force=force, portal=portal, files=files)

    for name, files in (("new", None), ("new", ("a",)), ("portal/reports/out.csv", None)):
        check(name, files=files)
    check("there", force=True)
    check("tables", force=True, files=("a", "b"))
    for name, force, files in (
        ("there", False, None),
        ("there", True, ("a",)),
        ("tables", False, ("a",)),
        ("folder", True, ("a",)),
        ("folder", True, None),
        ("pipe", True, None),
        ("portal/lode.db", True, None),
        ("portal", True, ("a",)),
        ("portal/archive", True, ("a",)),
        ("portal/archive/lode-00009.warc.gz", False, None),
        ("portal/lode.db-journal", False, None),
        ("portal/reports", True, ("a",)),
    ):
        with pytest.raises(UsageError):
            check(name, force=force, files=files)
    for name in ("no/such/folder", "x" * 300, "gone"):
        with pytest.raises(BadInputError):
            check(name)


def left_by(tmp_path: Path, code: str, ends: int) -> list[str]:
    """What a process leaves that begins an export to `out` and then does this."""
    begin = "from pathlib import Path\nfrom motherlode.export.destination import *\n"
    begin += f"place = Path({str(tmp_path)!r}) / 'out'\n"
    run = subprocess.run([sys.executable, "-c", begin + code], timeout=60, check=False)
    assert run.returncode == ends
    return sorted(path.name for path in tmp_path.iterdir())


KILL = "import os\nos.kill(os.getpid(), 9)"


@pytest.mark.parametrize("manner", ["file_at", "directory_at"])
def test_what_a_killed_export_left_is_cleared_away_by_the_next(tmp_path: Path, manner: str) -> None:
    other = tmp_path / ".out.html.abcdefgh.part"  # of an export to another name
    other.write_text("not ours")
    names = left_by(
        tmp_path, f"with {manner}(place):\n    {KILL.replace(chr(10), chr(10) + '    ')}", -9
    )
    (part,) = set(names) - {other.name}
    assert part.endswith(".part")
    with destination.file_at(tmp_path / "out") as file:
        file.write(b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "out"]


def test_what_a_running_export_writes_is_left_alone(tmp_path: Path) -> None:
    with destination.file_at(tmp_path / "out") as file:
        file.write(b"first")
        assert (
            left_by(tmp_path, "with file_at(place) as file:\n    file.write(b'second')", 0)[-1]
            == "out"
        )
        assert (tmp_path / "out").read_bytes() == b"second"
    assert (tmp_path / "out").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_directory_that_was_put_aside_goes_when_its_successor_is_there(tmp_path: Path) -> None:
    aside = tmp_path / ".out.abcdefgh.old"  # killed between two renames: this is all there is
    aside.mkdir()
    with pytest.raises(RuntimeError), destination.directory_at(tmp_path / "out"):
        raise RuntimeError
    assert aside.is_dir()
    with destination.directory_at(tmp_path / "out"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
