"""`about.toml`: what a web says of itself, and, for one that is made up, what it is made from."""

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from motherlode.records import BadInputError

FILE = "about.toml"


class WebPlan(Struct, frozen=True, forbid_unknown_fields=True):
    """What a generated web is made from; the same plan is the same web, byte for byte."""

    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
    pages: Annotated[int, Meta(ge=20, le=10_000_000_000)] = 3000
    hosts: Annotated[int, Meta(ge=4, le=100_000_000)] = 60
    misbehaving: Annotated[float, Meta(ge=0, le=1)] = 0.0

    def __post_init__(self) -> None:
        if self.pages < 3 * self.hosts:
            raise ValueError("a web has at least three pages a host")


class PortalPlan(Struct, frozen=True, forbid_unknown_fields=True):
    """Which portals a web has; the same plan gives the same portals.

    They hold the papers of a folder, or as many records as are named, made from the seed.
    """

    number: Annotated[int, Meta(ge=1, le=100)] = 7
    papers: str = ""
    records: Annotated[int, Meta(ge=10, le=100_000)] = 400
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1


class Description(Struct, frozen=True):
    """The file's content. Recorded webs of others may say more; what is not known is
    passed over.
    """

    name: str = ""
    licence: str = ""
    note: str = ""
    generated: WebPlan | None = None
    portals: PortalPlan | None = None
    misbehaviour: dict[str, str] = {}

    def habit_of(self, host: str) -> str:
        """The habit of the first pattern that fits a host's name."""
        fitting = (
            habit for pattern, habit in self.misbehaviour.items() if fnmatchcase(host, pattern)
        )
        return next(fitting, "")


def read_description(directory: Path) -> Description:
    """What `about.toml` says; a web without one is described by its directory's name alone."""
    path = directory / FILE
    try:
        if not path.exists():
            return Description()
        return msgspec.convert(tomllib.loads(path.read_text("utf-8-sig")), Description)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read: {error}.") from error
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise BadInputError(f"{path}: {' '.join(str(error).split())}.") from error


def write_plan(directory: Path, plan: WebPlan, portals: PortalPlan | None = None) -> None:
    """Describe a generated web in a new directory. A plan that could not be read back is not
    written.
    """
    path = directory / FILE
    try:
        msgspec.convert(msgspec.to_builtins(plan), WebPlan)
        msgspec.convert(msgspec.to_builtins(portals), PortalPlan | None)
        directory.mkdir(parents=True, exist_ok=True)
        if any(directory.iterdir()):
            raise BadInputError(f"{directory} is not empty; name a new directory.")
        tables = _table("generated", plan) + ("\n" + _table("portals", portals) if portals else "")
        path.write_text(tables, "utf-8")
    except msgspec.ValidationError as error:
        raise BadInputError(f"This web cannot be made: {error}.") from error
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror or error}.") from error


def _table(name: str, plan: WebPlan | PortalPlan) -> str:
    """Return a plan as a table of TOML; its texts are written as in JSON, which TOML reads, too."""
    fields = msgspec.to_builtins(plan)
    lines = (f"{field} = {msgspec.json.encode(value).decode()}" for field, value in fields.items())
    return "\n".join([f"[{name}]", *lines, ""])
