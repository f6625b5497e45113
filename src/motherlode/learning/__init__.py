"""What is learned, and how: one formula, one file, with its citation.

Estimators are in scikit-learn's manner: `fit` returns self, what was learned ends in `_`, and all of it can
be pickled. Nothing here reads or writes anything.
"""
