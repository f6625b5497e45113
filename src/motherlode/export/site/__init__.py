"""A portal as a static site: plain pages by topic, and a search that needs no server (SPEC X9).

`records` has what a site is made of, `rows` what is shown of a page, `spool` keeps that while it is
sorted, `lookup` makes the index of the search page, `pages` fills the templates, and `writer` goes
through it all.
"""

MARKER = "motherlode-site.txt"
FOLDERS = ("assets", "search", "sites", "topics")
FILES = (MARKER, "about.html", "index.html", "search.html", *FOLDERS)
