"""A response that tells its length several times over, and always the same (RFC 9110, 8.6)."""

import re

_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"^content-length:([^\r\n]*)\r?\n", re.IGNORECASE | re.MULTILINE)


def has_head(said: bytes) -> bool:
    """Whether a head is there to its end."""
    return b"\n\r\n" in said or b"\n\n" in said


def told_once(said: bytes) -> bytes | None:
    """What was said, with its length told once; None: it is told once, or in ways that contradict each other.

    >>> told_once(b"HTTP/1.1 200 OK\\r\\nContent-Length: 5, 5\\r\\n\\r\\nhello")
    b'HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nhello'
    """
    end = _END.search(said)
    if end is None:
        return None
    head, rest = said[: end.end()], said[end.end() :]
    told: list[bytes] = _LENGTH.findall(head)
    lengths = [length.strip() for one in told for length in one.split(b",")]
    if len(lengths) == 1 or len(set(lengths)) != 1 or not lengths[0].isdigit():
        return None
    status, line, others = head.partition(b"\n")
    return (
        status + line + b"Content-Length: " + lengths[0] + b"\r\n" + _LENGTH.sub(b"", others) + rest
    )
