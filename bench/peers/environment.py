"""Virtual environments of their own for peers and solvers, made when first needed.

`.venv-peers` has the dependency group `bench`: Crawl4AI brings about a hundred packages. They must
not meet those that Motherlode is tested with. `.venv-solvers` has the group `solvers` alone.
"""

import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / ".venv-peers"
PYTHON = FOLDER / "bin" / "python"
PEERS_GROUP = "bench"
SOLVERS_FOLDER = ROOT / ".venv-solvers"
SOLVERS_PYTHON = SOLVERS_FOLDER / "bin" / "python"
SOLVERS_GROUP = "solvers"
_STAMP = "bench.stamp"
_MAX_INSTALL_S = 1800


def make_environment(folder: Path = FOLDER, group: str = PEERS_GROUP) -> str:
    """Install a dependency group unless it is there; return what went wrong, or ""."""
    wanted = requirements(ROOT / "pyproject.toml", group)
    stamp = folder / _STAMP
    if stamp.is_file() and stamp.read_text("utf-8").splitlines() == wanted:
        return ""
    print(f"Installing {', '.join(wanted)} into {folder.name}, once ...", flush=True)
    try:
        venv.create(folder, with_pip=True)
        _install(folder / "bin" / "python", wanted)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{folder.name} could not be made: {_reason(error)}"
    stamp.write_text("\n".join(wanted), "utf-8")
    return ""


def requirements(project_file: Path, group: str = PEERS_GROUP) -> list[str]:
    """Return a dependency group of a project, with the groups that it includes."""
    groups = tomllib.loads(project_file.read_text("utf-8"))["dependency-groups"]
    return _requirements(groups, group)


def _requirements(groups: dict[str, list[Any]], group: str) -> list[str]:
    wanted: list[str] = []
    for line in groups[group]:
        wanted += [line] if isinstance(line, str) else _requirements(groups, line["include-group"])
    return wanted


def _install(python: Path, wanted: list[str]) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run(  # noqa: S603 - our own interpreter, and what pyproject.toml names
        [*command, *wanted],
        stdout=sys.stderr,
        stderr=subprocess.PIPE,
        text=True,
        timeout=_MAX_INSTALL_S,
        check=True,
    )


def _reason(error: Exception) -> str:
    complaints = getattr(error, "stderr", None) or str(error)
    return complaints.strip().splitlines()[-1]
