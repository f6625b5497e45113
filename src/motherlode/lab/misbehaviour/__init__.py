"""How hosts misbehave: each habit is a name, a figure, and a change to an answer or its delivery.

Habits know neither sockets nor crawls: `serving` and `replay` deliver what they say.
"""

from motherlode.lab.misbehaviour.habits import HABITS, Habit, HabitKind, Habits

__all__ = ["HABITS", "Habit", "HabitKind", "Habits"]
