"""Host names to addresses: resolver and cache, the hosts file, and which addresses are public.

Connections are opened in `fetch.wire`, never here.
"""
