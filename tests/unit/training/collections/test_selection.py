"""Who joins a collection: merit, contents, choices, and files that were not read."""

from msgspec.structs import replace

from motherlode.records import ChoiceKind, PageId, TopicId
from motherlode.training.collections.selection import (
    MAX_DOCUMENTS_OF_PAGE,
    CollectionMember,
    DocumentLink,
    KnownContents,
    MemberSource,
    in_order,
    is_document_url,
    select_documents,
    select_pages,
)

OWLS, HERONS = TopicId(2), TopicId(3)


def member(name: str, merit: float | None = 0.5, **parts: object) -> CollectionMember:
    given: dict[str, object] = {
        "url": f"http://{name}.test/",
        "title": name,
        "merit": merit,
        "source": MemberSource.READ,
        "seen_at": 1.0,
        "digest": name.encode(),
    }
    return CollectionMember(**(given | parts))  # type: ignore[arg-type]


def titles(members: list[CollectionMember]) -> list[str]:
    return [one.title for one in members]


def test_the_best_pages_fill_a_collection() -> None:
    candidates = [member("a", 0.9), member("b", 0.8), member("c", 0.7)]
    assert titles(select_pages([], candidates, 2)) == ["a", "b"]
    assert select_pages([], [], 2) == []


def test_no_more_candidates_are_read_than_are_needed() -> None:
    def endless() -> object:
        yield member("a", 0.9)
        yield member("b", 0.8)
        raise AssertionError("one too many was read")

    assert titles(select_pages([member("x")], endless(), 3)) == ["a", "b", "x"]  # type: ignore[arg-type]


def test_one_content_joins_once() -> None:
    near, far = 0b0111, 0b1111 << 60
    candidates = [
        member("a", 0.9, fingerprint=1 << 40),
        member("same-bytes", 0.8, digest=b"a"),
        member("near", 0.7, fingerprint=(1 << 40) ^ near),
        member("far", 0.6, fingerprint=(1 << 40) ^ far),
        member("no-text", 0.5, fingerprint=0),
        member("no-text-either", 0.4, fingerprint=0),
    ]
    kept = ["a", "far", "no-text", "no-text-either"]
    assert titles(select_pages([], candidates, 10)) == kept


def test_fingerprints_are_compared_as_the_store_has_them() -> None:
    known = KnownContents([member("a", fingerprint=-1)])
    assert known.has(member("b", fingerprint=-2))
    assert not known.has(member("c", fingerprint=0x0F0F_0F0F))


def test_what_the_user_chose_stays_and_comes_first_where_pinned() -> None:
    pinned = member("pinned", 0.0, choice=ChoiceKind.PIN)
    accepted = member("accepted", 0.1, choice=ChoiceKind.ACCEPT)
    unknown = member("unknown", None, choice=ChoiceKind.MOVE)
    chosen = [unknown, accepted, pinned]
    selected = select_pages(chosen, [member("a", 0.9), member("b", 0.8)], 4)
    assert titles(selected) == ["pinned", "a", "accepted", "unknown"]
    assert titles(select_pages(chosen, [member("a", 0.9)], 1)) == [
        "pinned",
        "accepted",
        "unknown",
    ]


def test_a_rejected_content_does_not_come_back_at_another_url() -> None:
    rejected = member("rejected", digest=b"bad", fingerprint=1 << 50)
    candidates = [member("copy", digest=b"bad"), member("near", fingerprint=3 << 50), member("a")]
    assert titles(select_pages([], candidates, 9, [rejected])) == ["a"]


def test_equals_are_in_one_order() -> None:
    link = member("a", source=MemberSource.LINK)
    assert titles(in_order([member("c"), link, member("b")])) == ["b", "c", "a"]


def test_documents_are_told_by_their_paths() -> None:
    yes = ["a.pdf", "A.PS", "x/y.ps.gz", "b.pdf.gz#page=2", "c%2Epdf", "d.pdf?download=1"]
    no = ["a.html", "pdf", "a.pdf/", "?file=a.pdf", "a.eps", "#a.pdf", "a.psd"]
    assert [is_document_url(f"http://a.test/{name}") for name in yes] == [True] * len(yes)
    assert [is_document_url(f"http://a.test/{name}") for name in no] == [False] * len(no)


def links(page: int, *names: str) -> dict[PageId, list[DocumentLink]]:
    number = PageId(page)
    return {number: [DocumentLink(number, f"http://f.test/{name}.pdf", name) for name in names]}


def read(name: str, page: int, merit: float | None) -> CollectionMember:
    return member(name, merit, page=PageId(page))


def test_a_file_joins_with_the_merit_of_its_best_parent_and_once() -> None:
    pages = {OWLS: [read("a", 1, 0.4), read("b", 2, 0.8)], HERONS: [read("c", 3, 0.6)]}
    found = links(1, "x", "y") | links(2, "x") | links(3, "x", "z", "z")
    documents = select_documents(pages, found, 0.25, 10)
    assert [(one.title, one.merit, one.parent_url) for one in documents[OWLS]] == [
        ("x", 0.8, "http://b.test/"),
        ("y", 0.4, "http://a.test/"),
    ]
    assert titles(documents[HERONS]) == ["z"]
    first = documents[OWLS][0]
    assert (first.source, first.page, first.parent) == (MemberSource.LINK, None, 2)
    assert (first.digest, first.choice) == (b"", None)


def test_files_of_pages_below_the_merit_do_not_join() -> None:
    low = replace(read("low", 1, 0.1), choice=ChoiceKind.PIN)
    pages = {OWLS: [low, read("unknown", 2, None)]}
    assert select_documents(pages, links(1, "x") | links(2, "y"), 0.25, 10) == {OWLS: []}


def test_a_list_of_papers_does_not_flood_a_collection() -> None:
    names = [f"p{number}" for number in range(3 * MAX_DOCUMENTS_OF_PAGE)]
    pages = {OWLS: [read("a", 1, 0.9), read("b", 2, 0.8)]}
    many = links(1, *names) | links(2, "q", "r")
    assert len(select_documents(pages, many, 0.25, 50)[OWLS]) == MAX_DOCUMENTS_OF_PAGE + 2
    assert titles(select_documents(pages, many, 0.25, 3)[OWLS]) == ["p0", "p1", "p2"]


def test_a_file_without_words_is_called_by_its_name() -> None:
    page = PageId(1)
    link = DocumentLink(page, "http://f.test/On%20owls.pdf", "")
    documents = select_documents({OWLS: [read("a", 1, 0.9)]}, {page: [link]}, 0.25, 5)
    assert titles(documents[OWLS]) == ["On owls.pdf"]
