"""The four stages that a page passes through: fetch, read, decide, write; and their helpers.

They work side by side with bounded queues between them. When a crawl ends is not decided here.
"""
