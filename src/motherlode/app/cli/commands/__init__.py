"""One module per command of `lode`, with a click command called `command`; `cli.main` lists them.

A command reads options, asks a service and prints; it opens no portal and computes nothing.
"""
