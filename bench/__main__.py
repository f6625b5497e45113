"""Run the benches named on the command line, or all of them."""

import importlib
import os
import sys

BENCHES = (
    *(
        "urls",
        "archive",
        "store",
        "sandbox",
        "fetching",
        "documents",
        "learning",
        "clustering",
        "search",
    ),
    *("serving", "crawl", "collecting"),
)
NAMED = ("soak", "kills", "fork_server")  # only when named
PEERS = "peers"  # has arguments of its own, and both cores
ORDINAL = "ordinal"  # has arguments of its own
FORMS = "forms"  # has arguments of its own
RECORDS = "records"  # has arguments of its own


def main() -> None:
    if sys.argv[1:2] == [PEERS]:
        importlib.import_module("bench.peers.command").main(sys.argv[2:])
        return
    if sys.argv[1:2] == [ORDINAL]:
        importlib.import_module("bench.ordinal.command").main(sys.argv[2:])
        return
    if sys.argv[1:2] == [FORMS]:
        importlib.import_module("bench.forms.command").main(sys.argv[2:])
        return
    if sys.argv[1:2] == [RECORDS]:
        importlib.import_module("bench.records.command").main(sys.argv[2:])
        return
    chosen = sys.argv[1:] or BENCHES
    unknown = set(chosen) - {*BENCHES, *NAMED}
    if unknown:
        known = ", ".join((*BENCHES, *NAMED, f"{PEERS} WEB", ORDINAL, FORMS, RECORDS))
        sys.exit(f"bench: no such bench: {', '.join(sorted(unknown))}; there are {known}.")
    if hasattr(os, "sched_setaffinity"):  # one core, wherever the system can say so
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for name in chosen:
        print(f"== {name}", flush=True)
        importlib.import_module(f"bench.{name}").main()


main()
