"""Archives and packed files: their members, which are documents of their own.

One level is unpacked (a packed tar counts as one); whoever reads the members says how deep to go.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote
from zipfile import ZipInfo

from motherlode.documents.encoding import decode
from motherlode.documents.extracts import Extract, Member, Raw, UnreadableError
from motherlode.documents.formats.decompression import TooMuchError, gunzipped, unbzipped, unxzed
from motherlode.documents.formats.tar import is_tar, tar_members
from motherlode.documents.formats.zip_files import directory, is_encrypted, unpacked

MAX_MEMBERS = 1_000
MAX_MEMBER = 50 * 2**20  # bytes of one member, unpacked
MAX_UNPACKED = 128 * 2**20  # bytes of all members
MAX_RATIO = 250  # how many times larger than packed; text reaches 10, sheets of numbers 100
MAX_NAME = 200  # characters
_ALWAYS = 2**20  # bytes that a member may have, whatever the ratio

_Unpack = Callable[[bytes, int], bytes]
_PACKED: tuple[tuple[bytes, _Unpack], ...] = (
    (b"\x1f\x8b", gunzipped),
    (b"BZh", unbzipped),
    (b"\xfd7zXZ\x00", unxzed),
)
_HARMLESS = re.compile(r"[\x00-\x1f\x7f<>:\"|?*#%\ud800-\udfff]")
_SUFFIXES = (
    (".tgz", ".tar"),
    (".tbz2", ".tar"),
    (".txz", ".tar"),
    (".gz", ""),
    (".bz2", ""),
    (".xz", ""),
)
_GZIP_NAMED = 8  # a flag
_UTF8 = 0x800  # a flag


def read_container(raw: Raw) -> Extract:
    """The members of a zip or tar archive, or the one file in a gzip, bzip2 or xz file."""
    if is_tar(raw.body):
        return _extract(tar_members(raw.body))
    for magic, unpack in _PACKED:
        if raw.body.startswith(magic):
            return _packed(raw, unpack)
    return _zip(raw.body)


def _packed(raw: Raw, unpack: _Unpack) -> Extract:
    try:
        body = unpack(raw.body, _allowed(len(raw.body), MAX_UNPACKED))
    except TooMuchError as error:
        raise UnreadableError("unpacks to too much") from error
    if not body:
        raise UnreadableError("broken where it is packed")
    return _extract(tar_members(body) if is_tar(body) else [Member(_name_inside(raw), body)])


def _zip(body: bytes) -> Extract:
    entries = directory(body)
    if entries and all(map(is_encrypted, entries)):
        raise UnreadableError("encrypted")
    return _extract(_zip_members(body))


def _zip_members(body: bytes) -> Iterator[Member]:
    room = MAX_UNPACKED
    for info in directory(body):
        allowed = _allowed(info.compress_size, min(MAX_MEMBER, room))
        if info.file_size > allowed:
            continue  # it says so itself
        try:
            content = unpacked(body, info, allowed)
        except TooMuchError:
            room -= allowed  # a lie costs as much as what it hides
            continue
        room -= len(content)
        yield Member(_zip_name(info), content)


def _zip_name(info: ZipInfo) -> str:
    """zipfile takes a name for English DOS where it is not marked as UTF-8: rarely right, but
    reversible.
    """
    if info.filename.isascii() or info.flag_bits & _UTF8:
        return info.filename
    return decode(info.filename.encode("cp437", "replace"))


def _allowed(packed: int, most: int) -> int:
    return min(most, max(_ALWAYS, packed * MAX_RATIO))


def _extract(members: Iterable[Member]) -> Extract:
    """Those members that are something and not too much, under names that are harmless and all
    different.
    """
    kept: dict[str, Member] = {}
    room = MAX_UNPACKED
    for member in members:
        if not member.body or len(member.body) > min(MAX_MEMBER, room):
            continue
        room -= len(member.body)
        name = _unused(harmless(member.name), kept)
        kept[name] = Member(name, member.body)
        if len(kept) >= MAX_MEMBERS:
            break
    if not kept:
        raise UnreadableError("nothing in it that could be read")
    return Extract(members=tuple(kept.values()))


def _unused(name: str, used: dict[str, Member]) -> str:
    return name if name not in used else f"{len(used)}-{name}"


def harmless(name: str) -> str:
    """A name without ways up or out, and without what an address or a file system would take for
    its own.

    >>> harmless("..\\\\..//etc/./pass#wd")
    'etc/pass_wd'
    """
    steps = (step.strip() for step in _HARMLESS.sub("_", name.replace("\\", "/")).split("/"))
    return "/".join(step for step in steps if step.strip("."))[-MAX_NAME:].lstrip("/") or "unnamed"


def _name_inside(raw: Raw) -> str:
    """What a packed file is called: by itself, or by its address without the suffix."""
    name = _gzip_name(raw.body) or unquote(raw.url.partition("?")[0]).rpartition("/")[2]
    for suffix, instead in _SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)] + instead
    return name


def _gzip_name(body: bytes) -> str:
    # With an extra field, which is rare, the name stands elsewhere; then the address will do.
    if body[:2] != b"\x1f\x8b" or body[3:4] != bytes([_GZIP_NAMED]):
        return ""
    name, end, _ = body[10 : 10 + 4 * MAX_NAME].partition(b"\0")
    return name.decode("utf-8", "replace").rpartition("/")[2] if end else ""
