"""A web of the lab over real HTTP and DNS on loopback.

The contents of pages belong to the webs, and what goes wrong to `misbehaviour`.
"""
