"""Reference formats, one module each: bytes to library objects, and library objects to text.

A reader never fails as a whole: a broken entry is reported, and the others are returned.
"""
