"""The direction of imports between the rooms (docs/design.md)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import motherlode

SOURCE = Path(motherlode.__file__).parent

# A room may import from those before it.
ROOMS = (
    "records",
    "urls",
    "lexicon",
    "fetch",
    "documents",
    "learning",
    "topics",
    "frontier",
    "sources",
    "policies",
    "store",
    "search",
    "portal",
    "export",
    "engine",
    "lab",
    "app",
)
# These know nothing of crawling.
ONLY_RECORDS = {"store", "search"}


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every room that a module imports, with the line."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            names = [f"{node.module}.{name}" for name in names]
        for name in names:
            steps = name.split(".")
            if steps[0] == "motherlode" and steps[1] in ROOMS:
                yield steps[1], node.lineno


def allowed(room: str) -> set[str]:
    if room in ONLY_RECORDS:
        return {"records", room}
    return set(ROOMS[: ROOMS.index(room) + 1])


def test_every_package_is_a_known_room() -> None:
    packages = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert packages <= set(ROOMS)


def test_rooms_import_only_from_the_rooms_before_them() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {imported}"
        for path in sorted(SOURCE.rglob("*.py"))
        for imported, line in imports(path)
        if (room := path.relative_to(SOURCE).parts[0]) in ROOMS and imported not in allowed(room)
    ]
    assert wrong == []


def test_a_wrong_import_would_be_seen(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("from motherlode.app import cli\nimport motherlode.store.schema\n")
    assert [room for room, _ in imports(module)] == ["app", "store"]
    assert "app" not in allowed("store")
    assert "urls" not in allowed("store")
