"""Estimators and formulas on arrays, one formula per file, with its paper and equation.

Nothing in this folder reads the store, opens files or knows of a crawl.
"""
