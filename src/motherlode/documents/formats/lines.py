"""Lines on a page put together to paragraphs, where a format knows where letters stand, and nothing
else.
"""

import re
from collections.abc import Iterator

# PDFium marks a hyphen at the end of a line as U+0002 or U+FFFE.
_HYPHENATED = re.compile("[\x02\ufffe\u00ad-]\\s{0,100}\n\\s{0,100}(?=[a-z\u00df-\u00ff])")
_FULL = 0.7  # a line this much shorter than the longest of its page ends a paragraph


def paragraphs(page: str) -> Iterator[str]:
    """What stands on a page: a line that is not full ends a paragraph, a hyphen at its end goes."""
    text = _HYPHENATED.sub("", page.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line.strip() for line in text.split("\n")]
    full = _FULL * max(map(len, lines))
    begun: list[str] = []
    for line in lines:
        begun.append(line)
        if len(line) < full:
            yield " ".join(begun)
            begun = []
    yield " ".join(begun)
