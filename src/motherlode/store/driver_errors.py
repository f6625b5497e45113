"""What a database driver says, as an error of the family that a person understands."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from motherlode.records import DiskFullError, LockedError, ReadOnlyError, StoreError, StoreGoneError
from motherlode.records.errors import WORK_ON_A_COPY

_FULL = ("disk is full", "no space left", "disk full", "file too large", "could not extend file")
_READ_ONLY = ("readonly database", "read-only", "unable to open database file")
_DAMAGED = ("malformed", "not a database", "file is encrypted")
_NO_ROOM = {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_TRUNCATE", "SQLITE_IOERR_SHMSIZE"}
# What PostgreSQL says when it shuts down, crashes, starts or loses a connection (its appendix A).
_GONE = ("08", "57P01", "57P02", "57P03")
_BUSY = ("database is locked", "database table is locked")


@contextmanager
def understood(where: str, driver_error: type[BaseException]) -> Iterator[None]:
    """Turn the driver's errors, wrapped or bare, into `StoreError`s that name `where` the data
    lies.
    """
    try:
        yield
    except DBAPIError as error:
        raise explain(error.orig or error, where) from error
    except (SQLAlchemyError, driver_error) as error:
        raise explain(error, where) from error


def explain(error: BaseException, where: str) -> StoreError | LockedError:
    """The error that this one means."""
    said = " ".join(str(error).split())
    lower = said.lower()
    if _is_any(_FULL, lower) or _failed_to_write(error):
        return DiskFullError(
            f"No space is left for {where}; the unfinished batch was dropped and all before it is "
            f"kept. Free some space and run the command again."
        )
    if _is_any(_READ_ONLY, lower):
        return ReadOnlyError(
            f"{where} cannot be written: it is read-only, or not yours; {WORK_ON_A_COPY}."
        )
    if _is_any(_BUSY, lower):
        return LockedError(f"{where} is in use by another process; try again when it is done.")
    if _is_gone(error):
        return StoreGoneError(
            f"{where} does not answer ({said}). All that was committed is kept; run the command "
            "again when "
            f"it is back."
        )
    if _is_any(_DAMAGED, lower):
        return StoreError(f"{where} is damaged or not a Motherlode database ({said}).")
    return StoreError(f"{where} failed: {said}.")


def _is_any(signs: tuple[str, ...], said: str) -> bool:
    return any(sign in said for sign in signs)


def _is_gone(error: BaseException) -> bool:
    """Whether a server went away, or was never there: then there is no code, for nobody
    gave one.
    """
    names = {kind.__name__ for kind in type(error).__mro__ if kind.__module__.startswith("psycopg")}
    if not names & {"OperationalError", "InterfaceError"}:
        return False
    code = getattr(error, "sqlstate", None)
    return code is None or code.startswith(_GONE)


def _failed_to_write(error: BaseException) -> bool:
    """SQLite calls a quota or a file-size limit an I/O error of its write or truncate."""
    name = getattr(error, "sqlite_errorname", "")
    return name in _NO_ROOM
