"""Worker processes for work that may hang, crash or use too much memory, and the pools that feed them.

Nothing here knows what a crawl is; jobs and results are values.
"""
