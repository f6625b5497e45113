"""The names that this machine knows by itself (hosts(5)), before any name server is asked."""

from pathlib import Path

from motherlode.fetch.dns.addresses import is_address

HOSTS_FILE = Path("/etc/hosts")


class HostsFile:
    """What the file says; it is read again when it has changed, and may be missing."""

    def __init__(self, path: Path = HOSTS_FILE) -> None:
        self._path = path
        self._read: tuple[int, int] | None = None  # when that was written, and how long it was
        self._names: dict[str, tuple[str, ...]] = {}

    def addresses_of(self, host: str) -> tuple[str, ...]:
        """Where a host is, in the order of the file; nothing, if the file does not know it."""
        try:
            state = self._path.stat()
            if self._read != (state.st_mtime_ns, state.st_size):
                self._names = _names(self._path.read_text("utf-8", "replace"))
                self._read = state.st_mtime_ns, state.st_size
        except OSError:
            self._names, self._read = {}, None
        return self._names.get(host, ())


def _names(text: str) -> dict[str, tuple[str, ...]]:
    """The addresses of each name.

    >>> _names("192.0.2.1 a.test www.A.test  # ours")
    {'a.test': ('192.0.2.1',), 'www.a.test': ('192.0.2.1',)}
    """
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        address, *names = line.partition("#")[0].split() or ("",)
        if is_address(address):
            for name in names:
                found.setdefault(name.lower().rstrip("."), []).append(address)
    return {name: tuple(dict.fromkeys(addresses)) for name, addresses in found.items()}
