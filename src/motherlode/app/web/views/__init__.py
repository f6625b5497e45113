"""One module a view: its addresses, and what its templates are given."""
