"""Where back-links come from besides a portal's own pages: files of links (SPEC F1)."""
