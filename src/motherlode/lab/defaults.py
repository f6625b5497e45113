"""Defaults of experiments, for the records of the lab and for the options of `lode lab`."""

from motherlode.policies.registry import BEST_FIRST, BINGO, BINGO_2003

RANDOM_SEED = 1
REPEATS = 1
CONNECTIONS = 1  # pages that a trial fetches at the same time
COMPARISON_SEEDS = 5  # drawn for each trial of a comparison
PORTAL_SEEDS = 2  # as in the paper's experiment
REFERENCE_POLICY = BEST_FIRST  # by which the others are measured
PORTAL_POLICIES = (BINGO, BINGO_2003, REFERENCE_POLICY)
