"""Papers that are made up from a seed: the same seed and number give the same papers."""

from motherlode.lab.generated import prose
from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.lexicon import Lexicon
from motherlode.lab.generated.topics import TOPICS
from motherlode.lab.portals.records import PaperRecord

SUBJECTS = tuple(TOPICS)[:8]
FIRST_YEAR, LAST_YEAR = 1970, 2009
AUTHORS_OF_SUBJECT = 14
MAX_CITED = 4
MAX_ABSTRACT_PARAGRAPHS = 2
FULL_TEXT_SHARE = 0.4
_KINDS = ("article", "article", "article", "report", "thesis")
_FIRST_NAMES = (
    "Ada", "André", "Birgit", "Carlos", "Dana", "Elif", "Frank", "Grace", "Hélène", "Ivan",
    "Jürgen", "Karin", "Luis", "Mary", "Nils", "Olga", "Paul", "Rosa", "Søren", "Tove",
)  # fmt: skip
_LAST_NAMES = (
    "Abel", "Bergström", "Castellano", "Dubois", "Eriksen", "Fischer", "García", "Hofmann",
    "Iversen", "Jansen", "Keller", "Lefèvre", "Müller", "Nakamura", "O'Brien", "Petrov",
    "Quist", "Rossi", "Schröder", "Tanaka", "Ullman", "van Dijk", "Whitfield", "Yilmaz",
)  # fmt: skip
_TITLES = (
    "{a} and {b}: a comparison",
    "On the classification of {a}",
    "A survey of {a} and {b}",
    "{a} revisited",
    "From {a} to {b}",
    "Observations on {a}",
    "Towards a theory of {a} and {b}",
    "{a}: new evidence from {b}",
)
_VENUES = (
    "Journal of {subject} Studies",
    "Proceedings of the Conference on {subject}",
    "Annals of {subject}",
    "Transactions on {subject} and Related Fields",
)


def generate_papers(seed: int, number: int, lexicon: Lexicon) -> tuple[PaperRecord, ...]:
    """Return papers on several subjects, which cite earlier ones on their own."""
    return tuple(_paper(seed, place, lexicon) for place in range(number))


def _paper(seed: int, place: int, lexicon: Lexicon) -> PaperRecord:
    dice = Dice(seed, "paper", place)
    subject = SUBJECTS[place % len(SUBJECTS)]
    content = prose.subject(lexicon.topics[subject], dice)
    names = [concept.names[0] for concept in content.concepts]
    title = dice.pick(_TITLES).format(a=dice.pick(names[:-1] or names), b=names[-1])
    paragraphs = prose.paragraphs(content, lexicon, dice)[:MAX_ABSTRACT_PARAGRAPHS]
    return PaperRecord(
        id=f"p{place + 1}",
        title=title[0].upper() + title[1:],
        authors=_authors(seed, subject, dice),
        year=dice.between(FIRST_YEAR, LAST_YEAR),
        venue=dice.pick(_VENUES).format(subject=subject.rpartition("/")[2]),
        abstract=" ".join(paragraphs),
        keywords=tuple(dict.fromkeys(names))[:5],
        links=_cited(place, dice),
        identifiers={"doi": f"10.5555/lode.{seed}.{place + 1}"},
        kind=dice.pick(_KINDS),
        subject=subject,
        has_full_text=dice.chance(FULL_TEXT_SHARE),
    )


def _authors(seed: int, subject: str, dice: Dice) -> tuple[str, ...]:
    """Return one to three authors of those who write on the subject."""
    drawn = (dice.below(AUTHORS_OF_SUBJECT) for _ in range(dice.between(1, 3)))
    return tuple(_author(seed, subject, number) for number in dict.fromkeys(drawn))


def _author(seed: int, subject: str, number: int) -> str:
    dice = Dice(seed, "author", subject, number)
    return f"{dice.pick(_LAST_NAMES)}, {dice.pick(_FIRST_NAMES)}"


def _cited(place: int, dice: Dice) -> tuple[str, ...]:
    """Return ids of earlier papers on the same subject."""
    earlier = range(place % len(SUBJECTS), place, len(SUBJECTS))
    if not earlier:
        return ()
    places = {dice.pick(earlier) for _ in range(dice.between(0, MAX_CITED))}
    return tuple(f"p{cited + 1}" for cited in sorted(places))
