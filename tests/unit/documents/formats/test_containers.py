"""Archives, packed files, and what a zip or OLE file really is."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable

import pytest

from motherlode.documents.extracts import UnreadableError
from motherlode.documents.formats import containers, reader_for
from motherlode.documents.formats import zip_files as zips
from motherlode.documents.formats.containers import harmless
from motherlode.documents.formats.kinds import OLE_MAGIC, kind_of_ole, kind_of_zip
from motherlode.lab.generated.formats import KINDS, Manuscript, make
from support.document_files import DOCX, PPTX, read, relations, tarred, zipped

ZIP, GZIP, TAR = "application/zip", "application/gzip", "application/x-tar"
FILES = {"a.txt": b"one", "folder/b.html": b"<p>two" * 1000}


def members(mime: str, body: bytes, url: str = "http://example.org/file") -> dict[str, bytes]:
    return {member.name: member.body for member in read(mime, body, url=url).members}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_a_zip_has_its_files(method: int) -> None:
    assert members(ZIP, zipped(FILES, method)) == FILES


@pytest.mark.parametrize("style", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_tar_has_its_files_by_their_whole_names(style: int) -> None:
    long = {"/".join(["folder" * 3] * 7) + "/file.txt": b"x" * 513, **FILES}
    assert members(TAR, tarred(long, style)) == long


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_tar_is_a_tar(pack: Callable[[bytes], bytes]) -> None:
    assert members(GZIP, pack(tarred(FILES))) == FILES


def test_a_packed_file_is_called_by_itself_or_by_its_address() -> None:
    named = io.BytesIO()
    with gzip.GzipFile("folder/told.csv", "wb", fileobj=named) as file:
        file.write(b"a,b")
    assert members(GZIP, named.getvalue()) == {"told.csv": b"a,b"}
    assert members(GZIP, gzip.compress(b"x"), "http://example.org/a%20b.ps.gz?q") == {
        "a b.ps": b"x"
    }
    assert members(GZIP, bz2.compress(b"x"), "http://example.org/c.xml.bz2") == {"c.xml": b"x"}
    assert members(GZIP, lzma.compress(b"x"), "http://example.org/") == {"unnamed": b"x"}


def test_streams_that_follow_each_other_are_one_file() -> None:
    assert members(GZIP, gzip.compress(b"one ") + gzip.compress(b"two"))["file"] == b"one two"
    assert members(GZIP, bz2.compress(b"one ") + bz2.compress(b"two"))["file"] == b"one two"
    assert members(GZIP, gzip.compress(b"one") + b"\0" * 512)["file"] == b"one"


def test_what_a_broken_file_begins_with_counts() -> None:
    body = gzip.compress(bytes(range(256)) * 400, mtime=0)
    assert members(GZIP, body[: len(body) // 2])["file"].startswith(bytes(range(200)))
    tar = tarred({"a": b"1", "b": b"2" * 5000})
    assert members(TAR, tar[:2000]) == {"a": b"1"}
    corrupt = bytearray(zipped(FILES, zipfile.ZIP_STORED))
    corrupt[corrupt.index(b"one")] = ord("O")
    assert (
        members(ZIP, bytes(corrupt))["a.txt"] == b"One"
    )  # zipfile would give nothing: the sum is wrong


def test_names_are_made_harmless_and_different() -> None:
    assert harmless("/../../etc/passwd") == "etc/passwd"
    assert harmless("C:\\Users\\..\\x\x00y#z") == "C_/Users/x_y_z"
    assert harmless("../..") == harmless("") == "unnamed"
    assert len(harmless("x/" * 10_000)) <= containers.MAX_NAME
    body = tarred({"a": b"1", "../a": b"2", "/a": b"3"})
    assert members(TAR, body) == {"a": b"1", "1-a": b"2", "2-a": b"3"}


def test_encrypted_members_are_left_out() -> None:
    body = bytearray(zipped({"a": b"1", "b": b"2"}))
    entry = body.index(b"PK\x01\x02")
    body[entry + 8] |= 1
    assert members(ZIP, bytes(body)) == {"b": b"2"}
    entry = body.index(b"PK\x01\x02", entry + 1)
    body[entry + 8] |= 1
    with pytest.raises(UnreadableError, match="encrypted"):
        read(ZIP, bytes(body))


def test_numbers_and_sizes_of_members_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    many = zipped({f"{number}": b"x" for number in range(1_200)})
    assert len(members(ZIP, many)) == containers.MAX_MEMBERS
    monkeypatch.setattr(containers, "MAX_MEMBER", 1_000)
    monkeypatch.setattr(containers, "MAX_UNPACKED", 2_500)
    sized = {
        "a": b"x" * 900,
        "big": b"x" * 1_001,
        "b": b"x" * 900,
        "c": b"x" * 900,
        "d": b"x" * 100,
    }
    for body in (zipped(sized), tarred(sized)):
        assert set(members(ZIP, body)) == {"a", "b", "d"}
    monkeypatch.setattr(zips, "MAX_ENTRIES", 1_000)
    with pytest.raises(UnreadableError, match="too many files"):
        read(ZIP, many)


def _deflated_zeros(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(bytes(2**20))
    return (
        piece
        + b"".join(packer.compress(bytes(2**20)) for _ in range(size // 2**20 - 1))
        + packer.flush()
    )


def _bomb_zip(packed: bytes, method: int, told: int = 100) -> bytes:
    """A zip all of whose entries are the same packed bytes (as in David Fifield's)."""
    entries, sizes = 5_000, struct.pack("<II", len(packed), told)
    body = (
        struct.pack("<4sHHHHHI8sHH", b"PK\3\4", 20, 0, method, 0, 0, 0, sizes, 1, 0) + b"a" + packed
    )
    entry = struct.Struct("<4sHHHHHHI8sHHHHHII6s")
    listed = b"".join(
        entry.pack(
            b"PK\1\2", 20, 20, 0, method, 0, 0, 0, sizes, 6, 0, 0, 0, 0, 0, 0, b"%06d" % number
        )
        for number in range(entries)
    )
    return (
        body
        + listed
        + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, entries, entries, len(listed), len(body), 0)
    )


ZEROS = 2**26


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(lambda: _bomb_zip(_deflated_zeros(ZEROS), 8), id="zip of deflated zeros"),
        pytest.param(lambda: _bomb_zip(_deflated_zeros(ZEROS), 8, ZEROS), id="honest zip"),
        pytest.param(lambda: _bomb_zip(bz2.compress(bytes(ZEROS)), 12), id="zip of bzipped zeros"),
        pytest.param(lambda: gzip.compress(bytes(ZEROS)), id="gzip"),
        pytest.param(lambda: bz2.compress(bytes(ZEROS)), id="bzip2"),
        pytest.param(lambda: lzma.compress(bytes(ZEROS), preset=0), id="xz"),
    ],
)
def test_a_bomb_costs_neither_memory_nor_an_error_of_another_kind(
    body: Callable[[], bytes],
) -> None:
    packed = body()
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableError):
            read(ZIP, packed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < ZEROS


def test_a_bomb_among_the_parts_of_a_document_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zips, "MAX_PART", 100_000)
    body = (
        "<w:document><w:p><w:t>begun</w:t></w:p>"
        + " " * 1_000_000
        + "<w:p><w:t>end</w:t></w:p></w:document>"
    )
    parts = {
        "_rels/.rels": relations(("a", "officeDocument", "word/document.xml")),
        "word/document.xml": body,
    }
    assert read(DOCX, zipped(parts)).text == "begun"


def test_many_empty_streams_are_no_trap() -> None:
    with pytest.raises(UnreadableError):
        read(GZIP, gzip.compress(b"") * 200_000)


def test_tars_in_tars_are_members_and_strange_sizes_end_the_reading() -> None:
    inner = tarred({"x": b"1"})
    for _ in range(30):
        inner = tarred({"inner.tar": inner})
    assert list(members(TAR, inner)) == ["inner.tar"]
    for size in (
        b"77777777777\0",
        b"\x80" + b"\xff" * 11,
        b"\xff" * 12,
        b"-0000000001\0",
        b"zzzzzzzzzzz\0",
    ):
        tar = bytearray(tarred({"a": b"1", "b": b"2"}))
        tar[1024 + 124 : 1024 + 136] = size
        tar[1024 + 148 : 1024 + 156] = b" " * 8
        tar[1024 + 148 : 1024 + 156] = b"%06o\0 " % sum(tar[1024:1536])
        assert members(TAR, bytes(tar)) == {"a": b"1"}


@pytest.mark.parametrize("kind", ["docx", "pptx", "odt", "zip"])
def test_what_a_zip_is_told_by_what_is_in_it(kind: str) -> None:
    assert kind_of_zip(make(kind, Manuscript("T", ("text",)))) == KINDS[kind]


def test_what_a_zip_is_without_a_list_of_types() -> None:
    assert kind_of_zip(zipped({"mimetype": " application/epub+zip\n"})) == "application/epub+zip"
    assert kind_of_zip(zipped({"META-INF/container.xml": ""})) == "application/epub+zip"
    assert (
        kind_of_zip(zipped({"[Content_Types].xml": "<broken", "PPT/presentation.xml": ""})) == PPTX
    )
    macro = "application/vnd.ms-word.document.macroEnabled.main+xml"
    told = kind_of_zip(
        zipped({"[Content_Types].xml": f'<Types><Override ContentType="{macro}"/></Types>'})
    )
    assert told == "application/vnd.ms-word.document.macroenabled"
    assert getattr(reader_for(told), "__name__", "") == "read_docx"
    assert kind_of_zip(zipped({"word/list.txt": "no document"})) == ZIP
    assert kind_of_zip(b"PK\x03\x04broken") == ZIP
    assert kind_of_zip(zipped({"mimetype": "x" * 100_000, "a": ""})) == ZIP


NONE = 0xFFFFFFFF


def _ole(*names: str, start: int = 0, following: int = 0xFFFFFFFE) -> bytes:
    """An OLE file that is a directory and nothing else; the table of sectors is the sector after it."""
    header = bytearray(OLE_MAGIC + bytes(504))
    header[30:32] = struct.pack("<H", 9)
    header[48:52] = struct.pack("<I", start)
    header[76:80] = struct.pack("<I", 1)
    entries = b""
    for number, name in enumerate(names):
        coded = name.encode("utf-16-le") + b"\0\0"
        # The root names the first, the first the second; a third belongs to somebody else.
        tree = (
            (NONE, NONE, 1)
            if number == 0
            else (NONE, number + 1, NONE)
            if number < 2
            else (NONE, NONE, NONE)
        )
        entries += coded.ljust(64, b"\0") + struct.pack("<HHIII", len(coded), 0, *tree) + bytes(48)
    return (
        bytes(header) + entries.ljust(512, b"\0")[:512] + struct.pack("<I", following) + bytes(508)
    )


def test_what_an_ole_file_is_told_by_its_streams() -> None:
    assert kind_of_ole(_ole("Root Entry", "WordDocument")) == "application/msword"
    assert kind_of_ole(_ole("Root Entry", "WORKBOOK")) == "application/vnd.ms-excel"
    assert kind_of_ole(_ole("Root Entry", "PowerPoint Document")) == "application/vnd.ms-powerpoint"
    assert kind_of_ole(_ole("Root Entry", "EncryptedPackage")) == "application/x-ooxml-encrypted"
    assert kind_of_ole(_ole("Root Entry")) == "application/x-ole-storage"
    assert kind_of_ole(_ole("Root Entry", "a", "b", "WordDocument")) == "application/x-ole-storage"


def test_an_ole_directory_that_goes_round_in_circles_ends() -> None:
    assert kind_of_ole(_ole("Root Entry", following=0)) == "application/x-ole-storage"
    assert kind_of_ole(_ole("x", start=0xFFFFFFFF)) == "application/x-ole-storage"
    for length in range(0, 600, 7):
        assert kind_of_ole(_ole("Root Entry", "WordDocument")[:length]).startswith("application/")
