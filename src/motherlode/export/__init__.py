"""A portal carried away: one module a format, each a function from records to a file (SPEC X5).

What is read of the store is in `gathering`; where a file is put, and that it is whole, in `placing`.
"""
