"""What undoes feedback and trainings, whichever database is behind it."""

from motherlode.records import (
    ROOT,
    TOPIC_MODEL,
    Example,
    Feedback,
    Judgement,
    Model,
    ModelId,
    Origin,
    Verdict,
)
from motherlode.store import Session, Store
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.former_examples import (
    FormerExamples,
    has_former_examples,
    keep_former_examples,
    latest_former_examples,
    restore_examples,
)
from motherlode.store.tables.former_judgements import (
    MAX_TRAININGS,
    former_judgements,
    has_former_judgements,
    keep_former_judgements,
    restore_judgements,
)
from motherlode.store.tables.judgements import judgements_of, keep_judgements
from support.store_records import keep_one


def keep_model(session: Session) -> ModelId:
    return ledger.keep_model(session, Model(ModelId(0), TOPIC_MODEL, 1, 1.0, b"packed")).id


def test_every_former_judgement_comes_back_as_it_was(store: Store) -> None:
    pages = [keep_one(store, f"http://p{number}.example/") for number in range(4)]
    before = {
        pages[0]: Judgement(ROOT, -0.25),
        pages[1]: Judgement(ROOT, 0.1 + 0.2, ModelId(7), 0.5),
        pages[2]: Judgement(ROOT, 1e-300, None, -3.0, 0.75),
    }
    with store.writing() as session:
        keep_judgements(session, list(before.items()))
        model = keep_model(session)
        keep_former_judgements(session, model)
        keep_judgements(session, [(page, Judgement(ROOT, 9.0, model)) for page in pages])
    with store.writing() as session:
        former = former_judgements(session, model)
        assert former is not None
        assert dict(former) == before
        assert former.topic_ids() == {ROOT}
        restore_judgements(session, model, former)
        assert judgements_of(session, pages) == before  # the last page had none
        assert not has_former_judgements(session, model)


def test_only_the_latest_trainings_are_kept(store: Store) -> None:
    with store.writing() as session:
        models = [keep_model(session) for _ in range(MAX_TRAININGS + 2)]
        for model in models:
            keep_former_judgements(session, model)
        kept = [model for model in models if has_former_judgements(session, model)]
        assert kept == models[2:]


def test_an_undone_model_leaves_the_former_one_and_its_number_is_not_given_again(
    store: Store,
) -> None:
    with store.writing() as session:
        first, second = keep_model(session), keep_model(session)
        ledger.undo_model(session, second, 2.0)
        latest = ledger.latest_model(session, TOPIC_MODEL)
        assert latest is not None
        assert latest.id == first
        assert ledger.last_model(session) > second  # what was computed with it is out of date
        ledger.undo_model(session, first, 3.0)
        assert ledger.latest_model(session, TOPIC_MODEL) is None
        assert keep_model(session) > second + 1


def test_examples_come_back_as_they_were_before_feedback(store: Store) -> None:
    page = keep_one(store, "http://p.example/")
    with store.writing() as session:
        owls = topic_rows.add_topic(session, ROOT, "owls").id
        bats = topic_rows.add_topic(session, ROOT, "bats").id
        others = topic_rows.add_topic(session, ROOT, "OTHERS", is_others=True).id
        given = [
            Example(owls, f"http://{name}.example/", origin=Origin.ARCHETYPE, added_at=1.0)
            for name in ("accepted", "rejected", "moved", "gone")
        ]
        topic_rows.add_examples(session, given)
        before = topic_rows.examples_of(session)
        accepted, rejected, moved, gone = before
        added = Example(others, moved.url, origin=Origin.FEEDBACK)
        former = FormerExamples(5.0, (accepted, gone), (rejected, moved), (added,), others)
        keep_former_examples(session, former)
        for example in (rejected, moved, gone):  # a user took out the last one since
            topic_rows.remove_example(session, owls, example.url or "")
        topic_rows.change_example(session, Example(owls, "", text="x", id=accepted.id))
        topic_rows.add_examples(session, [added])
        ledger.give_feedback(session, Feedback(page, owls, Verdict.BAD, 5.0))
        ledger.give_feedback(session, Feedback(page, bats, Verdict.BAD, 4.0))
    with store.writing() as session:
        latest = latest_former_examples(session)
        assert latest is not None
        assert latest[1] == former
        assert (former.count, former.topics()) == (4, {owls})
        restore_examples(session, *latest)
        assert {plain(example) for example in topic_rows.examples_of(session)} == {
            plain(example) for example in before if example is not gone
        }
        assert others not in {topic.id for topic in topic_rows.all_topics(session)}
        assert not ledger.feedback_on(session, owls)
        assert len(ledger.feedback_on(session, bats)) == 1
        assert not has_former_examples(session)
        assert latest_former_examples(session) is None


def plain(example: Example) -> tuple[object, ...]:
    return (example.topic, example.url, example.text, example.origin, example.added_at)
