"""Topic trees: edits, tables of topics, and the profile of one topic.

Nothing here crawls or retrains.
"""
