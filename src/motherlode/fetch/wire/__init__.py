"""Our own HTTP client: connections, HTTP/1.1 and HTTP/2, each phase timed and bounded by itself.

No redirects, retries or sessions belong here; docs/design.md says why it is written by hand.
"""
