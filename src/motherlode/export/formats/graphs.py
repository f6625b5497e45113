"""The link graph, as GraphML and as GEXF 1.3: pages are nodes, links between them edges."""

from collections.abc import Iterable
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

from motherlode.export.records import PageRecord, told_assessment
from motherlode.export.text_cleaner import label, plain

Edges = Iterable[tuple[int, int]]
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_GRAPHML = (
    f'{_XML}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    '<key id="url" for="node" attr.name="url" attr.type="string"/>\n'
    '<key id="title" for="node" attr.name="title" attr.type="string"/>\n'
    '<key id="topic" for="node" attr.name="topic" attr.type="string"/>\n'
    '<key id="confidence" for="node" attr.name="confidence" attr.type="double"/>\n'
    '<key id="margin" for="node" attr.name="margin" attr.type="double"/>\n'
    '<key id="probability" for="node" attr.name="probability" attr.type="double"/>\n'
    '<key id="certainty" for="node" attr.name="certainty" attr.type="string"/>\n'
    '<graph edgedefault="directed">\n'
)
_GEXF = (
    f'{_XML}<gexf xmlns="http://gexf.net/1.3" version="1.3">\n<graph defaultedgetype="directed">\n'
    '<attributes class="node">\n'
    '<attribute id="url" title="url" type="string"/>\n'
    '<attribute id="topic" title="topic" type="string"/>\n'
    '<attribute id="confidence" title="confidence" type="double"/>\n'
    '<attribute id="margin" title="margin" type="double"/>\n'
    '<attribute id="probability" title="probability" type="double"/>\n'
    '<attribute id="certainty" title="certainty" type="string"/>\n'
    "</attributes>\n<nodes>\n"
)


def write_graphml(pages: Iterable[PageRecord], edges: Edges, out: BinaryIO) -> int:
    """Write nodes, then edges; returns how many nodes there are."""
    out.write(_GRAPHML.encode())
    number = 0
    for number, page in enumerate(pages, 1):  # noqa: B007 - the last one counts
        said = {**_said(page), "title": label(page.title)}
        cells = "".join(f'<data key="{key}">{escape(value)}</data>' for key, value in said.items())
        out.write(f'<node id="n{page.id}">{cells}</node>\n'.encode())
    out.writelines(
        f'<edge source="n{source}" target="n{target}"/>\n'.encode() for source, target in edges
    )
    out.write(b"</graph>\n</graphml>\n")
    return number


def write_gexf(pages: Iterable[PageRecord], edges: Edges, out: BinaryIO) -> int:
    """Write nodes, then edges; returns how many nodes there are."""
    out.write(_GEXF.encode())
    number = 0
    for number, page in enumerate(pages, 1):  # noqa: B007 - the last one counts
        named = quoteattr(label(page.title) or label(page.url))
        cells = "".join(
            f'<attvalue for="{k}" value={quoteattr(v)}/>' for k, v in _said(page).items()
        )
        out.write(
            f'<node id="n{page.id}" label={named}><attvalues>{cells}</attvalues></node>\n'.encode()
        )
    out.write(b"</nodes>\n<edges>\n")
    out.writelines(
        f'<edge id="e{place}" source="n{source}" target="n{target}"/>\n'.encode()
        for place, (source, target) in enumerate(edges)
    )
    out.write(b"</edges>\n</graph>\n</gexf>\n")
    return number


def _said(page: PageRecord) -> dict[str, str]:
    """What is said of a node; what is not known is left out."""
    said = {"url": plain(page.url)}
    if page.topic is not None:
        said["topic"] = plain(page.topic)
    assessment = {
        name: str(value) for name, value in told_assessment(page).items() if value is not None
    }
    return said | assessment
