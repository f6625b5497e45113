"""Sphinx's settings. Nothing is fetched from elsewhere."""

from motherlode import __version__

project = "Motherlode"
author = "The Motherlode developers"
release = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "alabaster"
html_theme_options = {
    "description": "A focused crawler and portal generator",
    "fixed_sidebar": True,
}
exclude_patterns = ["_build"]
suppress_warnings = ["myst.header"]
