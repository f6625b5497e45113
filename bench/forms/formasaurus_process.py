"""Classify the forms of pages by Formasaurus; run by an interpreter that has it.

Reads from standard input a JSON list of [url, path of a file with HTML in UTF-8]; prints, for each
page, a list of [purpose, names of the fields for search words] for each of its forms.
"""

import json
import sys
from pathlib import Path

import formasaurus  # type: ignore[import-not-found,unused-ignore]

results = [
    [
        [
            classified["form"],
            [name for name, kind in classified["fields"].items() if kind == "search query"],
        ]
        for _, classified in formasaurus.extract_forms(Path(path).read_text("utf-8"), proba=False)
    ]
    for url, path in json.load(sys.stdin)
]
print(json.dumps(results))
