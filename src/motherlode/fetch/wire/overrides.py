"""Where hosts are found when a portal says so: all of them at a sandbox, or single ones somewhere else."""

from motherlode.fetch.options import NetworkOptions
from motherlode.records import BadInputError

_PORTS = 65_536


class Overrides:
    """`[network] connect` and `overrides`."""

    def __init__(self, options: NetworkOptions) -> None:
        self._everywhere = (
            parse_place(options.connect, "network.connect") if options.connect else None
        )
        self._single: dict[str, tuple[str, int]] = {}
        for told in options.overrides:
            host, _, place = told.partition("=")
            self._single[host.lower()] = parse_place(place, "network.overrides")

    def place_of(self, host: str) -> tuple[str, int] | None:
        """Address and port (0: the URL's own) for a host; None: the name itself says where."""
        found = self._single.get(host)
        while found is None and self._single and "." in host:
            host = host.partition(".")[2]
            found = self._single.get(f"*.{host}")
        return found or self._everywhere


def parse_place(told: str, setting: str) -> tuple[str, int]:
    """HOST, HOST:PORT or [ADDRESS]:PORT; port 0 where there is none.

    >>> parse_place("[::1]:8080", "x"), parse_place("127.0.0.1", "x")
    (('::1', 8080), ('127.0.0.1', 0))
    """
    if told.startswith("["):
        host, _, rest = told[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        host, _, port = told.partition(":")
    number = int(port or 0)
    if not (0 < number < _PORTS or not port):
        raise BadInputError(f"{setting} = {told!r}: there is no port {port}.")
    return host, number
