"""Our own HTTP client: what a crawler wants of one, and no more.

A crawler needs each phase timed and bounded by itself, a look at a response while it comes in, and little
else that clients offer: no cookies, no sessions, no uploads. docs/design.md says why this is written by hand.
"""
