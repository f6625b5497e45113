"""The end of a portal's crawl log."""

from pathlib import Path

from motherlode.app.services.harvest import tail_of
from motherlode.crawl.log import CRAWL_LOG
from motherlode.export.cleaning import plain

_LOOKED_AT = 4 * 2**20  # bytes; of a longer log the rest is in its file


def log_lines(portal: Path, match: str = "", limit: int = 200) -> list[str]:
    """The last lines of the log that hold a text in any case, the latest last, safe to show."""
    wanted = match.casefold()
    lines = tail_of(portal / CRAWL_LOG, _LOOKED_AT).split("\n")[:-1]
    return [plain(line) for line in lines if wanted in line.casefold()][-limit:]
