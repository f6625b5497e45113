"""From the bytes of a document to its text, terms and links; `analysis` is the entry point.

Nothing here fetches or stores, and this file imports nothing: `options` must load no parser.
"""
