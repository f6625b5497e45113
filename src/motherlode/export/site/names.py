"""Names of files that every file system takes and tells apart, whatever topics and sites are
called.

A name that can be read back from its file's name is used as it is; any other is made similar and
ends with a hash. Steps of a path are joined by one underscore, which no step has, and a hash comes
after two.
"""

import re
from collections.abc import Sequence
from hashlib import blake2b
from unicodedata import normalize

_LONG = 80
_WORDS = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")  # a single label may be anything's name
_OTHER = re.compile(r"[^a-z0-9]+")
# Windows' devices, whatever follows a dot.
_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")


def topic_file(path: Sequence[str]) -> str:
    """The name for a topic's files.

    >>> topic_file(("Music", "Free jazz")), topic_file(("Jazz", "C++"))
    ('music_free-jazz', 'jazz_c__0fde91251d78')
    """
    steps = [name.lower() for name in path]
    plain = all(_WORDS.fullmatch(step) for step in steps)
    similar = "_".join(filter(None, map(_similar, steps)))
    return _named(similar, "/".join(path), plain=plain)


def site_file(host: str) -> str:
    """The name for a site's files.

    >>> site_file("www.bird-watch.org"), site_file("[::1]")
    ('www_bird-watch_org', '1__bc1884c11407')
    """
    if _HOST.fullmatch(host):
        return _named(host.replace(".", "_"), host, plain=True)
    return _named(_similar(host.lower()), host, plain=False)


def _named(similar: str, exact: str, *, plain: bool) -> str:
    if plain and len(similar) <= _LONG and not _RESERVED.fullmatch(similar):
        return similar
    digest = blake2b(exact.encode("utf-8", "replace"), digest_size=6).hexdigest()
    return f"{similar[:_LONG].rstrip('_-') or 'x'}__{digest}"


def _similar(name: str) -> str:
    return _OTHER.sub("-", normalize("NFKD", name).encode("ascii", "ignore").decode()).strip("-")
