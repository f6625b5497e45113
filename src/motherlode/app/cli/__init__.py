"""The command line: one module a command, loaded when it is asked for."""

import os

# Before anything is loaded that multiplies matrices, and starts threads for it which wait busily: workers are
# forked from a command, and there are as many of them as are wanted.
os.environ.setdefault("OMP_NUM_THREADS", "1")
