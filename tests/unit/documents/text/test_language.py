"""Which language a text is in."""
# ruff: noqa: RUF001 - letters that look like Latin ones are meant

import pytest

from motherlode.documents.text.language import LANGUAGES, _by_function_words, language_of

TEXTS = {
    "en": "The barn owl hunts at night and finds its prey by hearing alone, even under deep snow.",
    "de": "Die Schleiereule jagt in der Nacht und findet ihre Beute allein mit dem Gehör, auch unter Schnee.",
    "fr": "La chouette effraie chasse la nuit et trouve ses proies à l'oreille, même sous la neige profonde.",
    "es": "La lechuza caza de noche y encuentra a sus presas solo con el oído, incluso bajo la nieve.",
    "it": "Il barbagianni caccia di notte e trova le sue prede soltanto con l'udito, anche sotto la neve.",
    "pt": "A coruja caça à noite e encontra as suas presas apenas pelo ouvido, mesmo debaixo da neve.",
    "nl": "De kerkuil jaagt in de nacht en vindt zijn prooi alleen met het gehoor, zelfs onder de sneeuw.",
    "ru": "Сипуха охотится ночью и находит свою добычу только на слух, даже под глубоким снегом.",
    "pl": "Płomykówka poluje w nocy i znajduje swoją zdobycz wyłącznie słuchem, nawet pod śniegiem.",
    "sv": "Tornugglan jagar på natten och hittar sitt byte enbart med hörseln, även under djup snö.",
    "cs": "Sova pálená loví v noci a svou kořist nachází pouze sluchem, dokonce i pod hlubokým sněhem.",
    "fi": "Tornipöllö saalistaa yöllä ja löytää saaliinsa pelkän kuulonsa avulla, jopa syvän lumen alta.",
    "el": "Η τυτώ κυνηγά τη νύχτα και βρίσκει το θήραμά της μόνο με την ακοή, ακόμα και κάτω από το χιόνι.",
    "ja": "メンフクロウは夜に狩りをし、深い雪の下でも聴覚だけで獲物を見つけることができます。",
    "zh": "仓鸮在夜间捕猎，即使在厚厚的积雪下也能仅凭听觉找到猎物。它们飞行时非常安静，几乎没有声音。",
    "ar": "تصطاد بومة الحظائر ليلا وتجد فريستها بالسمع وحده، حتى تحت الثلج العميق في فصل الشتاء.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_tells_its_language_whatever_the_page_says(language: str) -> None:
    assert language_of(TEXTS[language]) == language
    assert language_of(TEXTS[language], "xx") == language
    assert language in LANGUAGES


@pytest.mark.parametrize("language", TEXTS)
def test_a_long_text_tells_it_by_its_prose_not_by_its_menus(language: str) -> None:
    menu = "\n".join(["Home", "Login", "Top 10", "2024-01-01", "Facebook", "OK"] * 10)
    assert language_of(f"{menu}\n{TEXTS[language] * 5}\n{menu}") == language


def test_a_long_list_at_the_end_of_a_text_tells_nothing() -> None:
    names = (
        "Rogerio de Lemos, Holger Giese, Hausi Müller, Mary Shaw, Jesper Andersson, Luciano Baresi, "
        * 50
    )
    prose = "\n".join([TEXTS["en"] * 2] * 60)
    assert language_of(f"{prose}\n{names}") == "en"


@pytest.mark.parametrize("text", ["", " \n " * 100, "Eule", "Die Schleiereule jagt", "x" * 39])
def test_of_a_short_text_what_the_page_names_is_taken(text: str) -> None:
    assert language_of(text, "de") == "de"
    assert language_of(text) == ""


@pytest.mark.parametrize("text", ["1 2 3 4 5 " * 100, "- * - " * 100, "\N{OWL} " * 200, "!?" * 100])
def test_a_text_without_words_tells_nothing(text: str) -> None:
    assert language_of(text, "fr") == "fr"


def test_norwegian_has_one_name() -> None:
    assert (
        language_of(
            "Tårnugla jaktar om natta og finn byttet sitt berre med hørselen, sjølv under snøen."
        )
        == "no"
    )


@pytest.mark.parametrize(
    ("sample", "language"),
    [
        ("The owl is in the barn, and it is one of the best. " * 2, "en"),
        ("Die Eule ist in der Scheune, und sie ist eine der besten. " * 2, "de"),
        ("the owl and the barn", ""),
        ("owl barn hunt mouse night " * 5, ""),
        ("the of and is to der die das und ist zu " * 2, ""),
    ],
    ids=["English", "German", "few words", "no function words", "two languages"],
)
def test_function_words_tell_a_language_where_it_is_clear(sample: str, language: str) -> None:
    assert _by_function_words(sample) == language
