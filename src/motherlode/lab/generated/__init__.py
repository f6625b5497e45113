"""A web made from a seed: every page is a pure function of the plan and its address.

Nothing is stored here, and faults of hosts belong to `misbehaviour`.
"""
