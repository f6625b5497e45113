"""Parquet: documents, links and judgements, a table each; `page` in one is `id` in another."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from motherlode.export.records import (
    JudgementRecord,
    LinkRecord,
    PageRecord,
    told,
    told_assessment,
    whole_or_none,
)
from motherlode.export.text_cleaner import whole
from motherlode.records import BadInputError

FILES = ("documents.parquet", "links.parquet", "judgements.parquet")
_ROWS = 10_000  # that are written together
_CHARACTERS = 2**24  # or fewer, if they are long

T = TypeVar("T")
Row = dict[str, Any]

_ASSESSMENT = {
    "confidence": "float64",
    "margin": "float64",
    "probability": "float64",
    "certainty": "string",
}
_DOCUMENTS = {
    "id": "int64",
    "url": "string",
    "title": "string",
    "topic": "string",
    **_ASSESSMENT,
    "fetched_at": "timestamp",
    "language": "string",
    "mime": "string",
    "status": "int32",
    "size": "int64",
    "digest": "string",
    "gone": "bool_",
    "text": "string",
}
_LINKS = {
    "page": "int64",
    "position": "int32",
    "url": "string",
    "anchor": "string",
    "flags": "int32",
}
_JUDGEMENTS = {"page": "int64", "topic": "string", **_ASSESSMENT, "model": "int64"}


def write_parquet(
    pages: Iterable[PageRecord],
    links: Iterable[LinkRecord],
    judgements: Iterable[JudgementRecord],
    directory: Path,
) -> int:
    """Write the tables into a directory that is there; returns how many documents there are."""
    arrow, parquet = _libraries()
    write = _Writer(arrow, parquet)
    number = write.table(directory / FILES[0], _DOCUMENTS, map(_document, pages))
    write.table(directory / FILES[1], _LINKS, map(_link, links))
    write.table(directory / FILES[2], _JUDGEMENTS, map(_judgement, judgements))
    return number


def _libraries() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise BadInputError(
            "Parquet needs an extra package: pip install 'motherlode[parquet]'."
        ) from error


class _Writer:
    """Tables, some rows at a time."""

    def __init__(self, arrow: Any, parquet: Any) -> None:
        self._arrow = arrow
        self._parquet = parquet

    def table(self, path: Path, columns: dict[str, str], rows: Iterator[Row]) -> int:
        schema = self._arrow.schema([(name, self._type(kind)) for name, kind in columns.items()])
        number = 0
        with self._parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for part in _parts(rows):
                writer.write_table(self._arrow.Table.from_pylist(part, schema=schema))
                number += len(part)
        return number

    def _type(self, kind: str) -> Any:
        if kind == "timestamp":
            return self._arrow.timestamp("us", tz="UTC")
        make: Callable[[], Any] = getattr(self._arrow, kind)
        return make()


def _parts(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Rows in parts that fit into memory, however long their texts are."""
    part: list[Row] = []
    length = 0
    for row in rows:
        part.append(row)
        length += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(part) >= _ROWS or length >= _CHARACTERS:
            yield part
            part, length = [], 0
    if part:
        yield part


def _document(page: PageRecord) -> Row:
    moment = round(page.fetched_at * 1_000_000)
    return {"id": page.id, **told(page, moment), "text": whole_or_none(page.text)}


def _link(link: LinkRecord) -> Row:
    return {
        "page": link.page,
        "position": link.position,
        "url": whole(link.url),
        "anchor": whole(link.anchor),
        "flags": link.flags,
    }


def _judgement(said: JudgementRecord) -> Row:
    return {
        "page": said.page,
        "topic": whole(said.topic),
        **told_assessment(said),
        "model": said.model,
    }
