"""The `__init__` of each folder says in two sentences what lives there, and what may not."""

import ast
import re
from pathlib import Path

import motherlode

SOURCE = Path(motherlode.__file__).parent
SENTENCE_END = re.compile(r"(?<!BINGO)[.!?](?=\s|$)")


def test_each_folder_says_what_lives_there_in_two_sentences() -> None:
    for path in sorted(SOURCE.rglob("__init__.py")):
        name = path.relative_to(SOURCE).as_posix()
        text = ast.get_docstring(ast.parse(path.read_text())) or ""
        assert text.count("\n\n") == 1, (
            f"{name}: a paragraph on what lives here, and one on what not"
        )
        assert all(len(SENTENCE_END.findall(part)) == 1 for part in text.split("\n\n")), name
