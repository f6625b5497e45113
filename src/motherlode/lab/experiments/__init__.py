"""The two experiments of the BINGO! paper, rebuilt on webs whose labels are known (docs/experiments.md).

`portals` generates a portal from two pages and takes stock of it at several budgets (SPEC B30, Tables 1 to
3), `experts` asks a question as `lode ask` does and looks at the first ten answers (SPEC B31, Figures 4 and
5). `stock` says what a crawl holds, `known` which pages of a topic everybody links to, `figures` how good a
ranked list is.
"""
