"""Formulas about links: hubs and authorities, PageRank, mentions, and weights of link evidence.

They work on arrays of links and scores. Which links a crawl follows is decided in `policies`.
"""
