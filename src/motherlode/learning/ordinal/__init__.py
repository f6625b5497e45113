"""Clustering-based ordinal regression: CB-OR of Babaria and others (ICML 2007), and its layers.

One formula one file. Nothing here knows of crawls, stores or URLs.
"""
