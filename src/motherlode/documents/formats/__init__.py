"""Formats besides HTML: one module a family, each a function from what came (`Raw`) to what it says (`Extract`)."""
