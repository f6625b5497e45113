"""Lists and graphs of whole websites, one format for each suffix of a file."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct

from motherlode.export.formats.bookmarks import write_bookmarks
from motherlode.export.formats.csv import write_csv_rows
from motherlode.export.records import MemberRecord, Shelf
from motherlode.export.site_picture import png_of, site_svg
from motherlode.export.text_cleaner import label, plain, whole
from motherlode.learning.calibration import certainty
from motherlode.policies.websites.site_table import UNLIKE, ListedSite, SiteLink, SiteTable
from motherlode.records import ChoiceKind
from motherlode.topics import OTHERS

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NODE_TYPES = {
    "home": "string",
    "title": "string",
    "probability": "double",
    "certainty": "string",
    "relevant": "boolean",
    "choice": "string",
    "state": "string",
    "pages": "integer",
    "referrers": "integer",
}
_EDGE_TYPES = {"pages": "integer", "mean_probability": "double"}
_GRAPHML_TYPES = {"integer": "int"}


class SiteExport(Struct, frozen=True):
    """The sites that are exported, best first. `topic` names the folder of bookmarks."""

    table: SiteTable
    rows: Sequence[ListedSite]
    title: str
    topic: str

    def edges(self) -> Iterator[tuple[str, SiteLink]]:
        return self.table.edges([row.site for row in self.rows])


class SiteFormat(Struct, frozen=True):
    """A format of sites, what it is for users, and its writer."""

    about: str
    write: Callable[[SiteExport, BinaryIO], None]


def site_record(row: ListedSite) -> dict[str, Any]:
    """Return what is told of a site, by the names that readers know.

    `relevant` is None for a site of which nothing is known.
    """
    return {
        "site": whole(row.site),
        "home": whole(row.home),
        "title": whole(row.title),
        "probability": row.probability,
        "certainty": None if row.probability is None else certainty(row.probability),
        "relevant": None if row.probability is None else row.is_relevant,
        "choice": row.choice,
        "state": row.standing.value,
        "reason": row.reason,
        "pages": row.pages,
        "referrers": row.referrers,
        "linked_by": row.linked_by,
        "rank": row.rank,
        "mirrors": list(map(whole, row.mirrors)),
    }


def write_site_csv(export: SiteExport, out: BinaryIO) -> None:
    """Write a site per row."""
    records = [site_record(row) for row in export.rows]
    heading = tuple(records[0]) if records else ("site",)
    write_csv_rows(heading, (list(_cells(record)) for record in records), out)


def write_site_json(export: SiteExport, out: BinaryIO) -> None:
    """Write the sites, and the links among them, as one JSON object."""
    links = [
        {
            "source": whole(source),
            "target": whole(link.site),
            "pages": link.pages,
            "mean_probability": link.mean_probability,
            "weight": link.weight,
        }
        for source, link in export.edges()
    ]
    content = {"sites": [site_record(row) for row in export.rows], "links": links}
    out.write(json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")


def write_site_bookmarks(export: SiteExport, out: BinaryIO) -> None:
    """Write relevant sites into a folder, and those that the user rejected into OTHERS.

    `lode sites --bookmarks` reads them again.
    """
    folders = {
        export.topic: [row for row in export.rows if row.is_relevant],
        OTHERS: [row for row in export.rows if row.choice in (ChoiceKind.REJECT, UNLIKE)],
    }
    shelves = [
        Shelf((name,), tuple(_bookmark(row, name) for row in rows))
        for name, rows in folders.items()
        if rows
    ]
    write_bookmarks(shelves, out, export.title)


def write_site_graphml(export: SiteExport, out: BinaryIO) -> None:
    """Write sites as nodes, and the links among them as edges."""
    out.write(f'{_XML}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'.encode())
    out.writelines(_graphml_keys("node", "n", _NODE_TYPES))
    out.writelines(_graphml_keys("edge", "e", _EDGE_TYPES))
    out.write(b'<graph edgedefault="directed">\n')
    for row in export.rows:
        cells = _graphml_cells("n", _node_values(row))
        out.write(f"<node id={quoteattr(plain(row.site))}>{cells}</node>\n".encode())
    for source, link in export.edges():
        cells = _graphml_cells("e", _edge_values(link))
        ends = f"source={quoteattr(plain(source))} target={quoteattr(plain(link.site))}"
        out.write(f"<edge {ends}>{cells}</edge>\n".encode())
    out.write(b"</graph>\n</graphml>\n")


def write_site_gexf(export: SiteExport, out: BinaryIO) -> None:
    """Write sites as nodes, and the links among them as edges, for Gephi."""
    out.write(
        f'{_XML}<gexf xmlns="http://gexf.net/1.3" version="1.3">\n'
        '<graph defaultedgetype="directed">\n'.encode()
    )
    out.writelines(_gexf_attributes("node", _NODE_TYPES))
    out.writelines(_gexf_attributes("edge", _EDGE_TYPES))
    out.write(b"<nodes>\n")
    for row in export.rows:
        name = quoteattr(plain(row.site))
        cells = _gexf_cells(_node_values(row))
        out.write(f"<node id={name} label={name}>{cells}</node>\n".encode())
    out.write(b"</nodes>\n<edges>\n")
    for number, (source, link) in enumerate(export.edges()):
        ends = f"source={quoteattr(plain(source))} target={quoteattr(plain(link.site))}"
        cells = _gexf_cells(_edge_values(link))
        out.write(f'<edge id="{number}" {ends} weight="{link.pages}">{cells}</edge>\n'.encode())
    out.write(b"</edges>\n</graph>\n</gexf>\n")


def write_site_svg(export: SiteExport, out: BinaryIO) -> None:
    """Write the picture of the sites."""
    out.write(site_svg(export.table, export.rows, export.title).encode())


def write_site_png(export: SiteExport, out: BinaryIO) -> None:
    """Write the picture of the sites as PNG."""
    out.write(png_of(site_svg(export.table, export.rows, export.title)))


SITE_FORMATS: Mapping[str, SiteFormat] = {
    "csv": SiteFormat("one site per row", write_site_csv),
    "json": SiteFormat("the sites, and the links among them", write_site_json),
    "html": SiteFormat("bookmarks of the relevant sites", write_site_bookmarks),
    "gexf": SiteFormat("the graph of the sites, for Gephi", write_site_gexf),
    "graphml": SiteFormat("the graph of the sites", write_site_graphml),
    "svg": SiteFormat("a picture of the graph", write_site_svg),
    "png": SiteFormat("a picture of the graph", write_site_png),
}


def _cells(record: Mapping[str, Any]) -> Iterator[object]:
    for value in record.values():
        match value:
            case bool():
                yield "true" if value else "false"
            case list():
                yield " ".join(value)
            case None:
                yield ""
            case _:
                yield value


def _bookmark(row: ListedSite, folder: str) -> MemberRecord:
    return MemberRecord(
        url=row.home,
        title=row.title or row.site,
        subject=folder,
        merit=row.probability,
        choice=row.choice,
        source="",
        found_on="",
        fetched_at=None,
        language="",
        mime="",
    )


def _node_values(row: ListedSite) -> dict[str, str]:
    record = site_record(row) | {"title": label(row.title)}
    return {name: _text(record[name]) for name in _NODE_TYPES if record[name] is not None}


def _edge_values(link: SiteLink) -> dict[str, str]:
    return {"pages": str(link.pages), "mean_probability": f"{link.mean_probability:.6g}"}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else plain(str(value))


def _graphml_keys(kind: str, prefix: str, types: Mapping[str, str]) -> Iterable[bytes]:
    for name, type_ in types.items():
        shown = _GRAPHML_TYPES.get(type_, type_)
        key = f'<key id="{prefix}_{name}" for="{kind}" attr.name="{name}" attr.type="{shown}"/>\n'
        yield key.encode()


def _graphml_cells(prefix: str, values: Mapping[str, str]) -> str:
    return "".join(
        f'<data key="{prefix}_{name}">{escape(value)}</data>' for name, value in values.items()
    )


def _gexf_attributes(kind: str, types: Mapping[str, str]) -> Iterable[bytes]:
    yield f'<attributes class="{kind}">\n'.encode()
    for name, type_ in types.items():
        yield f'<attribute id="{name}" title="{name}" type="{type_}"/>\n'.encode()
    yield b"</attributes>\n"


def _gexf_cells(values: Mapping[str, str]) -> str:
    cells = "".join(
        f'<attvalue for="{name}" value={quoteattr(value)}/>' for name, value in values.items()
    )
    return f"<attvalues>{cells}</attvalues>"
