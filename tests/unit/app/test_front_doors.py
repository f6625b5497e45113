"""Front doors ask services: they open no portal themselves."""

import ast
from pathlib import Path

import motherlode.app

FOLDER = Path(motherlode.app.__file__).parent
FRONT_DOORS = ("api", "cli", "web")


def names_of_portal(path: Path) -> list[str]:
    """Return what a module imports of `motherlode.portal` itself."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "motherlode.portal":
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "motherlode.portal.directory":
            found += [alias.name for alias in node.names if alias.name == "Portal"]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name == "motherlode.portal"]
    return found


def test_front_doors_open_no_portal() -> None:
    wrong = {
        path.relative_to(FOLDER).as_posix(): names
        for door in FRONT_DOORS
        for path in sorted((FOLDER / door).rglob("*.py"))
        if (names := names_of_portal(path))
    }
    assert wrong == {}


def test_an_opened_portal_would_be_seen(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("def f():\n    from motherlode.portal import Portal\n")
    assert names_of_portal(module) == ["Portal"]
