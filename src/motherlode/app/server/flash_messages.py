"""Flash messages: shown once, on the page that a user comes to after a change.

An address carries a random number, never the sentence, so nobody can make a link that lets the
server say something. A message is gone once it was read: a shared address shows nothing old.
"""

import secrets
import threading
from collections import OrderedDict

from msgspec import Struct

MAX_UNREAD = 500


class FlashMessage(Struct, frozen=True):
    """A sentence about what was done; `undo` is the id of the removal that can be undone."""

    done: str = ""
    undo: str = ""


NO_MESSAGE = FlashMessage()


class FlashMessages:
    """The messages that nobody has read yet."""

    def __init__(self, max_unread: int = MAX_UNREAD) -> None:
        self._max_unread = max_unread
        self._lock = threading.Lock()
        self._unread: OrderedDict[str, FlashMessage] = OrderedDict()

    def add(self, message: FlashMessage) -> str:
        """Store a message and return the number under which it can be read."""
        number = secrets.token_urlsafe(9)
        with self._lock:
            self._unread[number] = message
            while len(self._unread) > self._max_unread:
                self._unread.popitem(last=False)
        return number

    def pop(self, number: str) -> FlashMessage:
        """Return the message of that number, and forget it."""
        with self._lock:
            return self._unread.pop(number, NO_MESSAGE)
