"""One exception family. Each message is a sentence for a person that says what to do."""

from typing import ClassVar


class LodeError(Exception):
    """Something a person can be told in one sentence."""

    exit_code: ClassVar[int] = 1


class UsageError(LodeError):
    """The command was given words that do not fit together."""

    exit_code = 2


class BadInputError(LodeError):
    """A configuration or an input file cannot be used as it is."""

    exit_code = 3


class NotYetError(BadInputError):
    """What is needed could not be fetched so far; another time it may be."""

    exit_code = 1


class UnfetchedExamplesError(NotYetError):
    """There is nothing to learn from: the pages of the examples could not be fetched."""


class TopicError(LodeError):
    """An edit that would leave the topic tree inconsistent."""

    exit_code = 2


class NoSuchTopicError(TopicError):
    """A path that names no topic."""


class NoPortalError(LodeError):
    """There is no portal where one was named."""

    exit_code = 4


class LockedError(LodeError):
    """Another process is writing this portal."""

    exit_code = 4


class StoreError(LodeError):
    """The database or the archive did not do what was asked."""


class DiskFullError(StoreError):
    """No space was left for a batch; nothing of it was kept."""


class StoreGoneError(StoreError):
    """The database server does not answer; it may come back."""


# What a user can do about a portal on a read-only disk, or of somebody else.
WORK_ON_A_COPY = "copy the portal to where you can write ('cp -r'), and run the command on the copy"


class ReadOnlyError(StoreError):
    """The portal lies where nothing can be written."""


class OlderStoreError(StoreError):
    """The database was written by an older version, and may not be upgraded just now."""


class NewerStoreError(StoreError):
    """The database was written by a newer version of Motherlode."""

    exit_code = 3
