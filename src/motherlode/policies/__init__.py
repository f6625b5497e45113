"""Policies decide which page is fetched next: one module or folder per crawler, and the baselines.

The loop that runs a policy is in `crawl`; the policies themselves do no I/O.
"""

from motherlode.policies.policy import Policy, Revising, Visit

__all__ = ["Policy", "Revising", "Visit"]
