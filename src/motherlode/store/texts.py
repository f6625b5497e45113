"""A page's text, packed: every block on a line, with a mark on those of the main text."""

from isal import isal_zlib

_FORM = b"\x01"  # what began with something else was packed before there were marks
_MAIN, _REST = "+", "-"


def pack_text(text: str, main: str) -> bytes:
    """Both texts as one. Lines of the main text that are no lines of the text are added to it."""
    inside = set(main.split("\n")) if main else set()
    lines = text.split("\n") if text else []
    marked = [f"{_MAIN if line in inside else _REST}{line}" for line in lines]
    if not inside.issubset(lines):
        known = set(lines)
        marked += [f"{_MAIN}{line}" for line in main.split("\n") if line not in known]
    return _FORM + isal_zlib.compress("\n".join(marked).encode(errors="replace"), 1)


def unpack_text(packed: bytes) -> tuple[str, str]:
    """The text and the main text."""
    if packed[:1] != _FORM:
        text = isal_zlib.decompress(packed).decode()
        return text, text
    lines = isal_zlib.decompress(packed[1:]).decode().split("\n")
    return "\n".join(line[1:] for line in lines), "\n".join(line[1:] for line in lines if line[:1] == _MAIN)


def unpack_parts(packed: bytes) -> tuple[str, str]:
    """The main text, and what there is besides it."""
    if packed[:1] != _FORM:
        return unpack_text(packed)[0], ""
    lines = isal_zlib.decompress(packed[1:]).decode().split("\n")
    main = "\n".join(line[1:] for line in lines if line[:1] == _MAIN)
    return main, "\n".join(line[1:] for line in lines if line[:1] != _MAIN)
