"""From the pages in the store to training sets, stored models, link analysis and clusters.

Nothing here fetches, or decides when to train: that is up to `crawl` and its policy.
"""
