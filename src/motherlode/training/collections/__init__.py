"""The collections of a portal: selected by merit, curated by the user (SPEC T6).

`selection` decides who joins, `portal_collections` reads a portal's, and `paths` says how the crawl
came to a member. What a subject and its centroid are is in `policies.tunnel`.
"""
