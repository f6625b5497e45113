"""Whether a page may be shown and its links followed: the value of robots meta tags and headers."""

from functools import lru_cache

from msgspec import Struct


class Directives(Struct, frozen=True):
    """Whether a page may be shown, and whether its links may be followed."""

    index: bool = True
    follow: bool = True

    def __and__(self, other: "Directives") -> "Directives":
        """Return the directives that allow only what both sides allow."""
        return Directives(self.index and other.index, self.follow and other.follow)


@lru_cache(1_000)
def parse_directives(value: str) -> Directives:
    """Return the directives in a list such as `noindex, nofollow`.

    >>> parse_directives("NoIndex, max-snippet:20")
    Directives(index=False, follow=True)
    """
    words = {word.strip().lower() for word in value.split(",")}
    closed = "none" in words
    return Directives(not (closed or "noindex" in words), not (closed or "nofollow" in words))
