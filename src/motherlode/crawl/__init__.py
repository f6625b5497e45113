"""The crawl loop, the same for every policy: schedule, fetch, read, decide, write.

No module of this folder knows a particular policy; the code of each policy lives in `policies`.
"""
