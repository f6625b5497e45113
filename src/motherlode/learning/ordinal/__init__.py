"""Clustering-based ordinal regression, CB-OR, and layers of pages: one formula one file (SPEC F).

Nothing here knows of crawls, stores or URLs.
"""
