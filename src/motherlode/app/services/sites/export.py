"""Write the sites of a portal to a file: a list, a graph or a picture."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from msgspec import Struct

from motherlode.app.requests.sites import SiteListRequest
from motherlode.app.services.sites.views import OpenSites, open_sites
from motherlode.export.destination import check_place, file_at
from motherlode.export.formats.sites import SITE_FORMATS, SiteExport, SiteFormat
from motherlode.policies.websites.model import topic_of_sites
from motherlode.policies.websites.site_table import SiteFilter
from motherlode.portal.directory import config_of
from motherlode.records import BadInputError, UsageError
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree


class SiteExportResult(Struct, frozen=True):
    """The file of an export, and the number of sites in it."""

    output: str
    sites: int


def export_sites(
    path: Path,
    target: Path,
    request: SiteListRequest,
    settings: Sequence[str] = (),
    *,
    force: bool = False,
) -> SiteExportResult:
    """Write the sites that a filter lets through; the suffix of the file says in which format.

    Raises `UsageError` for another suffix, and `LodeError` if a picture lacks its library.
    """
    format_ = format_of(target.suffix)
    config_of(path)  # raises if there is no portal
    check_place(target, force=force, portal=path)
    with open_sites(path, settings) as opened:
        export = _export(opened, request)
        with file_at(target) as file:
            format_.write(export, file)
    return SiteExportResult(str(target), len(export.rows))


def site_file(path: Path, suffix: str, request: SiteListRequest) -> bytes:
    """Return the file of an export."""
    format_ = format_of(suffix)
    out = BytesIO()
    with open_sites(path) as opened:
        format_.write(_export(opened, request), out)
    return out.getvalue()


def format_of(suffix: str) -> SiteFormat:
    """Return the format of a suffix, such as `.gexf`. Raises `UsageError` if there is none."""
    format_ = SITE_FORMATS.get(suffix.removeprefix(".").lower())
    if format_ is None:
        known = ", ".join(f".{name} ({one.about})" for name, one in SITE_FORMATS.items())
        raise UsageError(f"The suffix of the file says its format: {known}.")
    return format_


def _export(opened: OpenSites, request: SiteListRequest) -> SiteExport:
    session, rows = opened.session, opened.rows(SiteFilter(request.show))
    try:
        topic = TopicTree(topic_rows.all_topics(session)).path(topic_of_sites(session))[-1]
    except BadInputError:  # all named sites were taken out of the examples
        topic = "sites"
    return SiteExport(opened.table, rows, opened.title, topic)
