"""Search sources: services, files and indexes that return pages for a query, one kind per module.

Nothing here is imported before it is used, because every command reads `options`.
"""
