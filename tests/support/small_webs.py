"""Small recorded webs for tests."""

from collections.abc import Mapping
from pathlib import Path

from motherlode.documents.analysis import Manner, analyse_one, read
from motherlode.documents.extracts import Raw
from motherlode.lab.labels import Labels, write_labels
from motherlode.records import Document
from motherlode.store.archive import Archive, ArchiveOptions, Exchange, Identity
from motherlode.urls import UrlRules

Said = str | tuple[int, dict[str, str], bytes]


def html(title: str, text: str, *links: str) -> str:
    """A page with links, each called after its address."""
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return f"<!DOCTYPE html><title>{title}</title><p>{text}</p><p>{anchors}</p>"


def record_web(
    directory: Path,
    pages: Mapping[str, Said],
    labels: Mapping[str, str] | None = None,
    about: str = "",
) -> Path:
    """A recorded web: what is said at each URL (a page, or a status, headers and body), and labels."""
    directory.mkdir(parents=True, exist_ok=True)
    with Archive(directory, ArchiveOptions(), Identity("tests")) as archive:
        for url, said in pages.items():
            status, headers, body = _parts(said)
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            archive.append(
                Exchange(url, 1_700_000_000.0, f"HTTP/1.1 {status} -\r\n{head}".encode(), body)
            )
        archive.flush()
        archive.commit()
    write_labels(
        directory / "labels.tsv", Labels({url: {topic} for url, topic in (labels or {}).items()})
    )
    (directory / "about.toml").write_text(about)
    return directory


def _parts(said: Said) -> tuple[int, dict[str, str], bytes]:
    if isinstance(said, str):
        return 200, {"Content-Type": "text/html; charset=utf-8"}, said.encode()
    return said


def page_read(
    url: str, content_type: str, body: bytes, rules: UrlRules | None = None, agent: str = ""
) -> Document:
    """What a page says."""
    return read(Raw(url, body, content_type=content_type), Manner(rules or UrlRules(), agent))[0]


def page_analysed(url: str, content_type: str, body: bytes) -> Document:
    """What a page says, with its terms."""
    return analyse_one(Raw(url, body, content_type=content_type))
