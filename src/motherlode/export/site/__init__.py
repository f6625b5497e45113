"""A portal as a static site (SPEC X9): pages by topic, and a search that needs no server.

Only `content` reads the portal; all other modules work on its `records`.
"""

MARKER = "motherlode-site.txt"
FOLDERS = ("assets", "search", "sites", "topics")
WEBSITES_PAGE, WEBSITES_PICTURE = "websites.html", "websites.svg"  # of a portal of websites
FILES = (
    MARKER,
    "about.html",
    "index.html",
    "search.html",
    WEBSITES_PAGE,
    WEBSITES_PICTURE,
    *FOLDERS,
)
