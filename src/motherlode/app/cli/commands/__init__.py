"""One module per command of `lode`, each with a click command called `command`.

`cli.main` lists them. A command reads its options, asks a service, and prints what it returns.
"""
