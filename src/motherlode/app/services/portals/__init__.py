"""The portals of a server: which exist, new ones, their status, hosts and crawl reports.

Nothing here starts a job or answers a request.
"""
