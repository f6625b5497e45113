"""Full-text search over a portal: the index and its updates, queries, ranking, snippets, answers.

It reads the store and the index, and writes only below `index/`; it neither crawls nor trains.
"""
