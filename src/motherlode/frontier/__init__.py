"""Queues of ranked entries."""

from motherlode.frontier.memory import MemoryFrontier

__all__ = ["MemoryFrontier"]
