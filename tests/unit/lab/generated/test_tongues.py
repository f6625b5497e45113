"""Text in other languages: nothing unfilled, nothing that an encoding of the language cannot write."""

from collections.abc import Iterator

import pytest

from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.tongues import SLOT, TONGUES, Tongue, paragraph, title, words

CODES = sorted(TONGUES)


def templates(tongue: Tongue) -> tuple[str, ...]:
    return (*tongue.titles, *tongue.sentences, *tongue.links)


def with_every_filler(template: str, tongue: Tongue) -> Iterator[str]:
    """The template once for every filler of every slot, the other slots having their first."""
    for name in SLOT.findall(template) or [None]:
        for filler in tongue.fillers[name] if name else ("",):
            yield SLOT.sub(
                lambda slot, name=name, filler=filler: (  # type: ignore[misc]
                    filler if slot[1] == name else tongue.fillers[slot[1]][0]
                ),
                template,
            )


def everything(tongue: Tongue) -> Iterator[str]:
    for template in templates(tongue):
        yield from with_every_filler(template, tongue)


def test_there_are_languages_of_four_scripts() -> None:
    assert {"de", "fr", "es", "it", "pt", "pl", "ru", "el", "tr", "ja", "zh"} == set(TONGUES)
    assert all(tongue.code == code for code, tongue in TONGUES.items())


@pytest.mark.parametrize("code", CODES)
def test_every_text_survives_every_encoding_of_its_language(code: str) -> None:
    tongue = TONGUES[code]
    assert tongue.encodings[0] == "utf-8"
    assert len(tongue.encodings) > 1
    for text in everything(tongue):
        for encoding in tongue.encodings:
            assert text.encode(encoding).decode(encoding) == text


@pytest.mark.parametrize("code", CODES)
def test_every_filler_is_used_and_every_slot_can_be_filled(code: str) -> None:
    tongue = TONGUES[code]
    slots = {slot for template in templates(tongue) for slot in SLOT.findall(template)}
    own = set(tongue.fillers) - {"number", "few", "day", "hour", "year"}
    assert own <= slots <= set(tongue.fillers)
    assert all("{" not in SLOT.sub("", template) for template in templates(tongue))
    assert all(len(set(fillers)) == len(fillers) >= 5 for fillers in tongue.fillers.values())


@pytest.mark.parametrize("code", CODES)
def test_a_sentence_begins_with_a_capital_and_ends_with_a_full_stop(code: str) -> None:
    tongue = TONGUES[code]
    assert len(set(tongue.sentences)) == len(tongue.sentences) >= 16
    for template in tongue.sentences:
        for sentence in with_every_filler(template, tongue):
            assert sentence[0] == sentence[0].upper(), sentence
            assert sentence[-1] in ".。", sentence


@pytest.mark.parametrize("code", CODES)
def test_titles_and_links_begin_with_a_capital(code: str) -> None:
    tongue = TONGUES[code]
    assert len(tongue.titles) >= 8
    for template in (*tongue.titles, *tongue.links):
        assert all(text[0] == text[0].upper() for text in with_every_filler(template, tongue)), (
            template
        )


@pytest.mark.parametrize("code", CODES)
def test_a_link_has_one_to_four_words(code: str) -> None:
    tongue = TONGUES[code]
    lengths = {
        len(text.split()) for link in tongue.links for text in with_every_filler(link, tongue)
    }
    assert lengths <= {1, 2, 3, 4}


@pytest.mark.parametrize("code", CODES)
def test_the_same_dice_say_the_same(code: str) -> None:
    tongue = TONGUES[code]
    said = [[speak(tongue, Dice(7, code)) for speak in (title, paragraph, words)] for _ in range(2)]
    assert said[0] == said[1]


@pytest.mark.parametrize("code", CODES)
def test_paragraphs_vary(code: str) -> None:
    dice = Dice(11, code)
    assert len({paragraph(TONGUES[code], dice) for _ in range(200)}) == 200
    assert len({title(TONGUES[code], dice) for _ in range(200)}) > 40


@pytest.mark.parametrize("code", ["ja", "zh"])
def test_sentences_without_spaces_where_none_are_written(code: str) -> None:
    dice = Dice(3, code)
    assert not any(" " in paragraph(TONGUES[code], dice) for _ in range(50))


def test_a_paragraph_has_three_to_six_sentences() -> None:
    dice = Dice(5, "length")
    lengths = {paragraph(TONGUES["zh"], dice).count("。") for _ in range(100)}
    assert lengths == {3, 4, 5, 6}
