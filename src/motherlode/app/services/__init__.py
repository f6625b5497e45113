"""The work behind every front door, each module on the directory of a portal.

Services return records and raise `LodeError`. They print nothing, and know nothing of HTTP or
click.
"""
