"""Topics and their examples. Whether an edit makes sense was checked on the tree before."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from motherlode.records import Example, ExampleId, Origin, Topic, TopicId
from motherlode.store.schema import examples, frontier, judgements, topics
from motherlode.store.session import Session
from motherlode.store.values import storable


def all_topics(session: Session) -> list[Topic]:
    """Every topic, the root included, in the order they were made."""
    query = select(topics.c.id, topics.c.parent_id, topics.c.name, topics.c.is_others)
    rows = session.connection.execute(query.order_by(topics.c.id))
    return [Topic(TopicId(i), parent, name, others) for i, parent, name, others in rows]


def add_topic(session: Session, parent: TopicId, name: str, *, is_others: bool = False) -> Topic:
    statement = (
        insert(topics)
        .values(parent_id=parent, name=name, folded=name.casefold(), is_others=is_others)
        .returning(topics.c.id)
    )
    number = session.connection.execute(statement).scalar_one()
    return Topic(TopicId(number), parent, name, is_others)


def rename_topic(session: Session, topic: TopicId, name: str) -> None:
    statement = update(topics).where(topics.c.id == topic)
    session.connection.execute(statement.values(name=name, folded=name.casefold()))


def move_topic(session: Session, topic: TopicId, parent: TopicId) -> None:
    session.connection.execute(update(topics).where(topics.c.id == topic).values(parent_id=parent))


def remove_topics(session: Session, doomed: Sequence[TopicId], heir: TopicId) -> None:
    """Remove topics, parents first in `doomed`; pages judged into them go to `heir`.

    Their examples and the person's verdicts go with them, and so do the entries in their queues:
    the links can be offered again from the pages that have them.
    """
    run = session.connection.execute
    run(update(judgements).where(judgements.c.topic_id.in_(doomed)).values(topic_id=heir))
    run(delete(frontier).where(frontier.c.queue.in_(doomed)))  # a topic's queue has its number
    for topic in reversed(doomed):
        run(delete(topics).where(topics.c.id == topic))
    session.sieve.memory.forget()  # it still knows the offers that are gone


def add_examples(session: Session, new: Iterable[Example]) -> int:
    """Add examples; a URL that the topic has is left as it is. Returns how many were new."""
    rows = [
        {
            "topic_id": example.topic,
            "url": example.url,
            "title": storable(example.title),
            "note": storable(example.note),
            "tags": [storable(tag) for tag in example.tags],
            "text": None if example.text is None else storable(example.text),
            "origin": example.origin.value,
            "added_at": example.added_at,
        }
        for example in new
    ]
    if not rows:
        return 0
    count = select(func.count()).select_from(examples)
    before = session.connection.execute(count).scalar_one()
    dialect = sqlite if session.connection.dialect.name == "sqlite" else postgresql
    session.connection.execute(dialect.insert(examples).on_conflict_do_nothing(), rows)
    return session.connection.execute(count).scalar_one() - before


def examples_of(session: Session, topic: TopicId | None = None) -> list[Example]:
    """A topic's own examples, or everybody's, in the order they were added."""
    query = select(examples).order_by(examples.c.id)
    if topic is not None:
        query = query.where(examples.c.topic_id == topic)
    return [
        Example(
            topic=TopicId(row.topic_id),
            url=row.url,
            title=row.title,
            note=row.note,
            tags=tuple(row.tags),
            text=row.text,
            origin=Origin(row.origin),
            added_at=row.added_at,
            id=ExampleId(row.id),
        )
        for row in session.connection.execute(query)
    ]


def change_example(session: Session, changed: Example) -> None:
    """Keep an example's origin, note and text as they are now; its topic and its URL stay."""
    statement = update(examples).where(examples.c.id == changed.id)
    text = None if changed.text is None else storable(changed.text)
    session.connection.execute(
        statement.values(origin=changed.origin.value, note=storable(changed.note), text=text)
    )


def remove_example(session: Session, topic: TopicId, url: str) -> bool:
    """Take a URL out of a topic's examples. Returns whether it was there."""
    statement = delete(examples).where(examples.c.topic_id == topic, examples.c.url == url)
    return session.connection.execute(statement).rowcount > 0
