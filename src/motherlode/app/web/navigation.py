"""The tabs of a portal. A new view that belongs into every portal is a line here."""

from urllib.parse import quote

from msgspec import Struct

# What is written on a tab, and where it leads beneath the portal's own address.
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
    here: bool


def portal_address(name: str, beneath: str = "") -> str:
    """Where a portal's page is.

    >>> portal_address("old owls", "/jobs")
    '/portals/old%20owls/jobs'
    """
    return f"/portals/{quote(name, safe='')}{beneath}"


def tabs_of(portal: str, path: str) -> list[Tab]:
    """The tabs of a portal, with the one that a path belongs to; none, where there is no portal."""
    if not portal:
        return []
    found = [(label, portal_address(portal, beneath), beneath) for label, beneath in TABS]
    at = f"/portals/{portal}"
    return [
        Tab(label, to, _within(path, f"{at}{beneath}", whole=not beneath)) for label, to, beneath in found
    ]


def _within(path: str, place: str, *, whole: bool) -> bool:
    return path == place or (not whole and path.startswith(f"{place}/"))
