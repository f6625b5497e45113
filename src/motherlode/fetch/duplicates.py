"""Pages that are there already under another address (SPEC B25).

The paper's order is: the hash of the URL, before anything is fetched (the store's sieve knows it);
address and path; address and size; the content. Today thousands of unrelated hosts share an
address, so address and path alone prove nothing: two hosts must have said the same several times
before one is taken for the other unseen. And equal content has an equal size, while different pages
of one size must not be dropped: so the digest of the content decides, and the size has no say of
its own.
"""

from typing import Generic, TypeVar

from motherlode.fetch.robots.cache import SCHEME, origin_of

PROOF = 3  # different pages that two hosts must have in common, and none that differs
_MEMORY = 100_000
_MAX_LEARNED = 16
_NOWHERE = ("", b"")
_NOTHING: frozenset[bytes] = frozenset()

K = TypeVar("K")
V = TypeVar("V")


class Duplicates:
    """What was seen lately, and which hosts are one; what is older, the store knows by
    its digest.
    """

    def __init__(self, memory: int = _MEMORY) -> None:
        self._places: _Memory[str, tuple[str, bytes]] = _Memory(memory)
        self._digests: _Memory[bytes, str] = _Memory(memory)
        self._pairs: _Memory[tuple[str, str], frozenset[bytes] | None] = _Memory(memory)
        self.has_twins = (
            False  # whether any two hosts were alike so far: else `before` knows nothing
        )

    def before(self, url: str, address: str) -> str:
        """The page that a URL would bring again, known without fetching it; empty if
        there is none.
        """
        if not address:
            return ""
        first, _ = self._places.get(_place(address, url), _NOWHERE)
        common = self._pairs.get(_pair(origin_of(url), origin_of(first)), None)
        return first if common is not None and len(common) >= PROOF else ""

    def after(self, url: str, address: str, digest: bytes) -> str:
        """The page that had the same content before; empty if none had."""
        if address:
            known = self._places.setdefault(_place(address, url), (url, digest))
            if known[0] != url:
                self._compare(url, digest, known)
        found = self._digests.setdefault(digest, url)
        return "" if found == url else found

    def _compare(self, url: str, digest: bytes, known: tuple[str, bytes]) -> None:
        """Learn from one path at two hosts whether they are one."""
        # Another port of a host is another site, and https may mirror http.
        origin, other = origin_of(url), origin_of(known[0])
        if other == origin:
            return
        pair = _pair(origin, other)
        if known[1] != digest:
            self._pairs.put(pair, None)  # they differ: never again
            return
        self.has_twins = True
        common = self._pairs.get(pair, _NOTHING)
        if common is not None and len(common) < _MAX_LEARNED:
            self._pairs.put(pair, common | {digest})


class _Memory(Generic[K, V]):
    """A dictionary that forgets what was not used for long, half of what it may hold at a time: to
    keep all of it in the order of its use would touch twice as much memory for each page.
    """

    __slots__ = ("_half", "_lately", "_long_ago")

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._lately: dict[K, V] = {}
        self._long_ago: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._lately) + len(self._long_ago)

    def get(self, key: K, default: V) -> V:
        if key in self._lately:
            return self._lately[key]
        if key not in self._long_ago:
            return default
        return self.put(key, self._long_ago[key])

    def setdefault(self, key: K, value: V) -> V:
        """What is remembered of a key, and this from now on if nothing is."""
        lately = self._lately
        if key in lately:
            return lately[key]
        known = lately[key] = self._long_ago.get(key, value)
        if len(lately) >= self._half:
            self._lately, self._long_ago = {}, lately
        return known

    def put(self, key: K, value: V) -> V:
        self._lately[key] = value
        if len(self._lately) >= self._half:
            self._lately, self._long_ago = {}, self._lately
        return value


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _place(address: str, url: str) -> str:
    """Address and path, as one word."""
    return address + url[url.find("/", SCHEME) :]
