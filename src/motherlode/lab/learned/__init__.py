"""How well topics are learned from few examples, on webs whose labels are known (docs/learning.md).

Nothing is crawled here: crawls are measured in `lab.trials`.
"""
