"""CB-OR (SPEC F5): agreement with other solvers, and the paper's Tables 1 and 2 and Figure 1.

`command` is the bench. `solver_process` runs inside `.venv-solvers` and imports no Motherlode.
"""
