"""Run the benches named on the command line, or all of them."""

import importlib
import os
import sys

BENCHES = (
    *("urls", "archive", "store", "sandbox", "fetching", "documents", "learning", "clustering", "search"),
    *("serving", "crawl"),
)
NAMED = ("soak", "kills", "fork_server")  # only when named


def main() -> None:
    chosen = sys.argv[1:] or BENCHES
    unknown = set(chosen) - {*BENCHES, *NAMED}
    if unknown:
        sys.exit(
            f"bench: no such bench: {', '.join(sorted(unknown))}; there are {', '.join(BENCHES + NAMED)}."
        )
    if hasattr(os, "sched_setaffinity"):  # one core, wherever the system can say so
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for name in chosen:
        print(f"== {name}", flush=True)
        importlib.import_module(f"bench.{name}").main()


main()
