"""robots.txt (RFC 9309): the rules of one file, and the cache of the rules of every host visited.

Crawl delays are kept in `fetch.politeness`, and robots meta tags are read in `documents`.
"""
