"""Which page next: one module a published crawler, and the baselines that they are measured against."""

from motherlode.policies.policy import Policy, Visit

__all__ = ["Policy", "Visit"]
