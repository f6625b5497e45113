"""What a portal knows, in SQLite by default or PostgreSQL by URL, and its WARC archive.

A `Store` gives sessions; the functions of `topics`, `frontier`, `outcomes`, `pages`
and `ledger` work on them.
"""

from motherlode.store.connecting import StoreOptions
from motherlode.store.session import Session
from motherlode.store.store import Store

__all__ = ["Session", "Store", "StoreOptions"]
