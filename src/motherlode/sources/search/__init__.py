"""Search sources: services, files and indexes that return pages for a query.

`registry` lists the kinds, and each kind is one module. Nothing here is imported before it is used,
because every command reads `options`.
"""
