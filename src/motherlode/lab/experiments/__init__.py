"""The two experiments of the BINGO! paper, and one on search, on webs whose labels are known.

`portals` generates a portal from two pages and measures it at several budgets (SPEC B30, Tables
1 to 3). `experts` asks a question as `lode ask` does and looks at the first ten answers (SPEC B31,
Figures 4 and 5). `searches` measures the rankings of `lode search`. The crawls themselves are those
of `crawl`; docs/experiments.md has the results.
"""
