"""From what the store holds to training sets, models, link analysis and clusters.

It reads the store and writes nothing but marks; when and how often a crawl trains is decided elsewhere.
"""
