"""The formulas of collection crawls by tunnelling (ECDL 2002): centroids, distance, learned cutoff.

Nothing here knows of crawls, pages or the store.
"""
