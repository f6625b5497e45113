"""From the bytes of a document to its text, terms and links; `analysis` is the entry point.

Nothing is imported here, so that reading `options` loads no parsers; nothing is fetched or stored.
"""
