"""A folder of files as one zip."""

from pathlib import Path
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_FIRST = (
    1980,
    1,
    1,
    0,
    0,
    0,
)  # the first moment that a zip knows: the same files give the same bytes
_MODE = 0o644 << 16


def pack(folder: Path, out: BinaryIO) -> None:
    """Write all files of a folder into a zip, in the order of their names."""
    with ZipFile(out, "w", ZIP_DEFLATED) as packed:
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            entry = ZipInfo(path.relative_to(folder).as_posix(), _FIRST)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, _MODE
            with path.open("rb") as source, packed.open(entry, "w", force_zip64=True) as target:
                while part := source.read(1 << 20):
                    target.write(part)
