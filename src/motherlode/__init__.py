"""Motherlode, a focused crawler and portal generator: each folder is a room.

docs/architecture.md says what lives in which room, and which room may import which.
"""

__version__ = "0.1.0"
