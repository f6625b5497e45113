"""What one transaction works with."""

from dataclasses import dataclass

from sqlalchemy import Connection

from motherlode.store.bulk import Bulk
from motherlode.store.sieve import Sieve


@dataclass(frozen=True, slots=True)
class Session:
    """A connection inside a transaction, with the fast ways around it.

    The functions of this package take one as their first argument. It ends with the `with` block that
    gave it: committed if the block ends well, rolled back if not.
    """

    connection: Connection
    bulk: Bulk
    sieve: Sieve
