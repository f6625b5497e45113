"""Where topics and links come from besides pages."""
