"""The Python client of the documentation, run against a portal that is served."""

import os
import re
import subprocess
import sys
from pathlib import Path

from support.app_server import serving
from support.bird_portal import crawled_birds

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "api.md"


def test_the_client_does_what_it_says(tmp_path: Path, finished_birds: Path) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    with crawled_birds(tmp_path, finished_birds) as folder, serving(folder) as served:
        run = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "LODE_SERVER": served.address},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert run.returncode == 0, run.stderr
    assert "animals/birds" in run.stdout
    assert re.search(r"^It was fetched", run.stdout, re.MULTILINE)
    assert re.search(r"^\d+ of \d+ pages would go elsewhere$", run.stdout, re.MULTILINE)
    assert (tmp_path / "birds.csv").read_text().startswith("url,")
