"""Errors and exit codes that several parts of the application share."""

from motherlode.records import LodeError, UsageError

INTERRUPTED = 11  # the exit code of a crawl that was stopped in good order


class NoJobError(LodeError):
    """There is no job of that name."""


class BusyError(LodeError):
    """The server has as much to do as it accepts; the same request may succeed later."""


class NoSuchSiteError(UsageError):
    """The portal knows no website of that name."""


class NoIndexError(LodeError):
    """There is no index to search, or nothing in it."""
