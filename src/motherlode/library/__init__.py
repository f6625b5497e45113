"""A personal library: folders of objects, their formats, and what is recommended from them.

Nothing here opens a portal or fetches a page.
"""
