"""Bookmark files: the forms people have, and what is not one."""

import contextlib
import gzip
import os
from pathlib import Path

import pytest

from motherlode.records import BadInputError, Folder
from motherlode.sources.bookmarks import MAX_BYTES, MAX_DEPTH, holds_bookmarks, read_bookmarks


def read(tmp_path: Path, content: str | bytes, name: str = "bookmarks.html") -> Folder:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_bookmarks(path)


def outline(folder: Folder) -> dict[str, object]:
    """A folder as nested names and URLs, easy to compare."""
    inner: dict[str, object] = {child.name: outline(child) for child in folder.folders}
    return {"": [bookmark.url for bookmark in folder.bookmarks], **inner}


NETSCAPE = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE><H1>Bookmarks Menu</H1>
<DL><p>
  <DT><A HREF="http://loose.example/" ADD_DATE="1700000000" TAGS="a,b c">Loose &amp; free</A>
  <DD>A note with <b>markup</b>
  on two lines.
  <DT><H3>Science</H3>
  <DD>What the folder is about
  <DL><p>
    <DT><A HREF="http://one.example/?a=1&amp;b=2">One</A>
    <HR>
    <DT><H3>Physics</H3>
    <DL><p><DT><A HREF='http://two.example/'>Two</A></DL><p>
    <DT><A HREF=http://three.example/ ICON="data:x>y">Three</A>
  </DL><p>
  <DT><H3>Empty</H3>
  <DL><p></DL><p>
</DL><p>
"""


def test_netscape_folders_nest(tmp_path: Path) -> None:
    assert outline(read(tmp_path, NETSCAPE)) == {
        "": ["http://loose.example/"],
        "Science": {
            "": ["http://one.example/?a=1&b=2", "http://three.example/"],
            "Physics": {"": ["http://two.example/"]},
        },
        "Empty": {"": []},
    }


def test_netscape_keeps_titles_notes_tags_and_dates(tmp_path: Path) -> None:
    folder = read(tmp_path, NETSCAPE)
    loose = folder.bookmarks[0]
    assert folder.name == "Bookmarks Menu"
    assert loose.title == "Loose & free"
    assert loose.note == "A note with markup on two lines."
    assert loose.tags == ("a", "b c")
    assert loose.added_at == 1_700_000_000
    assert folder.folders[0].bookmarks[0].note == ""


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [("1700000000", 1.7e9), ("1700000000000000", 1.7e9), ("x", 0), ("nan", 0), ("inf", 0)],
)
def test_dates_come_in_seconds_and_microseconds(tmp_path: Path, stamp: str, seconds: float) -> None:
    assert (
        read(tmp_path, f'<DL><A HREF="http://a/" ADD_DATE="{stamp}">a</A>').bookmarks[0].added_at
        == seconds
    )


def test_end_tags_may_be_missing(tmp_path: Path) -> None:
    content = (
        "<DL><DT><H3>One<DL><DT><A HREF=http://a.example/>A<DT><A HREF=http://b.example/>B<DD>note"
    )
    folder = read(tmp_path, content)
    assert outline(folder) == {"": [], "One": {"": ["http://a.example/", "http://b.example/"]}}
    assert [bookmark.title for bookmark in folder.folders[0].bookmarks] == ["A", "B"]


def test_one_end_tag_too_many_is_forgiven(tmp_path: Path) -> None:
    content = (
        "<DL><H3>One</H3><DL><A HREF=http://a/>A</A></DL></DL></DL></DL><A HREF=http://b/>B</A>"
    )
    assert outline(read(tmp_path, content)) == {"": ["http://b/"], "One": {"": ["http://a/"]}}


def test_safari_leaves_out_the_outer_list(tmp_path: Path) -> None:
    content = "<HTML><H1>Bookmarks</H1><DT><H3 FOLDED>A</H3><DL><p><DT><A HREF=http://a/>a</A></DL><p></HTML>"
    assert outline(read(tmp_path, content)) == {"": [], "A": {"": ["http://a/"]}}


def test_links_in_a_description_are_no_bookmarks(tmp_path: Path) -> None:
    content = '<DL><DT><A HREF="http://a/">a</A><DD>see <a href="http://not/">this</a> too<DT><A HREF="http://b/">b</A>'
    folder = read(tmp_path, content)
    assert outline(folder) == {"": ["http://a/", "http://b/"]}
    assert folder.bookmarks[0].note == "see this too"


def test_what_is_commented_out_does_not_count(tmp_path: Path) -> None:
    assert outline(
        read(tmp_path, "<DL><!-- <A HREF=http://a/>a</A> --><A HREF=http://b/>b</A>")
    ) == {"": ["http://b/"]}


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("\ufeff<DL><A HREF=http://a/>Bücher</A>".encode(), "Bücher"),
        ("\ufeff<DL><A HREF=http://a/>Bücher</A>".encode("utf-16-le"), "Bücher"),
        ("<META charset=windows-1251><DL><A HREF=http://a/>Книги</A>".encode("cp1251"), "Книги"),
        (
            '<META CONTENT="text/html; charset=EUC-JP"><DL><A HREF=http://a/>図書</A>'.encode(
                "euc-jp"
            ),
            "図書",
        ),
        ("<DL><A HREF=http://a/>Bücher für Köche</A>".encode("latin-1"), "Bücher für Köche"),
        ("<META charset=undefined><DL><A HREF=http://a/>Bücher</A>".encode(), "Bücher"),
        ("<META charset=no-such-thing><DL><A HREF=http://a/>Bücher</A>".encode(), "Bücher"),
    ],
)
def test_encodings(tmp_path: Path, body: bytes, title: str) -> None:
    assert read(tmp_path, body).bookmarks[0].title == title


def test_opml(tmp_path: Path) -> None:
    content = """<?xml version="1.0" encoding="ISO-8859-1"?>
    <opml version="2.0"><head><title>Feeds</title></head><body>
      <outline text="Science">
        <outline text="Physics" type="rss" xmlUrl="http://p.example/feed"
          htmlUrl="http://p.example/" category="a,b"/>
        <outline text="Deeper"><outline text="only feed" xmlUrl="http://f.example/rss"/></outline>
      </outline>
      <outline text="self" type="include" url="http://me.example/this.opml"/>
      <outline title="Link" type="link" url="http://l.example/"/>
    </body></opml>"""
    folder = read(tmp_path, content, "feeds.opml")
    assert outline(folder) == {
        "": ["http://l.example/"],
        "Science": {"": ["http://p.example/"], "Deeper": {"": ["http://f.example/rss"]}},
        "self": {"": []},
    }
    assert folder.folders[0].bookmarks[0].tags == ("a", "b")


def test_a_list_of_urls(tmp_path: Path) -> None:
    folder = read(
        tmp_path, "# mine\n\nhttp://a.example/ A title\n  https://b.example/x\n", "list.txt"
    )
    assert [(bookmark.url, bookmark.title) for bookmark in folder.bookmarks] == [
        ("http://a.example/", "A title"),
        ("https://b.example/x", ""),
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"  \n\t ", "is empty"),
        (b"\x00\x01\x02\x03" * 100, "is a binary file"),
        (b"SQLite format 3\x00" + b"x" * 100, "is a browser's own database"),
        (gzip.compress(b"http://a/", mtime=0), "is a gzip file"),
        (b'{"roots": {}}', "is JSON"),
        (b"just some words\nof prose", "line 1: 'just some words' is not a URL"),
        (b"<opml><body><outline text='a'></body></opml>", "not well-formed OPML"),
        (b"<DL>" + b"<H3>a</H3><DL>" * (MAX_DEPTH + 50), "nests folders more than"),
        (
            b"<opml><body>" + b"<outline text='a'>" * (MAX_DEPTH + 50) + b"</outline>" * 150,
            "nests folders more than",
        ),
    ],
)
def test_what_is_no_bookmark_file_is_told_in_a_sentence(
    tmp_path: Path, content: bytes, says: str
) -> None:
    with pytest.raises(BadInputError, match=says):
        read(tmp_path, content)


def test_an_entity_bomb_goes_off_in_vain(tmp_path: Path) -> None:
    """The declarations before the outline are not even read, so that its entities mean nothing."""
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    outlines = '<opml><body><outline text="&e11;"/></body></opml>'
    with pytest.raises(BadInputError, match="undefined entity"):
        read(tmp_path, f'<!DOCTYPE opml [<!ENTITY e0 "boom">{entities}]>{outlines}', "bomb.opml")


def test_a_directory_a_missing_file_a_loop_and_a_pipe(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, says in (
        (tmp_path, "is a directory"),
        (tmp_path / "missing", "There is no file"),
        (loop, "cannot be read"),
        (pipe, "not a regular file"),
    ):
        with pytest.raises(BadInputError, match=says):
            read_bookmarks(path)


def test_a_file_of_200_megabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.html"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    assert path.stat().st_size > MAX_BYTES
    with pytest.raises(BadInputError, match="has 200 MB; a bookmark file has at most 64 MB"):
        read_bookmarks(path)


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<a '", '<A "', "<", "<a ", "<A x=", "<DD>", "&amp", "<dl", "<A X=' >", "<h3>"],
)
def test_no_input_is_read_in_more_than_linear_time(tmp_path: Path, piece: str) -> None:
    """Hostile to a reader that goes back; a quadratic one would take minutes for each."""
    for content in ("<DL>" + piece * 300_000, "<DL><A HREF=http://a/ " + piece * 300_000 + ">"):
        with contextlib.suppress(BadInputError):
            read(tmp_path, content)


def test_a_very_long_attribute(tmp_path: Path) -> None:
    assert outline(read(tmp_path, f"<DL><A {'a' * 2_000_000} HREF=http://a/>x</A>")) == {
        "": ["http://a/"]
    }


def test_files_of_others(conformance: Path) -> None:
    """How many bookmarks and folders are in each; counted by hand in the files."""
    expected = {
        "chromium_flat.htm": (9, 0),
        "chromium_nested.htm": (18, 7),
        "delicious.htm": (5, 0),
        "firefox_flat.htm": (24, 1),
        "firefox_nested.htm": (24, 6),
        "google_bookmarks_nested.htm": (6, 1),
        "internet_explorer_11_flat.htm": (18, 0),
        "internet_explorer_11_nested.htm": (27, 9),
        "netscape_basic.htm": (2, 0),
        "netscape_extended.htm": (1, 0),
        "netscape_multiline.htm": (3, 0),
        "netscape_nested.htm": (8, 4),
        "safari_folded.htm": (3, 5),
        "scuttle.htm": (4, 0),
        "shaarli.htm": (6, 0),
        "simple_valid_import_file.html": (3, 0),
    }
    folder = conformance / "bookmarks"
    assert {name: counted(read_bookmarks(folder / name)) for name in expected} == expected


def counted(folder: Folder) -> tuple[int, int]:
    inner = [counted(child) for child in folder.folders]
    return (
        len(folder.bookmarks) + sum(bookmarks for bookmarks, _ in inner),
        len(folder.folders) + sum(folders for _, folders in inner),
    )


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>", True),
        ("<dl><dt>  <A HREF='http://a.example/'>A</A></dl>", True),
        ('<?xml version="1.0"?><opml version="2.0"><body/></opml>', True),
        ("# mine\n\nhttp://a.example/ A\nhttps://b.example/\n", True),
        ("# nothing but a heading", False),
        ("<html><body><a href='http://a.example/'>A page like any other</a>", False),
        ("See http://a.example/ for more.\n", False),
        ("%PDF-1.4\x00\x01", False),
    ],
)
def test_bookmarks_are_told_from_documents(tmp_path: Path, text: str, *, holds: bool) -> None:
    file = tmp_path / "file"
    file.write_text(text)
    assert holds_bookmarks(file) is holds
