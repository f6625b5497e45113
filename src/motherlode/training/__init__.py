"""From what the store holds to training sets, models, link analysis and clusters.

It reads the store, and writes nothing but judgements that a caller saves. When a crawl trains is
decided in `crawl` and by its policy.
"""
