"""Queues of ranked entries."""

from motherlode.frontier.memory import MemoryFrontier
from motherlode.frontier.stocked import Frontier

__all__ = ["Frontier", "MemoryFrontier"]
