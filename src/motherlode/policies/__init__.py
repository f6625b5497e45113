"""Which page next: one module a published crawler, and the baselines that they are measured against."""

from motherlode.policies.policy import Policy, Revising, Visit

__all__ = ["Policy", "Revising", "Visit"]
