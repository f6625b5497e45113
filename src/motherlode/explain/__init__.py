"""Explain how a URL was found, ranked, fetched and judged, or why it was not.

This room only reads the store: it fetches nothing, changes nothing, and does not print.
"""
