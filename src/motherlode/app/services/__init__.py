"""The work behind every front door: functions on the directory of a portal that return records.

Services raise `LodeError`, print nothing, and know nothing of HTTP or click.
"""
