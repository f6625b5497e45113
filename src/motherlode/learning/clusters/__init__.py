"""Clusters of documents, and the phrases that name them.

Which pages are clustered is decided in `training`; nothing here reads the store.
"""
