"""A web of the lab over real HTTP and DNS on loopback."""
