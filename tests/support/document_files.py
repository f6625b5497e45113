"""Files made for the tests of formats: packages of parts, archives, and what is wrong with some of them."""

import io
import random
import tarfile
import zipfile
from collections.abc import Iterator, Mapping

from motherlode.documents.extracts import Extract, Raw, UnreadableError
from motherlode.documents.formats import reader_for

OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = f"{OFFICE}wordprocessingml.document"
PPTX = f"{OFFICE}presentationml.presentation"
XLSX = f"{OFFICE}spreadsheetml.sheet"
ODF = "application/vnd.oasis.opendocument."
_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def read(
    mime: str, body: bytes | str, content_type: str = "", url: str = "http://example.org/file"
) -> Extract:
    """What the reader of this type makes of it."""
    reader = reader_for(mime)
    assert reader is not None, mime
    return reader(Raw(url, body.encode() if isinstance(body, str) else body, mime, content_type))


def survives(mime: str, body: bytes) -> bool:
    """Whether something could be read; any error but the one that readers may raise fails the test."""
    try:
        read(mime, body)
    except UnreadableError:
        return False
    return True


def links(extract: Extract) -> list[tuple[str, str]]:
    return [(reference.href, reference.anchor) for reference in extract.references]


def zipped(parts: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def tarred(files: Mapping[str, bytes], style: int = tarfile.GNU_FORMAT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=style) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def relations(*told: tuple[str, str, str]) -> str:
    """A part of relations: name, kind and target of each; targets with a colon are elsewhere."""
    lines = [
        f'<Relationship Id="{name}" Type="{_TYPES}/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if ":" in target else "/>")
        for name, kind, target in told
    ]
    return f"<Relationships>{''.join(lines)}</Relationships>"


def truncations(body: bytes) -> Iterator[bytes]:
    """The beginning of it, from nothing to nearly all."""
    for twentieth in range(20):
        yield body[: len(body) * twentieth // 20]


def mutations(body: bytes, count: int, seed: int = 7) -> Iterator[bytes]:
    """The same with some bytes changed, cut out or doubled, and the same again on every run."""
    draw = random.Random(seed)
    for _ in range(count):
        changed = bytearray(body)
        for _ in range(draw.randint(1, 20)):
            place = draw.randrange(len(changed))
            choice = draw.random()
            if choice < 0.7:
                changed[place] = draw.randrange(256)
            elif choice < 0.85:
                del changed[place : place + draw.randint(1, 50)]
            else:
                changed[place:place] = changed[place : place + draw.randint(1, 50)]
            if not changed:
                break
        yield bytes(changed)
