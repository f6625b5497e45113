"""The file formats of an export: one module each, and `registry`, which lists them.

A format is a function from records to a file; it reads no tables.
"""
