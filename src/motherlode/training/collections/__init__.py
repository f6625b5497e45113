"""The collections of a portal: selected by merit, curated by the user (SPEC T6).

What a subject and its centroid are is in `policies.tunnel`.
"""
