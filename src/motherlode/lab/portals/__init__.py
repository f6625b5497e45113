"""Catalogues of papers behind search forms: their records, designs and pages.

Nothing here listens on a socket, and reading such forms belongs to other rooms.
"""
