"""What is compiled from WordNet once, and then read out of the cache."""

from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from msgspec import Struct

from motherlode.lexicon import wordnet
from motherlode.lexicon.cache import cache_directory, locked, put


class Recipe(Struct, frozen=True):
    """How something is compiled from the text of `data.noun`, pinned by the digest of what comes
    out: it is the same on every machine, whichever edition of WordNet lies there.
    """

    name: str
    digest: str
    compile: Callable[[str], bytes]

    def packed(self) -> bytes:
        """What was compiled, out of the cache or from wherever WordNet is found.

        Raises `NoWordNetError` where it is not found and cannot be fetched.
        """
        packed = self._right_or_none()
        if packed is None:  # a cache that cannot be written costs time, and nothing else
            with suppress(OSError), locked(self._kept().with_suffix(".lock")):
                packed = self._right_or_none() or self._compile_and_keep()
        return packed or self._compiled()

    def is_here(self) -> bool:
        """Whether it can be had without fetching anything."""
        return any(map(_has_content, (self._kept(), *wordnet.candidates())))

    def made_of(self, nouns: bytes) -> bytes | None:
        """What comes out of the content of `data.noun`, if it is that of WordNet 3.0."""
        try:
            packed = self.compile(nouns.decode("latin-1"))
        except (ValueError, KeyError, IndexError):
            return None
        return packed if digest_of(packed) == self.digest else None

    def _kept(self) -> Path:
        return cache_directory() / f"{self.name}-{self.digest}.msgpack"

    def _right_or_none(self) -> bytes | None:
        packed = _content(self._kept())
        return packed if digest_of(packed) == self.digest else None

    def _compile_and_keep(self) -> bytes:
        packed = self._compiled()
        with suppress(OSError):
            put(self._kept(), packed)
        return packed

    def _compiled(self) -> bytes:
        for path in wordnet.candidates():
            if packed := self.made_of(_content(path)):
                return packed
        packed = self.made_of(wordnet.download())
        if packed is None:
            raise wordnet.NoWordNetError(
                "The WordNet that was fetched is not version 3.0 as it was published."
            )
        return packed


def digest_of(packed: bytes) -> str:
    return blake2b(packed, digest_size=10).hexdigest()


def _has_content(path: Path) -> bool:
    """Whether there is anything in a file that can be read. It may be long, and every
    lesson asks.
    """
    try:
        with path.open("rb") as file:
            return bool(file.read(1))
    except (OSError, ValueError):
        return False


def _content(path: Path) -> bytes:
    """What is in a file; nothing, if there is none that can be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError):  # the second is for a name that no file can have
        return b""
