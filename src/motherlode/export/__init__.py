"""Exports of a portal: file formats, and a static site (SPEC X5).

`record_reader` reads the store, `formats` writes files, and `destination` puts them in place. Only
`record_reader` reads tables.
"""
