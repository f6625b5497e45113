"""How hosts misbehave: each habit is a name, a figure, and what it does to an answer or to its delivery."""

from motherlode.lab.misbehaviour.habits import HABITS, Habit, Habits, Kind

__all__ = ["HABITS", "Habit", "Habits", "Kind"]
