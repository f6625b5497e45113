"""`lode library`: what each subcommand does and shows, and what it refuses."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from motherlode.library.formats.registry import writable_formats
from support.command_runner import INTERRUPT_AT
from support.helpers import CliRun, said_one_sentence
from support.zotero_server import zotero_server

BIBTEX = """\
@article{strix2004,
  title = {How {Owls} hear \\& see},
  author = {Strix, Anna and {Owl Society} and others},
  year = 2004,
  journal = {Annals of Owls},
  doi = {10.1000/owls.7},
}
@book{ardea1999, title = {Herons}, author = {Ardea, Karl}, year = {1999}, isbn = {9783866801929}}
@misc{bats, title = {Bats of the night}}
"""
BROKEN = "@article{x, title = {No end\n@book{y, title = {Whole}}\n"
TITLES = ["How Owls hear & see", "Herons", "Bats of the night"]


@pytest.fixture
def library(lode: CliRun, tmp_path: Path) -> Path:
    (tmp_path / "owls.bib").write_text(BIBTEX)
    run = lode("library", "p", "import", "owls.bib", "--folder", "Birds/Owls")
    assert run.returncode == 0, run.stderr
    assert run.stdout == (
        "owls.bib (bibtex): 3 new objects, into Birds/Owls.\nNext: lode library p\n"
    )
    return tmp_path


def read(lode: CliRun, *words: str) -> Any:
    run = lode("library", "p", *words, "--json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def folders(lode: CliRun) -> dict[str, int]:
    run = lode("library", "p", "--json")
    return {folder["path"]: folder["objects"] for folder in json.loads(run.stdout)["folders"]}


@pytest.mark.usefixtures("library")
def test_folders_and_objects_are_shown(lode: CliRun) -> None:
    shown = lode("library", "p").stdout
    assert shown.startswith("Birds (0 objects)\n  Owls (3 objects)\n\n3 objects in 2 folders.\n")
    assert shown.endswith("Next: lode library p show Birds/Owls\n")
    objects = lode("library", "p", "show", "birds/owls").stdout
    assert "   1  How Owls hear & see\n" in objects
    assert "      Anna Strix, Owl Society; Annals of Owls; 2004\n" in objects
    assert "      doi:10.1000/owls.7\n" in objects
    assert [view["object"]["title"] for view in read(lode, "show")] == TITLES


def test_what_others_have_written_cannot_steer_the_terminal(lode: CliRun, library: Path) -> None:
    entry: dict[str, Any] = {
        "type": "book",
        "title": "\x1b[31mevil",
        "DOI": "10.1000/\x1b[0m",
        "id": "\x1b",
    }
    entry["author"] = [{"family": "\u202eevil"}]
    (library / "evil.json").write_text(json.dumps([entry]))
    runs = [lode("library", "p", *words) for words in (("import", "evil.json"), ("show",))]
    runs += [lode("library", "p", "import", "evil.json")]
    assert all("\x1b" not in run.stdout + run.stderr for run in runs)
    assert "\ufffd[31mevil" in runs[1].stdout


@pytest.mark.usefixtures("library")
def test_an_import_is_merged_with_what_is_there(lode: CliRun) -> None:
    (report,) = read(lode, "import", "owls.bib", "--folder", "Night")
    assert (report["new"], len(report["merged"])) == (0, 3)
    assert folders(lode) == {"Birds": 0, "Birds/Owls": 3, "Night": 3}
    assert read(lode, "show", "Night")[0]["folders"] == ["Birds/Owls", "Night"]


def test_a_broken_entry_is_named_and_the_others_are_there(lode: CliRun, library: Path) -> None:
    (library / "broken.bib").write_text(BROKEN)
    run = lode("library", "p", "import", "broken.bib")
    assert run.returncode == 0
    assert run.stdout.startswith("broken.bib (bibtex): 1 new object, into Library.")
    assert run.stderr.startswith("  broken.bib: The entry in line 1 is broken")


@pytest.mark.usefixtures("library")
def test_objects_and_folders_are_moved_renamed_removed_and_brought_back(lode: CliRun) -> None:
    before = read(lode, "show")
    for words, sentence in (
        (("move", "Birds/Owls", "/"), "Moved Birds/Owls to /."),
        (("move", "Owls", "Birds", "--object", "2"), "Moved 1 object to Birds."),
        (("rename", "Owls", "Strigiformes"), "Renamed Owls to Strigiformes."),
        (("remove", "--object", "3"), "Removed 1 object; 'undo' brings it back."),
        (("remove", "Strigiformes"), "Removed Strigiformes; 'undo' brings it back."),
    ):
        run = lode("library", "p", *words)
        assert (run.returncode, run.stdout) == (0, f"{sentence}\n"), run.stderr
    assert folders(lode) == {"Birds": 1}
    for _ in range(5):
        assert lode("library", "p", "undo").returncode == 0
    assert read(lode, "show") == before
    assert lode("library", "p", "undo").returncode == 0  # the import itself
    assert lode("library", "p").stdout.startswith("The library is empty.\nNext: ")
    assert said_one_sentence(lode("library", "p", "undo"))


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("name", writable_formats())
def test_a_whole_library_goes_through_a_file(lode: CliRun, name: str) -> None:
    run = lode("library", "p", "export", "--format", name, "--output", "out")
    assert (run.returncode, run.stdout) == (0, "Wrote out.\n")
    assert lode("library", "q", "import", "out", "--format", name).returncode == 0
    views = json.loads(lode("library", "q", "show", "--json").stdout)
    ours = read(lode, "show")
    for view, own in zip(views, ours, strict=True):
        read_back, object_ = view["object"], own["object"]
        for field in ("kind", "title", "authors", "date", "venue", "identifiers"):
            default = "document" if field == "kind" else None
            values = [entry.get(field, default) for entry in (read_back, object_)]
            assert values[0] == values[1], (name, field)
    assert lode("library", "p", "import", "out", "--format", name).stdout.startswith(
        f"out ({name}): 0 new objects, 3 merged"
    )


@pytest.mark.usefixtures("library")
def test_a_folder_is_exported_with_those_in_it(lode: CliRun) -> None:
    lode("library", "p", "move", "Birds/Owls", "Birds", "--object", "2")
    assert lode("library", "p", "export", "--folder", "Birds").stdout.count("@") == 3
    assert lode("library", "p", "export", "--folder", "Birds/Owls").stdout.count("@") == 2


@pytest.mark.usefixtures("library")
def test_zotero_is_read_and_written(lode: CliRun) -> None:
    with zotero_server() as zotero:
        zotero.add_collection("BATS2345", "Bats")
        zotero.add_item("ITEM2345", itemType="book", title="Bats", collections=["BATS2345"])
        run = lode("library", "p", "import", "--zotero", zotero.url)
        assert run.stdout.startswith("Zotero: 1 new object, into Library.\n"), run.stderr
        run = lode("library", "p", "export", "--zotero", zotero.url)
        assert run.stdout == "Added 3 items and 2 collections to Zotero; it had 1 before.\n"
        assert zotero.titles()[1:] == TITLES


def test_formats_are_listed(lode: CliRun) -> None:
    lines = lode("library", "p", "formats").stdout.splitlines()
    assert "ris: RIS; read and written" in lines
    assert "cff: Citation File Format; read" in lines


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    "words",
    [
        ("import",),
        ("import", "none.bib"),
        ("import", "p"),
        ("import", "p/lode.toml"),
        ("import", "owls.bib", "--folder", "/"),
        ("import", "owls.bib", "--zotero"),
        ("import", "owls.bib", "--collection", "Owls"),
        ("import", "--zotero", "http://example.org/"),
        ("import", "owls.bib", "--format", "word"),
        ("add",),
        ("add", "http://a.test/", "--folder", ""),
        ("show", "Bats"),
        ("export", "--folder", "Bats"),
        ("export", "--format", "ovid"),
        ("export", "--output", "none/out"),
        ("move", "Bats", "/"),
        ("move", "Birds", "Birds/Owls"),
        ("move", "Birds", "Birds/Owls", "--object", "1"),
        ("rename", "Birds", ""),
        ("remove",),
        ("remove", "--object", "9"),
        ("fly",),
    ],
)
def test_mistakes_get_one_sentence_and_change_nothing(lode: CliRun, words: tuple[str, ...]) -> None:
    before = read(lode, "show")
    run = lode("library", "p", *words)
    assert run.returncode == 2 or (words[0] in ("import", "export") and run.returncode > 0)
    assert said_one_sentence(run), run.stderr
    assert read(lode, "show") == before


def test_a_folder_that_is_no_portal_is_not_shown(lode: CliRun) -> None:
    run = lode("library", "nowhere")
    assert run.returncode > 0
    assert said_one_sentence(run)


def test_a_killed_import_is_whole_or_not_there(lode: CliRun, library: Path) -> None:
    entries = (
        f"@book{{k{n}, title = {{Owls of year {n}}}, year = {n}}}" for n in range(1000, 1300)
    )
    (library / "many.bib").write_text("\n".join(entries))
    counts = []
    for event in (1, 300, 600, 800, 900, 1_000, 1_100, 1_200, 10**9):
        run = lode(
            *("library", "p", "import", "many.bib", "--folder", "Many"),
            env={INTERRUPT_AT: f"{event},{int(signal.SIGKILL)}"},
        )
        assert run.returncode in (0, -signal.SIGKILL)
        count = len(read(lode, "show"))
        assert count in (3, 303)
        counts.append((run.returncode, count))
        if count == 303:
            assert lode("library", "p", "undo").returncode == 0
            assert len(read(lode, "show")) == 3
    assert (-signal.SIGKILL, 3) in counts
    assert counts[-1][1] == 303
