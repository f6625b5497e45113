"""Worker processes for work that may hang, crash or use too much memory, and pools that feed them.

Nothing in this room knows what a crawl is; jobs and results are plain values.
"""
