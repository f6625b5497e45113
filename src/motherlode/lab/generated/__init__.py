"""A web made from a seed: every page is a pure function of the plan and its address."""
