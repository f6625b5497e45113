"""How well topics are learned from few examples, on webs whose labels are known (docs/learning.md).

`pages` reads labelled pages into every feature space, `portals` draws topics and examples from
them, `trees` and `baselines` learn and judge the rest, `figures` and `estimates` measure that, and
`study` runs all of it. Crawls are measured in `trials`.
"""
