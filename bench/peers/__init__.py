"""Motherlode and its peers on one served web: same seeds, same pages, and the server counts.

`command` is the bench. The modules that run inside `.venv-peers` import neither Motherlode nor
anything that needs it.
"""
