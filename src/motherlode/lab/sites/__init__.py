"""Experiments with whole websites on labelled webs: how well they are classified, and found.

`classification` reads sites without a crawl and `crawls` runs the engine, and nothing here prints.
"""
