"""A file of URLs by subject: CSV, TSV or text (docs/how-to/sources.md has the format)."""

import asyncio
import csv
import re
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path

from motherlode.sources.search.source import Hit, SourceSetup

MAX_FILE_BYTES = 20 * 2**20
COLUMNS = ("subject", "url", "title", "snippet")
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_WORD = re.compile(r"\w+")


class UrlFile:
    """Returns the URLs that a file lists for the subject that is nearest to the query."""

    def __init__(self, setup: SourceSetup) -> None:
        self._client = setup.client
        self._path = Path(setup.options.file)
        self._hits: dict[str, list[Hit]] | None = None

    async def search(self, query: str, wanted: int) -> list[Hit]:
        if self._hits is None:
            self._hits = await asyncio.to_thread(self._read)
        subject = nearest_subject(query, self._hits)
        return self._hits.get(subject, [])[:wanted]

    def _read(self) -> dict[str, list[Hit]]:
        hits: dict[str, list[Hit]] = {}
        for subject, hit in read_url_file(self._text(), self._path.suffix.lower()):
            hits.setdefault(normal_subject(subject), []).append(hit)
        if not hits:
            raise self._client.error(f"has no URLs below a subject in its file {self._path}")
        return hits

    def _text(self) -> str:
        try:
            with self._path.open("rb") as file:
                body = file.read(MAX_FILE_BYTES + 1)
            text = body.decode("utf-8-sig")
        except OSError as error:
            raise self._client.error(
                f"cannot read its file {self._path} ({error.strerror or error})"
            ) from error
        except UnicodeDecodeError as error:
            raise self._client.error(f"has a file that is not UTF-8 text ({self._path})") from error
        if len(body) > MAX_FILE_BYTES:
            raise self._client.error(
                f"has a file of more than {MAX_FILE_BYTES // 2**20} MB ({self._path})"
            )
        return text


def read_url_file(text: str, suffix: str = "") -> Iterator[tuple[str, Hit]]:
    """Yield each URL of a file with its subject; `suffix` is that of the file's name."""
    delimiter = DELIMITERS.get(suffix)
    if delimiter is None:
        yield from _read_text(text.splitlines())
    else:
        yield from _read_table(text, delimiter)


def _read_table(text: str, delimiter: str) -> Iterator[tuple[str, Hit]]:
    columns = {name: place for place, name in enumerate(COLUMNS)}
    try:
        for number, row in enumerate(csv.reader(StringIO(text, newline=""), delimiter=delimiter)):
            named = {name.strip().lower(): place for place, name in enumerate(row)}
            if number == 0 and {"subject", "url"} <= named.keys():
                columns = named
                continue
            subject, url, title, snippet = (_cell(row, columns.get(name)) for name in COLUMNS)
            if subject and _URL.fullmatch(url):
                yield subject, Hit(url, title, snippet)
    except csv.Error:  # what stands before the broken line counts
        return


def _cell(row: list[str], place: int | None) -> str:
    return row[place].strip() if place is not None and place < len(row) else ""


def _read_text(lines: Iterable[str]) -> Iterator[tuple[str, Hit]]:
    """Yield the URLs of a text: a subject stands on a line of its own above its URLs."""
    subject = ""
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        url = _URL.match(line)
        if url is None:
            subject = line
        elif subject:
            yield subject, Hit(url[0], line[url.end() :].strip())


def normal_subject(subject: str) -> str:
    """Return a subject as it is compared: its words, without case.

    >>> normal_subject(" Barn  Owls: hunting")
    'barn owls hunting'
    """
    return " ".join(_WORD.findall(subject.casefold()))


def nearest_subject(query: str, subjects: Iterable[str]) -> str:
    """Return the subject that is the query, or shares all words of one with it; else none.

    >>> nearest_subject("Barn owls at night", ["barn owls", "owls", "herons"])
    'barn owls'
    """
    wanted = normal_subject(query)
    words = set(wanted.split())
    best, most = "", 0
    for subject in subjects:
        if subject == wanted:
            return subject
        own = set(subject.split())
        common = len(own & words)
        if common > most and (own <= words or words <= own):
            best, most = subject, common
    return best
