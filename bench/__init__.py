"""`make bench`: what things cost on this machine, each beside a peer or a ceiling in the same run."""
