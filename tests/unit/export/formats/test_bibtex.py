"""BibTeX: entries that every reader parses, whatever titles and URLs hold."""

import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from motherlode.export.formats.bibtex import escaped, write_bibtex
from motherlode.export.records import MemberRecord, PageRecord, Shelf

EVIL = r"50% of {owls} \input{x} _a^b~c $1 & #2 @misc{x, title={ }} “quoted” " + "\x00\u202e\n\n"
_FIELD = re.compile(r"  ([a-z]+) = \{(.*)\},")


def member(url: str = "http://a.test/", title: str = "Owl", **parts: object) -> MemberRecord:
    given: dict[str, object] = {
        "url": url,
        "title": title,
        "subject": "birds/owls",
        "merit": 0.5,
        "choice": "",
        "source": "read",
        "found_on": "",
        "fetched_at": 1_700_000_000.0,
        "language": "en",
        "mime": "text/html",
    }
    return MemberRecord(**(given | parts))  # type: ignore[arg-type]


def written(*pages: MemberRecord | PageRecord, path: tuple[str, ...] = ("birds", "owls")) -> str:
    out = io.BytesIO()
    assert write_bibtex([Shelf(path, pages), Shelf(("empty",), ())], out) == len(pages)
    return out.getvalue().decode()


def entries(text: str) -> list[dict[str, str]]:
    """Read entries as BibTeX does, which counts braces and knows no backslash."""
    found = []
    while text.strip():
        start = re.match(r"\s*@misc\{([^,\s]+),", text)
        assert start is not None, text[:100]
        depth, end = 1, start.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        fields = dict(_FIELD.findall(text[start.end() : end]))
        found.append({"key": start[1], **fields})
        text = text[end:]
    return found


def test_a_member_with_all_that_is_known_of_it() -> None:
    (entry,) = entries(written(member(choice="pin")))
    key = entry.pop("key")
    assert re.fullmatch(r"a-test-[0-9a-f]{10}", key)
    assert entry == {
        "title": "{Owl}",
        "url": "http://a.test/",
        "note": "Figure of merit 0.500; pinned by a user",
        "keywords": "birds/owls",
        "urldate": "2023-11-14",
    }


def test_what_is_not_known_is_left_out() -> None:
    (entry,) = entries(written(member(title="", merit=None, fetched_at=None)))
    assert sorted(entry) == ["key", "keywords", "title", "url"]
    assert entry["title"] == "{http://a.test/}"


def test_a_page_of_a_portal_without_collections() -> None:
    page = PageRecord(
        id=1,
        url="http://a.test/1",
        title="Owl",
        topic="owls",
        margin=0.5,
        probability=None,
        fetched_at=-1e20,
        language="en",
        mime="text/html",
        status=200,
        size=1,
        digest=b"",
    )
    (entry,) = entries(written(page))
    assert sorted(entry) == ["key", "keywords", "title", "url"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\\b", r"a\textbackslash{}b"),
        ("}{", r"\textbraceright{}\textbraceleft{}"),
        ("1 & 2\n\t3", r"1 \& 2 3"),
        ("Zoë 東京", "Zoë 東京"),
    ],
)
def test_special_characters(text: str, shown: str) -> None:
    assert escaped(text) == shown


@given(st.text(max_size=60), st.text(max_size=30))
@example(EVIL, EVIL)
@example("}}}", "{,")
def test_any_text_stays_in_its_field(title: str, name: str) -> None:
    url = f"http://a.test/{name}"
    pages = [member(url, title), member("http://b.test/", "Next")]
    found = entries(written(*pages, path=(name, "b,c")))
    assert [entry["title"] for entry in found][1] == "{Next}"
    assert len({entry["key"] for entry in found}) == 2
    for entry in found:
        assert set(entry) == {"key", "title", "url", "note", "keywords", "urldate"}
        assert "," not in entry["keywords"]


def test_keys_are_those_of_urls() -> None:
    urls = ["http://a.test/x", "http://a.test/y", "http://a-test/x", "http://東京.test/"]
    keys = [entry["key"] for entry in entries(written(*map(member, urls)))]
    assert len(set(keys)) == 4
    assert all(key.isascii() for key in keys)
