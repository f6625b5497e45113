"""`python -m motherlode` is `lode`."""

from motherlode.app.cli.main import main

main()
