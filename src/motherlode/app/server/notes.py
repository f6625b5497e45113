"""What is said once, on the page that one comes to after a change.

An address carries a number that only this server gives out, never the sentence: nobody can make a link that
has the server say something. Once it is read it is gone, so an address that is shared says nothing old.
"""

import secrets
import threading
from collections import OrderedDict

from msgspec import Struct

MOST = 500  # that wait to be read


class Note(Struct, frozen=True):
    """What was done; `undo`: by what it can be taken back."""

    done: str = ""
    undo: str = ""


NOTHING = Note()


class Notes:
    """Notes that nobody has read yet."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, Note] = OrderedDict()

    def leave(self, note: Note) -> str:
        """The number under which it is read."""
        number = secrets.token_urlsafe(9)
        with self._lock:
            self._waiting[number] = note
            while len(self._waiting) > self._most:
                self._waiting.popitem(last=False)
        return number

    def take(self, number: str) -> Note:
        """The note of that number, for the first who asks."""
        with self._lock:
            return self._waiting.pop(number, NOTHING)
