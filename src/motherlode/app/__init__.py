"""The front doors."""
