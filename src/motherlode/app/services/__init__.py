"""What every front door asks for: one module per job, each working on a portal's directory.

Services return records and raise `LodeError`. They print nothing and know nothing of HTTP or click.
"""
