"""What tells contents apart: the digest of a page's body, unpacked.

A page with the digest of another is taken for its copy and not kept. So nobody may be able to make
one that passes for another: the digest is a cryptographic one, and not cut short. BLAKE3 takes a
third of the time of SHA-1, for which such pairs have been made. WARC files have SHA-1 all the same
(`store.archive`), of what lies in them, for that is what their readers check.

Older versions kept the SHA-1 of pages, and portals have it until those pages change. Which of the
two a digest is shows in its length.
"""

from base64 import b32encode
from hashlib import sha1

from blake3 import blake3

_SHA1 = 20  # bytes; BLAKE3 has 32


def digest_of(body: bytes) -> bytes:
    """The digest of a body."""
    return blake3(body).digest()


def older_digest_of(body: bytes) -> bytes:
    """The digest that an older version would have kept."""
    return sha1(body, usedforsecurity=False).digest()


def is_older(digest: bytes) -> bool:
    """Whether an older version has made a digest."""
    return len(digest) == _SHA1


def shown_digest(digest: bytes) -> str:
    """A digest with its name: SHA-1 as WARC has it, BLAKE3 as `b3sum` has it; nothing, where there
    is none.

    >>> shown_digest(digest_of(b"owl"))[:18], shown_digest(older_digest_of(b"owl"))[:12]
    ('blake3:387029595b0', 'sha1:FRZQ4OT')
    """
    if not digest:
        return ""
    return f"sha1:{b32encode(digest).decode()}" if is_older(digest) else f"blake3:{digest.hex()}"
