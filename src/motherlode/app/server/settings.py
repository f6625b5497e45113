"""What a server is started with."""

import secrets
from ipaddress import ip_address
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from motherlode.records import UsageError

PORT = 8420
SHORTEST_TOKEN = 12  # characters


class Settings(Struct, frozen=True):
    """How portals are served. `place` is a portal, or a folder of portals.

    `names`: what the server may be called besides its address and localhost. `token`: empty, nobody logs in.
    """

    place: Path
    host: str = "127.0.0.1"
    port: int = PORT
    token: str = ""
    names: tuple[str, ...] = ()
    largest_body: int = 65 * 2**20  # bytes; a bookmark file has 64 MB at most
    running_jobs: int = 4
    waiting_jobs: int = 16
    streams: int = 64  # that are listened to at once
    log: bool = False


def settled(settings: Settings) -> Settings:
    """The settings with a token wherever one is needed. Raises `UsageError` if it is too easily guessed."""
    if settings.token and len(settings.token) < SHORTEST_TOKEN:
        raise UsageError(f"A token of fewer than {SHORTEST_TOKEN} characters is too easily guessed.")
    if settings.token or (is_loopback(settings.host) and not settings.names):
        return settings
    return replace(settings, token=secrets.token_urlsafe(24))


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    bare = host.strip("[]").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return False
