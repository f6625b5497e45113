"""The tabs of a portal. A new view with a tab is a line here."""

from urllib.parse import quote

from msgspec import Struct

# The label of a tab, and its path below the portal's address.
TABS = (
    ("Overview", ""),
    ("Topics", "/topics"),
    ("Crawl", "/crawl"),
    ("Feedback", "/feedback"),
    ("Search", "/search"),
    ("Marks", "/marks"),
    ("Export", "/export"),
    ("Jobs", "/jobs"),
)


class Tab(Struct, frozen=True):
    label: str
    address: str
    is_current: bool


def portal_address(name: str, path: str = "") -> str:
    """Return the address of a portal, or of a page below it.

    >>> portal_address("old owls", "/jobs")
    '/portals/old%20owls/jobs'
    """
    return f"/portals/{quote(name, safe='')}{path}"


def tabs_of(portal: str, path: str) -> list[Tab]:
    """Return the tabs of a portal, the current one marked; none without a portal."""
    if not portal:
        return []
    at = f"/portals/{portal}"
    return [
        Tab(
            label,
            portal_address(portal, below),
            _is_within(path, f"{at}{below}", exactly=not below),
        )
        for label, below in TABS
    ]


def _is_within(path: str, place: str, *, exactly: bool) -> bool:
    return path == place or (not exactly and path.startswith(f"{place}/"))
