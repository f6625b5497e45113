"""Motherlode: a focused crawler and portal generator."""

__version__ = "0.1.0"
