"""A bookmark file, and the topics of the portal that is made of it."""

import json

from support.helpers import CliRun

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
<DT><H3>Science</H3><DL><p>
  <DT><A HREF="http://s.example/">S</A>
  <DT><H3>Physics</H3><DL><p><DT><A HREF="http://p.example/?utm_source=x">P</A></DL><p>
</DL><p>
<DT><H3>Others</H3><DL><p><DT><A HREF="http://o.example/">O</A></DL><p>
<DT><A HREF="javascript:alert(1)">script</A>
</DL><p>"""


def paths(tree: dict[str, object]) -> list[str]:
    below = tree["topics"]
    assert isinstance(below, list)
    return [str(tree["path"]), *(path for child in below for path in paths(child))]


def topics(lode: CliRun, *arguments: str) -> list[str]:
    return paths(json.loads(lode("topics", "p", "--json", *arguments).stdout))[1:]
