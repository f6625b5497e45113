"""Trials: crawls of a web in the lab, their seeds, measures, comparisons and plots.

Webs are made and read elsewhere in `lab`, and the crawl itself is the one of `crawl`.
"""
