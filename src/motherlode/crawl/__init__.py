"""The crawl loop, the same for every policy: schedule, fetch, read, decide, write.

Nothing here knows a published crawler; what is particular to one lives in `policies`.
"""
