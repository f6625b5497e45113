"""Motherlode: a focused crawler and portal generator.

Each folder is a room; docs/architecture.md says what lives where, and who may import whom.
"""

__version__ = "0.1.0"
