"""A new portal on the shelf, out of what a form or the API says."""

from collections.abc import Iterable
from pathlib import Path

from motherlode.app.making import Wanted, make_portal
from motherlode.app.serving.shelf import Shelf
from motherlode.portal.reading import parse_override
from motherlode.records import UsageError
from motherlode.topics import Planting

_ELSEWHERE = "store."  # a database may lie anywhere


def put_on(shelf: Shelf, name: str, wanted: Wanted, settings: Iterable[str]) -> Planting:
    """Make a portal. Settings are as with `--set`, but where it is kept is not for visitors to say."""
    path: Path = shelf.free(name)
    chosen = dict(parse_override(setting) for setting in settings)
    if any(key.startswith(_ELSEWHERE) for key in chosen):
        raise UsageError("Where a portal is kept can only be chosen on the command line, by 'lode new'.")
    return make_portal(path, wanted, chosen)
