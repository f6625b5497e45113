"""The command line: one module per command, loaded when the command runs.

Commands parse options, ask services and print; they never read tables.
"""

import os

# Set before any library loads a matrix library, whose threads would wait busily: commands fork as
# many workers as are useful.
os.environ.setdefault("OMP_NUM_THREADS", "1")
