"""The experiments on whole portals: portals and expert search of the BINGO! paper, and rankings.

The crawls are those of `crawl`; how well single topics are learned belongs to `lab.learned`.
"""
