"""Webs out of an archive: read by offset, never held in memory."""

from motherlode.lab.recorded.web import RecordedWeb

__all__ = ["RecordedWeb"]
