"""Webs out of WARC files: recorded once, then read by offset and never held in memory.

The WARC archive of a portal belongs to `store`.
"""

from motherlode.lab.recorded.web import RecordedWeb

__all__ = ["RecordedWeb"]
