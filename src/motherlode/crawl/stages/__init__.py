"""The four stages that a page passes through side by side: fetch, read, decide, write.

When a crawl ends is decided in `crawl.termination`, and what a page is worth by the policy.
"""
