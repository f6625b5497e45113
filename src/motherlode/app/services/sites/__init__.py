"""Portals of websites: their crawl, the ranked list, one site, and the user's choices.

What a site is and how it is judged is in `policies/websites`; nothing here prints.
"""
