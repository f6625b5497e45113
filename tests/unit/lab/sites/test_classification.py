"""Cross-validation of site classifiers on a small web of owls and news."""

from pathlib import Path

import pytest

from motherlode.lab.loader import open_web
from motherlode.lab.sites.classification import (
    ALL_SUBJECTS,
    CLASSIFIERS,
    HOMEPAGE,
    ClassificationPlan,
    Classified,
    classification_rows,
    classify,
    precision_and_recall,
    tasks,
)
from motherlode.lab.sites.labelled_sites import site_labels
from motherlode.lab.sites.site_classifiers import Classification
from motherlode.policies.registry import WEBSITES
from motherlode.records import NoSuchTopicError, UsageError
from support.site_crawls import labelled_site_web
from support.small_webs import html, record_web

SUBJECTS = ("Animals/Owls", "News")


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(labelled_site_web(tmp_path_factory.mktemp("web") / "sites"))


def test_every_classifier_is_right_where_classes_are_far_apart(web: str) -> None:
    plan = ClassificationPlan(web, SUBJECTS, folds=3)
    rows = classification_rows(plan, list(classify(plan, 1)))
    assert [row.classifier for row in rows[::3]] == list(CLASSIFIERS)
    for row in rows:
        if row.classifier != HOMEPAGE:
            assert (row.f, row.precision, row.recall, row.wrong) == (1.0, 1.0, 1.0, ())
    assert {row.subject for row in rows} == {*SUBJECTS, ALL_SUBJECTS}
    one_page = next(row for row in rows if row.classifier == HOMEPAGE)
    assert one_page.pages == 1.0
    ours = next(row for row in rows if row.classifier == WEBSITES)
    assert 1.0 <= ours.pages <= 4.0
    assert ours.sites == 7.0


def test_a_draw_is_one_cross_validation_of_each_classifier_and_subject(web: str) -> None:
    plan = ClassificationPlan(web, SUBJECTS, (WEBSITES, HOMEPAGE), repeat=2)
    assert len(tasks(plan)) == 2 * 2 * 2


def test_precision_and_recall_count_sites() -> None:
    judged = [
        Classified("a.test", truth=True, verdict=Classification(is_relevant=True, pages=2)),
        Classified("b.test", truth=True, verdict=Classification(is_relevant=False, pages=2)),
        Classified("c.test", truth=False, verdict=Classification(is_relevant=True, pages=2)),
        Classified("d.test", truth=False, verdict=Classification(is_relevant=False, pages=2)),
    ]
    assert precision_and_recall(judged) == (0.5, 0.5)
    assert precision_and_recall(judged[3:]) == (0.0, 0.0)


def test_what_is_wrong_with_a_plan_is_said_before_it_runs(web: str) -> None:
    with pytest.raises(UsageError, match="There is no classifier 'oracle'"):
        list(classify(ClassificationPlan(web, SUBJECTS, ("oracle",)), 1))
    with pytest.raises(NoSuchTopicError, match="No site of this web is on 'Cars'"):
        list(classify(ClassificationPlan(web, ("Cars",)), 1))


def test_a_site_has_the_commonest_label_of_its_pages_if_enough_have_it(tmp_path: Path) -> None:
    pages = {f"http://{host}.test/{number or ''}": html(host, "text") for host in "abc"
             for number in range(5)}  # fmt: skip
    labels = {
        "http://a.test/": "Art",
        "http://a.test/1": "Food",
        "http://a.test/2": "Food",
        "http://b.test/": "Art",
    }
    web = open_web(record_web(tmp_path / "web", pages, labels))
    assert site_labels(web) == {"a.test": "Food"}
