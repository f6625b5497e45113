"""Exports of a portal (SPEC X5): `formats` writes files, `site` writes a static site.

Only `record_reader` and `site.content` read the store; no format knows a table.
"""
