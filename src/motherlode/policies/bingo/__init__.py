"""The crawler of BINGO! (Sizov et al., CIDR 2003): topic trees, archetypes, two phases.

Everything that only this crawler does lives here; the loop that runs it is in `crawl`.
"""
