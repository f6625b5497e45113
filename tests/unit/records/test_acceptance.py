"""Acceptance is decided in one place, for pages one by one, arrays and queries."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import motherlode
from motherlode.records import ROOT, Judgement, TopicId
from motherlode.records.learning import is_accepted
from motherlode.store.tables.judgements import ACCEPTED
from motherlode.training.judgement_table import JudgementTable

SOURCE = Path(motherlode.__file__).parent
# Comparisons of a margin with 0, in Python, templates and scripts.
COMPARISON = re.compile(r"\b(?:\w+_)?(?:confidence|margin)s?\b\)? *(?:<=?|>=?) *0(?:\.0)?\b")
# A plane's own side, before there is a judgement, and the definition itself.
EXEMPT = {
    "records/learning.py",
    "learning/tree.py",
    "learning/plane_distances.py",
    "learning/counterexamples.py",
}


@pytest.mark.parametrize(
    ("topic", "margin", "accepted"),
    [
        (TopicId(2), 0.1, True),
        (TopicId(2), 0.0, False),
        (TopicId(2), -0.1, False),
        (ROOT, 0.5, False),
        (ROOT, -0.5, False),
        (TopicId(2), float("nan"), False),
    ],
)
def test_a_page_is_accepted_on_a_topic_with_a_margin_above_0(
    topic: TopicId, margin: float, *, accepted: bool
) -> None:
    assert is_accepted(topic, margin) is accepted
    assert Judgement(topic, margin).is_accepted is accepted


@given(st.lists(st.tuples(st.integers(1, 4), st.floats(-2, 2)), max_size=20))
def test_arrays_say_the_same_as_single_pages(judged: list[tuple[int, float]]) -> None:
    topics = np.array([topic for topic, _ in judged], np.int64)
    margins = np.array([margin for _, margin in judged], np.float64)
    single = [is_accepted(topic, margin) for topic, margin in judged]
    assert is_accepted(topics, margins).tolist() == single
    pages = np.arange(len(judged), dtype=np.int64)
    table = JudgementTable(pages, topics, margins, np.full(len(judged), np.nan))
    assert table.accepted().pages.tolist() == np.flatnonzero(single).tolist()


def test_queries_ask_the_same() -> None:
    compiled = str(ACCEPTED.compile(compile_kwargs={"literal_binds": True}))
    assert compiled == "judgements.topic_id != 1 AND judgements.confidence > 0"


def test_nothing_else_compares_a_margin_with_0() -> None:
    comparisons = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*"))
        if path.suffix in {".py", ".html", ".js"} and str(path.relative_to(SOURCE)) not in EXEMPT
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if COMPARISON.search(line)
    ]
    assert comparisons == []


@pytest.mark.parametrize(
    "line",
    ["judgement.confidence > 0", "if (x.margin <= 0.0)", "confidences >= 0", "c.confidence > 0)"],
)
def test_a_comparison_would_be_seen(line: str) -> None:
    assert COMPARISON.search(line)
