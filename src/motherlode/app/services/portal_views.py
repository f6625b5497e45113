"""A new portal on the shelf, out of what a form or the API says."""

from collections.abc import Iterable

from motherlode.app.services.portals import Wanted, make_portal
from motherlode.app.services.registry import Shelf
from motherlode.portal.reading import parse_override
from motherlode.records import UsageError
from motherlode.topics import Planting

_ELSEWHERE = "store."  # a database may lie anywhere


def put_on(shelf: Shelf, name: str, wanted: Wanted, settings: Iterable[str]) -> Planting:
    """Make a portal of that name with these settings."""
    return make_portal(shelf.free(name), wanted, chosen_from(settings))


def chosen_from(settings: Iterable[str]) -> dict[str, object]:
    """Settings as with `--set`. Raises `UsageError` for those that are not for visitors to choose."""
    chosen = dict(parse_override(setting) for setting in settings)
    if any(key.startswith(_ELSEWHERE) for key in chosen):
        raise UsageError("Where a portal is kept can only be chosen on the command line.")
    return chosen
