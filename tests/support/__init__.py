"""Webs, portals, servers and records that several tests share. No tests live here."""
