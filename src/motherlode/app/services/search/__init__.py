"""Search portals: parameters as an address has them, open indexes, and up-to-date results.

Nothing here knows of HTTP, templates or click.
"""
