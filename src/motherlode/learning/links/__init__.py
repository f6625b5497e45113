"""Formulas about links: hubs and authorities, PageRank, mentions, and weights of link evidence.

They work on arrays only: which links a crawl follows is decided in `policies`.
"""
