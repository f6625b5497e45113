"""The commands that messages, help texts and documentation tell users to type."""

import re
import shlex
from collections.abc import Iterator, Mapping

import click

from motherlode.app.cli.main import COMMANDS, lode

_END = r"(?=$|['\n;]|, or |, then |  | && | \| |\.$|\.\s)"
_HINT = re.compile(rf"\blode (?:{'|'.join(COMMANDS)})\b.*?{_END}", re.MULTILINE)
_SHELL = re.compile(r"[|&;<>()]+")
_REMARK = re.compile(r"\s{3,}\S.*")  # beside an example of a help text


def hints_in(text: str) -> list[str]:
    """Return the command lines in a message, each once."""
    return list(dict.fromkeys(match[0].rstrip(" .,") for match in _HINT.finditer(text)))


def words_of(hint: str, values: Mapping[str, str]) -> list[str]:
    """Return the words after `lode`, with placeholders such as URL filled in."""
    return [values.get(word, word) for word in shlex.split(hint)[1:]]


def help_examples(text: str) -> Iterator[str]:
    """Yield the lines of a help text that begin with `lode`, without the remarks beside them."""
    for line in text.splitlines():
        if line.strip().startswith("lode "):
            yield _REMARK.sub("", line.strip())


def commands_in(line: str) -> Iterator[list[str]]:
    """Yield the words after `lode` of each such command in a shell's line."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if not _SHELL.fullmatch(word):
            words.append(word)
            continue
        if words[:1] == ["lode"]:
            yield words[1:]
        words = []


def parse(words: list[str]) -> None:
    """Parse a command line without running it; raises `click.UsageError` if it is refused."""
    command: click.Command = lode
    context = command.make_context("lode", list(words))
    while isinstance(command, click.Group):
        rest = [*context._protected_args, *context.args]
        if not rest:
            return
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command = found
        context = command.make_context(name, rest, parent=context)
