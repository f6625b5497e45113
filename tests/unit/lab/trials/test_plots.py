"""Plots: files of the right kind, the same bytes each time, and labels that stay apart."""

import struct
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.lab.trials import plots
from motherlode.lab.trials.plots import plot
from motherlode.records import BadInputError, LodeError

LINES: dict[str, list[tuple[float, float]]] = {
    "best first": [(0, 0), (500, 300), (1000, 480)],
    "context graphs": [(0, 0), (500, 280), (1000, 475)],
    "fish search": [(0, 0.0), (500, 140.5), (1000, 478.5)],
    "breadth first": [(0, 0), (600, 60)],
}


def texts(svg: Path) -> set[str]:
    """Every text that an SVG file shows."""
    root = ET.parse(svg).getroot()  # noqa: S314 - the file is our own
    return {element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")}


def size(png: Path) -> tuple[int, int]:
    data = png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


@pytest.mark.parametrize("name", ["trial", "trial."])
def test_without_a_suffix_both_formats_are_written(tmp_path: Path, name: str) -> None:
    files = plot(LINES, tmp_path / name, title="Four policies", subtitle="mean of 3 runs")
    assert files == [tmp_path / "trial.png", tmp_path / "trial.svg"]
    width, height = size(files[0])
    assert 1400 <= width <= 1900
    assert 800 <= height <= 1050
    axes = {"pages fetched", "relevant pages found"}
    assert {*LINES, *axes, "Four policies", "mean of 3 runs"} <= texts(files[1])


def test_the_suffix_decides_the_format(tmp_path: Path) -> None:
    assert plot(LINES, tmp_path / "a.svg", title="t") == [tmp_path / "a.svg"]
    assert plot(LINES, tmp_path / "a.PNG", title="t") == [tmp_path / "a.PNG"]
    size(tmp_path / "a.PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.PNG", "a.svg"]


def test_the_same_lines_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = (plot(LINES, tmp_path / name, title="t") for name in ("one", "two"))
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]


@pytest.mark.parametrize("name", ["trial.pdf", "trial.v2", ""])
def test_other_suffixes_are_refused(tmp_path: Path, name: str) -> None:
    target = tmp_path / name if name else Path()
    with pytest.raises(BadInputError, match=r"ends in \.png or \.svg\.$"):
        plot(LINES, target, title="t")


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="There is no folder"):
        plot(LINES, tmp_path / "no" / "trial.png", title="t")


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "trial.svg").mkdir()
    with pytest.raises(LodeError, match="cannot be written"):
        plot(LINES, tmp_path / "trial.svg", title="t")


def test_no_points_make_no_plot(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="nothing to plot"):
        plot({"idle": []}, tmp_path / "trial.svg", title="t")


def test_a_run_that_found_nothing_can_be_plotted(tmp_path: Path) -> None:
    plot(
        {"idle": [(0, 0)], "unlucky": [(0, 0), (9, 0)], "none": []},
        tmp_path / "trial.svg",
        title="t",
    )
    assert {"idle", "unlucky"} <= texts(tmp_path / "trial.svg")
    assert "none" not in texts(tmp_path / "trial.svg")


def test_names_are_data(tmp_path: Path) -> None:
    names = ["a:Q", "a.b", "a[0]", "datum['x']\\", "<b>&amp;\"'", "", "line", "日本 é 🦉"]
    lines = {name: [(0, 0), (10, rank)] for rank, name in enumerate(names)}
    plot(lines, tmp_path / "odd", title="<t> & [x]:Q")
    assert {*names, "<t> & [x]:Q"} - {""} <= texts(tmp_path / "odd.svg")


def test_what_xml_cannot_write_is_shown_as_a_question_mark(tmp_path: Path) -> None:
    lines = {"a\x00": [(0, 0), (5, 5)], "a\n": [(0, 0), (5, 4)], "b\ud800": [(0, 0), (5, 3)]}
    plot(lines, tmp_path / "odd", title="\x1b[1m")
    assert {"a?", "b?", "?[1m"} <= texts(tmp_path / "odd.svg")


def test_a_long_name_does_not_widen_the_picture(tmp_path: Path) -> None:
    (png,) = plot({"W" * 300: [(0, 0), (5, 5)]}, tmp_path / "long.png", title="t" * 500)
    assert size(png)[0] <= 1900


@given(st.lists(st.floats(0, 380), min_size=1, max_size=60))
def test_labels_stay_apart_in_order_and_inside(wanted: list[float]) -> None:
    places = plots._spread(wanted, 380)
    step = min(18, 380 / max(1, len(wanted) - 1))
    ranked = sorted(places)
    assert all(after - before >= step - 1e-6 for before, after in pairwise(ranked))
    assert -1e-6 <= ranked[0] <= ranked[-1] <= 380 + 1e-6
    assert [wanted[places.index(place)] for place in ranked] == sorted(wanted)


def test_labels_with_room_stay_at_their_lines() -> None:
    assert plots._spread([100, 300, 10], 380) == [100, 300, 10]
    assert plots._spread([100, 100], 380) == [91, 109]


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ModuleType:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(plots, "import_module", missing)
    with pytest.raises(LodeError, match=r"pip install 'motherlode\[lab\]'"):
        plot(LINES, tmp_path / "trial.svg", title="t")
