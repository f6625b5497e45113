"""The portals that a server shows, and that nothing else can be reached through their names."""

from pathlib import Path

import pytest

from motherlode.app.services.portals.creation import PortalContents, make_portal
from motherlode.app.services.portals.overview import cards
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.records import BadInputError, LodeError, NoPortalError, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two portals in a folder, one beside it."""
    for name in ("portals/Herons", "portals/old owls", "outside"):
        make_portal(tmp_path / name, PortalContents(query=name), {})
    return tmp_path / "portals"


def test_the_portals_of_a_folder(folder: Path) -> None:
    (folder / "no portal").mkdir()
    (folder / "a file").write_text("")
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "lode.toml").write_text("")
    shelf = PortalRegistry(folder)
    assert shelf.names() == ["Herons", "old owls"]
    with shelf.reading("old owls") as portal:
        assert portal.title == "old owls"


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../outside",
        "..\\outside",
        "Herons/../../outside",
        "/etc",
        "a file",
        "nothing",
        "x\0",
        ".hidden",
        "x" * 5000,
    ],
)
def test_other_names_are_no_portals(folder: Path, name: str) -> None:
    with pytest.raises(NoPortalError):
        PortalRegistry(folder).path(name)


def test_a_link_out_of_the_folder_is_no_portal(folder: Path) -> None:
    (folder / "way out").symlink_to(folder.parent / "outside")
    (folder / "way in").symlink_to(folder / "Herons")
    shelf = PortalRegistry(folder)
    assert "way out" not in shelf.names()
    assert shelf.path("way in").resolve() == folder / "Herons"
    with pytest.raises(NoPortalError):
        shelf.path("way out")
    with pytest.raises(BadInputError, match="taken"):
        shelf.free("way out")


def test_one_portal_by_itself(folder: Path) -> None:
    shelf = PortalRegistry(folder / "old owls")
    assert shelf.names() == ["old owls"]
    assert shelf.path("old owls") == folder / "old owls"
    with pytest.raises(NoPortalError):
        shelf.path("Herons")
    with pytest.raises(UsageError, match="Only one portal"):
        shelf.free("more")


@pytest.mark.parametrize(
    "name",
    ["", "-x", ".x", "a/b", "a\\b", "x.", "x ", "a\nb", "x" * 81, "Herons", "_x", "a\u202eb"],
)
def test_names_that_no_new_portal_can_have(folder: Path, name: str) -> None:
    with pytest.raises(LodeError):
        PortalRegistry(folder).free(name)


@pytest.mark.parametrize("name", ["x", "Käuze und Eulen", "owls-2026.1", "鳥", "x" * 80])
def test_names_that_a_new_portal_can_have(folder: Path, name: str) -> None:
    assert PortalRegistry(folder).free(name) == folder / name


def test_there_must_be_a_place(tmp_path: Path) -> None:
    with pytest.raises(NoPortalError, match="does not exist"):
        PortalRegistry(tmp_path / "missing")


def test_a_portal_that_cannot_be_opened_hides_no_other(folder: Path) -> None:
    (folder / "Herons" / "lode.toml").write_text("nonsense = 1")
    herons, owls = cards(PortalRegistry(folder))
    assert "there is no section 'nonsense'" in herons.problem
    assert str(folder) not in herons.problem
    assert (owls.name, owls.examples, owls.problem) == ("old owls", 1, "")
