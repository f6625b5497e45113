"""The direction of imports between the rooms and sub-rooms (docs/architecture.md)."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import motherlode

SOURCE = Path(motherlode.__file__).parent

# A room may import from those before it. Where a sub-room is named, it has a place of its own.
ROOMS = (
    "records",
    "urls",
    "lexicon",
    "documents",
    "fetch",
    "learning",
    "topics",
    "frontier",
    "sources",
    "policies.registry",
    "policies.options",
    "policies.bingo.options",
    "store",
    "search.options",
    "portal",
    "workers",
    "training",
    "search",
    "export",
    "policies.policy",
    "policies.bounds",
    "policies.follows",
    "crawl",
    "policies",
    "explain",
    "lab",
    "app.errors",
    "app.text",
    "app.requests",
    "app.services",
    "app.jobs",
    "app.server",
    "app.api",
    "app.web",
    "app.application",
    "app.cli",
    "app",
)
# The front doors import nothing from one another.
FRONT_DOORS = {"app.api", "app.web", "app.cli"}
# They ask services, and never tables.
NOT_FOR_FRONT_DOORS = FRONT_DOORS | {"store"}
# What the seam still has to mend; it only gets shorter.
MENDED_NEXT: tuple[str, ...] = ()
# These know nothing but records.
ONLY_RECORDS = {"store"}


def room_of(module: str) -> str:
    """The most particular room that a module lies in; empty: it lies in none.

    >>> room_of("policies.bingo.steering"), room_of("policies.policy"), room_of("__main__")
    ('policies', 'policies.policy', '')
    """
    steps = module.split(".")
    names = (".".join(steps[:length]) for length in range(len(steps), 0, -1))
    return next((name for name in names if name in ROOMS), "")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every module of ours that a file imports, with the line."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            names = [f"{node.module}.{name}" for name in names]
        for name in names:
            first, _, rest = name.partition(".")
            if first == "motherlode" and room_of(rest):
                yield rest, node.lineno


def allowed(room: str) -> set[str]:
    """The rooms that a room may import from, itself included."""
    if room in ONLY_RECORDS:
        return {"records", room}
    rooms = set(ROOMS[: ROOMS.index(room) + 1])
    return rooms - NOT_FOR_FRONT_DOORS | {room} if room in FRONT_DOORS else rooms


def wrong_imports() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        room = room_of(module)
        for imported, line in imports(path):
            if room and room_of(imported) not in allowed(room):
                yield f"{path.relative_to(SOURCE)}:{line} imports {imported}"


def test_every_package_is_a_known_room() -> None:
    packages = {
        path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert packages <= {room.partition(".")[0] for room in ROOMS}


def test_rooms_import_only_from_the_rooms_before_them() -> None:
    assert [one for one in wrong_imports() if not one.startswith(MENDED_NEXT)] == []


def test_a_wrong_import_would_be_seen(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("from motherlode.app import cli\nimport motherlode.store.schema\n")
    assert [name for name, _ in imports(module)] == ["app.cli", "store.schema"]
    assert "app" not in allowed("store")
    assert "urls" not in allowed("store")
    assert "policies" not in allowed("crawl")
    assert {"app.services", "app.server"} <= allowed("app.web")
    assert not {"app.cli", "app.web", "store"} & allowed("app.api")
    assert "app.jobs" not in allowed("app.services")


def test_a_class_name_exists_once() -> None:
    files: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                files[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: paths for name, paths in files.items() if len(paths) > 1} == {}
