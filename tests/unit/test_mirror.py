"""`tests/unit` has the folders of `src/motherlode`, and a module's test lies in the module's folder."""

from collections import defaultdict
from pathlib import Path

import motherlode

SOURCE = Path(motherlode.__file__).parent
TESTS = Path(__file__).parent
# Packages whose tests are a suite of their own, and that suite.
TESTED_ELSEWHERE = {
    "store/queries": "contracts",  # every test runs on both databases
    "store/tables": "contracts",
}


def packages(root: Path, pattern: str) -> set[str]:
    """Return the folders below `root` that hold a file of that pattern, besides `__init__`."""
    files = (path for path in root.rglob(pattern) if path.name != "__init__.py")
    return {path.parent.relative_to(root).as_posix() for path in files} - {"."}


def test_every_package_has_a_folder_of_tests() -> None:
    untested = packages(SOURCE, "*.py") - packages(TESTS, "test_*.py") - set(TESTED_ELSEWHERE)
    assert sorted(untested) == []


def test_every_folder_of_tests_has_a_package() -> None:
    assert packages(TESTS, "test_*.py") <= packages(SOURCE, "*.py")


def test_what_is_tested_elsewhere_is_tested_there() -> None:
    for package, suite in TESTED_ELSEWHERE.items():
        name = f"motherlode.{package.replace('/', '.')}"
        assert any(name in path.read_text() for path in (TESTS.parent / suite).glob("test_*.py"))


def test_a_test_lies_as_deep_as_the_module_whose_name_it_has() -> None:
    folders = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        folders[path.stem].add(path.parent.relative_to(SOURCE))
    misplaced = []
    for path in sorted(TESTS.rglob("test_*.py")):
        folder = path.parent.relative_to(TESTS)
        homes = folders[path.stem.removeprefix("test_")]
        near = [home for home in homes if folder in home.parents or home in folder.parents]
        if folder not in homes and folder.name and near:
            misplaced.append(f"{folder}/{path.name}: expected in {near[0]}")
    assert misplaced == []
