"""`.venv-peers`: the peers in a virtual environment of their own, made when first needed.

Crawl4AI brings about a hundred packages. They must not meet those that Motherlode is tested with.
"""

import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / ".venv-peers"
PYTHON = FOLDER / "bin" / "python"
_STAMP = FOLDER / "bench.stamp"
_MAX_INSTALL_S = 1800


def make_environment() -> str:
    """Install the dependency group `bench` unless it is there; return what went wrong, or ""."""
    wanted = requirements(ROOT / "pyproject.toml")
    if _STAMP.is_file() and _STAMP.read_text("utf-8").splitlines() == wanted:
        return ""
    print(f"Installing {', '.join(wanted)} into {FOLDER.name}, once ...", flush=True)
    try:
        venv.create(FOLDER, with_pip=True)
        _install(wanted)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{FOLDER.name} could not be made: {_reason(error)}"
    _STAMP.write_text("\n".join(wanted), "utf-8")
    return ""


def requirements(project_file: Path) -> list[str]:
    """Return the dependency group `bench` of a project."""
    project = tomllib.loads(project_file.read_text("utf-8"))
    return list(project["dependency-groups"]["bench"])


def _install(wanted: list[str]) -> None:
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
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
