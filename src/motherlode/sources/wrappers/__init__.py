"""Portals behind search forms, which are asked by title, author, year and so on (SPEC D3-D5).

Reading forms and pages of results belongs to `documents`, and commands belong to `app`.
"""
