"""Where back-links come from besides the pages of a portal: files of links (SPEC F1).

Only files are read here; `policies.ordinal` makes layers of the links.
"""
