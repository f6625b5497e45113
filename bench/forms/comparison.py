"""Formasaurus on the same forms. Its model was trained on these very pages: no fair contest.

It is found by the environment variable `FORMASAURUS_PYTHON`, an interpreter that can import it.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from bench.forms.labelled import LabelledForm, LabelledPage

VARIABLE = "FORMASAURUS_PYTHON"
_SCRIPT = Path(__file__).parent / "formasaurus_process.py"
Classified = list[tuple[str, list[str]]]  # purpose and query fields of each form of a page


def classified(pages: list[LabelledPage]) -> dict[str, Classified] | None:
    """Return what Formasaurus says of pages, by file; None where it is not installed."""
    python = os.environ.get(VARIABLE)
    if python is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        paths = [_written(page, Path(folder) / f"{n}.html") for n, page in enumerate(pages)]
        asked = json.dumps([[page.url, path] for page, path in zip(pages, paths, strict=True)])
        done = subprocess.run(  # noqa: S603 - an interpreter that the user names
            [python, str(_SCRIPT)], input=asked, capture_output=True, text=True, check=True
        )
    return dict(zip([page.file for page in pages], json.loads(done.stdout), strict=True))


def query_of(said: dict[str, Classified], form: LabelledForm) -> tuple[bool, list[str]]:
    """Return whether a form is for search, and its query fields; pages that it parses otherwise
    count as not found.
    """
    forms = said[form.file]
    if form.number >= len(forms):
        return False, []
    purpose, queries = forms[form.number]
    return purpose == "search", queries


def _written(page: LabelledPage, path: Path) -> str:
    path.write_text(page.html, "utf-8")
    return str(path)
