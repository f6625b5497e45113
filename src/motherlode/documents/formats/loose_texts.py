"""Texts that belong to a document without being a part of its flow: diagrams, comments."""

from motherlode.documents.formats.collector import DocumentBuilder
from motherlode.documents.formats.markup import StopReading, local, walk

_PARAGRAPHS = frozenset({"p", "text"})


class _Loose:
    def __init__(self, gathered: DocumentBuilder) -> None:
        self._gathered = gathered
        self._depth = 0
        self._data: list[str] = []

    def start(self, name: str, _: dict[str, str]) -> None:
        if local(name) in _PARAGRAPHS:
            self._flush()
            self._depth += 1

    def end(self, name: str) -> None:
        if local(name) in _PARAGRAPHS:
            self._flush()
            self._depth -= 1

    def text(self, data: str) -> None:
        if self._depth:
            self._data.append(data)

    def _flush(self) -> None:
        self._gathered.line("".join(self._data))
        self._data = []
        if self._gathered.full:
            raise StopReading


def gather_loose(part: bytes, gathered: DocumentBuilder) -> None:
    """Take all paragraphs, whatever they are for."""
    walk(part, _Loose(gathered))
