"""Formulas about links: hubs and authorities, PageRank, and how much each kind of link evidence counts.

They work on arrays of links and scores. Which links a crawl follows is decided in `policies`.
"""
