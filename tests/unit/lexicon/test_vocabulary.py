"""Common vocabulary: general domains, one document each."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest

from motherlode.lexicon import NoWordNetError, common_vocabulary, vocabulary, wordnet
from motherlode.lexicon.domains import DOMAINS
from motherlode.lexicon.nouns import Synset, as_sentence, branch, examples, meaning, read_nouns
from motherlode.records import LodeError

# A small WordNet: sport with ball games below it, a field that it names, and a match with a name of its own.
SMALL = """\
  1 This line is the licence's.
00000001 04 n 02 sport 0 athletics 0 004 ~ 00000002 n 0000 ~i 00000003 n 0000 -c 00000004 n 0000 -c 00000009 v 0000 | (games) an active diversion; "sports are good for the body"
00000002 04 n 01 ball_game 0 002 @ 00000001 n 0000 ~ 00000005 n 0000 | a game played with a ball: "a game of the ball for everyone"
00000003 04 n 01 Big_Match 0 001 @i 00000001 n 0000 | the match of 1901
00000004 18 n 01 referee 0 001 ;c 00000001 n 0000 | an official who keeps to the rules
00000005 04 n 01 tennis 0 001 @ 00000002 n 0000 | a game with rackets
"""


@pytest.fixture(scope="session")
def documents(nouns: bytes) -> Mapping[str, str]:
    return vocabulary.compile_vocabulary(nouns.decode("latin-1"))


@pytest.fixture
def small() -> dict[str, Synset]:
    return read_nouns(SMALL)


def test_nouns_are_read_with_what_is_narrower_and_what_is_of_their_field(
    small: dict[str, Synset],
) -> None:
    sport = small["00000001"]
    assert (sport.lexfile, sport.names) == ("04", ("sport", "athletics"))
    assert sport.narrower == ("00000002", "00000003")
    assert sport.members == ("00000004",), "verbs are not nouns"
    assert small["00000002"].names == ("ball game",)
    assert [offset for offset, synset in small.items() if synset.instance] == ["00000003"]
    assert branch(small, "00000001") == ["00000001", "00000002", "00000005", "00000003"]


def test_a_gloss_is_a_meaning_with_remarks_and_examples(small: dict[str, Synset]) -> None:
    gloss = small["00000001"].gloss
    assert meaning(gloss) == "an active diversion"
    assert meaning(small["00000002"].gloss) == "a game played with a ball"
    assert [as_sentence(example) for example in examples(gloss)] == [
        "Sports are good for the body."
    ]
    assert as_sentence("is it a game?") == "Is it a game?"
    assert examples('a thing; "short"') == []


def test_a_domain_is_a_branch_with_its_field_and_without_names(small: dict[str, Synset]) -> None:
    names = [synset.names[0] for synset in vocabulary._field(small, ["00000001", "00000002"])]
    assert names == ["sport", "ball game", "tennis", "referee"]


def test_a_document_says_what_words_mean_and_how_they_are_used(small: dict[str, Synset]) -> None:
    assert vocabulary._document(vocabulary._field(small, ["00000001"])).split("\n") == [
        "sport, athletics: an active diversion. Sports are good for the body.",
        "ball game: a game played with a ball. A game of the ball for everyone.",
        "tennis: a game with rackets.",
        "referee: an official who keeps to the rules.",
    ]


def test_words_with_examples_of_use_come_before_the_others() -> None:
    rare = [
        Synset("04", (f"rare {n}",), "a word that is hardly ever used by anyone", ())
        for n in range(300)
    ]
    used = [
        Synset("04", (f"used {n}",), 'a word; "people use it all the time"', ()) for n in range(20)
    ]
    said = vocabulary._document([*rare[:150], *used, *rare[150:]]).split("\n")
    assert sum(line.startswith("used") for line in said) == 20
    taken = [int(line.split()[1].strip(":")) for line in said if line.startswith("rare")]
    gaps = {later - earlier for earlier, later in itertools.pairwise(taken)}
    assert max(gaps) <= min(gaps) + 1, "spread evenly"
    assert abs(sum(len(line.split()) for line in said) - vocabulary.WORDS) < 30


def test_what_is_compiled_is_the_vocabulary_that_is_pinned(
    nouns: bytes, documents: Mapping[str, str]
) -> None:
    assert vocabulary.RECIPE.made_of(nouns) is not None, "DIGEST in vocabulary.py is out of date"
    assert list(documents) == list(DOMAINS)


def test_every_root_is_there_and_is_in_one_domain_only(nouns: bytes) -> None:
    synsets = read_nouns(nouns.decode("latin-1"))
    roots = [root for roots in DOMAINS.values() for root in roots]
    assert set(roots) <= set(synsets)
    assert len(roots) == len(set(roots))


def test_every_domain_has_enough_to_say(documents: Mapping[str, str]) -> None:
    assert len(documents) >= 50
    for name, text in documents.items():
        assert 500 <= len(text.split()) <= 1_100, name
        assert text.count("\n") >= 25, name
        assert text.isascii(), name


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        ("sport", {"ball", "game", "team", "race"}),
        ("law", {"court", "legal", "judge"}),
        ("birds", {"bird", "wings", "feathers"}),
        ("dishes", {"sauce", "meat", "cooked"}),
        ("the sky", {"star", "sun", "planet"}),
        ("physics", {"light", "energy", "electric"}),
        ("family", {"mother", "brother", "wife"}),
        ("computers", {"data", "program", "memory"}),
        ("the military", {"army", "enemy", "troops"}),
        ("religion", {"church", "god", "christian"}),
        ("medicine", {"drug", "treatment", "patients"}),
        ("money", {"paid", "payment", "coin"}),
    ],
)
def test_a_domain_speaks_of_what_its_name_says(
    domain: str, words: set[str], documents: Mapping[str, str]
) -> None:
    said = documents[domain].lower()
    assert {word for word in words if word not in said} == set()


def test_it_is_common_words_and_no_names_of_single_things(documents: Mapping[str, str]) -> None:
    titles = {line.partition(":")[0] for text in documents.values() for line in text.split("\n")}
    assert not titles & {
        "Mount Everest",
        "Everest",
        "Nile",
        "Paris",
        "Jupiter",
        "Zeus",
        "World War II",
    }


def test_whoever_can_do_without_may_catch_one_error(cache: Path) -> None:
    assert issubclass(NoWordNetError, LodeError)
    with pytest.raises(NoWordNetError):
        common_vocabulary()
    assert not list(cache.glob("*.msgpack"))


def test_it_is_read_out_of_the_cache_without_wordnet(
    nouns: bytes, cache: Path, documents: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wordnet, "download", lambda: nouns)
    assert common_vocabulary() == documents
    monkeypatch.setattr(wordnet, "download", lambda: pytest.fail("it was fetched again"))
    common_vocabulary.cache_clear()
    assert common_vocabulary() == documents
    assert [path.suffix for path in sorted(cache.iterdir())] == [".lock", ".msgpack"]
