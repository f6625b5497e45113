"""Why a URL was found, ranked, fetched and judged as it was, or why it was not.

It only reads the store; what a policy has to say about its ranks, the policy says itself.
"""
