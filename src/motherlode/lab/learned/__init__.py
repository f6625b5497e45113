"""How well topics are learned from few examples, on webs whose labels are known (docs/learning.md).

`pages` reads a web's labelled pages into every feature space, `portals` draws topics and examples out of
them, `trees` and `baselines` learn from those and judge the pages that were not drawn, `figures` says how
well, `estimates` how well the training itself had foretold it, and `report` runs it all.
"""
