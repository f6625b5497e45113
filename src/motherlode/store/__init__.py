"""The database of a portal (SQLite, or PostgreSQL by URL) and its WARC archive.

`tables` writes and reads rows, `queries` only reads; nothing outside `records` is imported here.
"""

from motherlode.store.engine import StoreOptions
from motherlode.store.session import Session
from motherlode.store.store import Store

__all__ = ["Session", "Store", "StoreOptions"]
