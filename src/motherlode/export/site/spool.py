"""What a site shows of its pages, put down in temporary files: it is wanted by topic, by site and
by word.

So memory grows with the number of sites, not with that of pages.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from tempfile import TemporaryFile
from typing import IO, Self

from msgspec import json

from motherlode.export.external_sort import sorted_lines
from motherlode.export.site.lookup import postings
from motherlode.export.site.rows import SiteRow, row_of
from motherlode.training.topic_profile import PageCard

_decoder = json.Decoder(SiteRow)


class Spool:
    """Rows in the order in which they were added: topic by topic."""

    def __init__(self, topics: int) -> None:
        self._files = ExitStack()
        self._rows, self._by_host, self._words = (self._file() for _ in range(3))
        self._number = 0
        self.counts = [0] * topics
        self.hosts: list[Counter[str]] = [Counter() for _ in range(topics)]
        self.languages: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def __len__(self) -> int:
        return self._number

    def add(self, topic: int, path: tuple[str, ...], card: PageCard) -> None:
        number, row = self._number, row_of(card, topic)
        line = json.encode(row) + b"\n"
        self._rows.write(line)
        self._by_host.write(f"{row.host}\t{number:09}\t".encode() + line)
        self._words.writelines(postings(number, row, card, path))
        self._number += 1
        self.counts[topic] += 1
        self.hosts[topic][row.host] += 1
        self.languages[row.language] += 1

    def rows(self) -> Iterator[SiteRow]:
        """Every page, by its number."""
        self._rows.seek(0)
        return map(_decoder.decode, self._rows)

    def by_host(self) -> Iterator[tuple[str, Iterator[SiteRow]]]:
        """Sites by their names, each with its pages."""
        self._by_host.seek(0)
        split = (line.split(b"\t", 2) for line in sorted_lines(self._by_host))
        for host, lines in groupby(split, key=lambda parts: parts[0]):
            yield host.decode(), (_decoder.decode(row) for _, _, row in lines)

    def words(self) -> Iterator[bytes]:
        """Lines of words and the pages that have them, sorted."""
        self._words.seek(0)
        return sorted_lines(self._words)

    def _file(self) -> IO[bytes]:
        return self._files.enter_context(TemporaryFile())
