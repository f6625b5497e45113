"""Queues of ranked URLs in memory, with the database of a crawl behind them.

What a queue stands for, host politeness and the tables do not belong here.
"""

from motherlode.frontier.frontier import Frontier

__all__ = ["Frontier"]
