"""The settings that a server is started with."""

import secrets
from ipaddress import ip_address
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from motherlode.records import UsageError

PORT = 8420
MIN_TOKEN_CHARS = 12


class ServerSettings(Struct, frozen=True):
    """The settings of a server. `place` is a portal, or a folder of portals.

    `names` are names of the server besides its address and localhost. Without a `token`, nobody
    has to log in.
    """

    place: Path
    host: str = "127.0.0.1"
    port: int = PORT
    token: str = ""
    names: tuple[str, ...] = ()
    max_body_bytes: int = 65 * 2**20  # a bookmark file has at most 64 MB
    running_jobs: int = 4
    waiting_jobs: int = 16
    max_streams: int = 64
    log: bool = False


def with_token(settings: ServerSettings) -> ServerSettings:
    """Return the settings with a token where one is needed.

    Raises `UsageError` if the token is too short.
    """
    if settings.token and len(settings.token) < MIN_TOKEN_CHARS:
        raise UsageError(
            f"A token of fewer than {MIN_TOKEN_CHARS} characters is too easily guessed."
        )
    if settings.token or (is_loopback(settings.host) and not settings.names):
        return settings
    return replace(settings, token=secrets.token_urlsafe(24))


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    bare = host.strip("[]").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return False
