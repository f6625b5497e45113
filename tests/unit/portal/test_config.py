"""The configuration: typed, commented, and strict about what it is told."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.portal import Config
from motherlode.portal.config_reader import parse_override, read_config
from motherlode.portal.config_writer import fresh_toml, full_toml, toml_value
from motherlode.portal.lines import line_of
from motherlode.portal.settings import (
    all_settings,
    named_sections,
    named_settings,
    purpose_of,
    sections,
    values,
)
from motherlode.records import BadInputError, UsageError
from motherlode.sources.search.options import SourceOptions


def config(tmp_path: Path, text: str, *overrides: str) -> Config:
    path = tmp_path / "lode.toml"
    path.write_text(text)
    return read_config(path, overrides)


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    assert config(tmp_path, "") == Config()


def test_settings_are_read_and_overridden(tmp_path: Path) -> None:
    text = '[urls]\nmax_url = 500\ntracking_parameters = ["a"]\n[crawler]\ncontact = "me@example.org"\n'
    read = config(tmp_path, text, "urls.max_url=600", "crawler.name=mine", "urls.sort_query=true")
    assert (read.urls.max_url, read.urls.sort_query, read.urls.tracking_parameters) == (
        600,
        True,
        ("a",),
    )
    assert (read.crawler.name, read.crawler.contact) == ("mine", "me@example.org")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[urls]\n\nmax_ulr = 3\n",
            "line 3: there is no setting 'urls.max_ulr'; did you mean 'urls.max_url'?",
        ),
        ("\n[ulrs]\nx = 1\n", "line 2: there is no section 'ulrs'; did you mean 'urls'?"),
        ('[urls]\nmax_url = "x"\n', "line 2: urls.max_url: expected int, got str."),
        ("[urls]\nmax_url = 5\n", "line 2: urls.max_url: expected int >= 50."),
        (
            "[store]\nurl = ''\nsync = 'never'\n",
            "line 3: store.sync: 'never' is not one of full, normal.",
        ),
        ("[urls]\nsort_query = 1\n", "line 2: urls.sort_query: expected bool, got int."),
        ("urls = 3\n", "line 1: 'urls' is a section; write [urls]."),
        ("[urls\n", "line 1: expected ']' at the end of a table declaration."),
        (
            "[urls]\ntracking_parameters = [\n  'a',\n  3,\n]\n",
            "line 2: urls.tracking_parameters: expected str, got int.",
        ),
        ("[[urls]]\nmax_url = 100\n", "line 1: 'urls' is a section"),
        (
            '[sources.wiki]\nkind = "mediawiki"\nulr = "x"\n',
            "line 3: there is no setting 'sources.wiki.ulr'; did you mean 'sources.wiki.url'?",
        ),
        (
            '[urls]\n[sources.wiki]\nkind = "mediawkii"\n',
            "line 3: sources.wiki.kind: 'mediawkii' is not one of arxiv, brave,",
        ),
        (
            '[sources.w]\nurl = "ftp://a.test/"\n',
            "line 2: sources.w.url: it must be of another form",
        ),
        (
            '[sources."a b"]\nkind = "arxiv"\n',
            "line 1: 'a b' cannot be the name of a section in sources",
        ),
        ("[sources]\nwiki = 3\n", "line 2: 'sources.wiki' is a section; write [sources.wiki]."),
        ("sources = 3\n", "line 1: 'sources' is a section; write [sources]."),
        ("[[sources]]\n", "line 1: 'sources' is a section"),
        ("[source.wiki]\n", "line 1: there is no section 'source'; did you mean 'sources'?"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_nearest_key(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(BadInputError) as refused:
        config(tmp_path, text)
    assert str(refused.value).startswith(str(tmp_path / "lode.toml"))
    assert says in str(refused.value)


def test_a_file_that_is_not_text_or_far_too_long(tmp_path: Path) -> None:
    path = tmp_path / "lode.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match="not UTF-8"):
        read_config(path)
    path.write_bytes(b"#" * 100_000)
    with pytest.raises(BadInputError, match="larger than 64 KB"):
        read_config(path)


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("urls.max_url", "key.path=value"),
        ("urls.maxurl=3", "did you mean 'urls.max_url'"),
        ("max_url=3", "there is no setting"),
        ("urls.max_url=many", "expected int, got str"),
        (
            "sources.wiki=mediawiki",
            "there is no setting 'sources.wiki'; did you mean 'sources.wiki.",
        ),
        ("sources.wiki.knid=mediawiki", "did you mean 'sources.wiki.kind'"),
        ("sources.a b.kind=mediawiki", "there is no setting"),
        ("sources.wiki.kind=wiki", "'wiki' is not one of arxiv, brave"),
        ("sources.wiki.key_variable=a-b", "must be of another form"),
        ("urls.max_url=1", "expected int >= 50"),
        (
            "network.connect=here",
            "of another form. What it is for: Connect to this HOST:PORT, in plain HTTP",
        ),
        ("learning.rule=loudest", "'loudest' is not one of unanimous, majority, weighted, best"),
        (
            "learning.spaces=['terms', 'smells']",
            "'smells' is not one of anchors, neighbours, pairs, terms, urls",
        ),
    ],
)
def test_a_wrong_override_is_wrong_usage(override: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_override(override)


def test_an_override_may_leave_out_quotes() -> None:
    assert parse_override("crawler.contact=42") == ("crawler.contact", "42")
    assert parse_override("crawler.contact='x y'") == ("crawler.contact", "x y")
    assert parse_override("urls.tracking_parameters=['a', 'b']") == (
        "urls.tracking_parameters",
        ("a", "b"),
    )


SOURCES = """# mine
[sources.wiki]  # the wiki
kind = "mediawiki"
url = "https://wiki.test/api.php"

[sources.mine]
kind = "file"
file = "/tmp/urls.csv"
"""


def test_sources_have_sections_of_their_own(tmp_path: Path) -> None:
    read = config(tmp_path, SOURCES, "sources.wiki.delay=2", "sources.brave.kind=brave")
    assert list(read.sources) == ["wiki", "mine", "brave"]
    assert read.sources["wiki"] == SourceOptions(
        kind="mediawiki", url="https://wiki.test/api.php", delay=2.0
    )
    assert read.sources["brave"] == SourceOptions(kind="brave")
    assert values(read)["sources.mine.file"] == "/tmp/urls.csv"


def test_named_sections_are_shown_in_full_and_read_back(tmp_path: Path) -> None:
    read = config(tmp_path, SOURCES)
    text = full_toml(read)
    assert config(tmp_path, text) == read
    assert "[sources.wiki]\n# The kind of" in text
    assert '# default: kind = "opensearch"\nkind = "mediawiki"' in text


def test_a_fresh_file_has_the_sources_that_were_chosen(tmp_path: Path) -> None:
    chosen = dict(
        parse_override(f"sources.{one}") for one in ("a.kind=arxiv", "b.kind=brave", "a.delay=9")
    )
    read = config(tmp_path, fresh_toml(chosen))
    assert read.sources == {
        "a": SourceOptions(kind="arxiv", delay=9.0),
        "b": SourceOptions(kind="brave"),
    }


def test_every_setting_is_described() -> None:
    assert all(setting.description.endswith(".") for setting in all_settings().values())
    assert all(sections().values())
    for section in named_sections():
        assert purpose_of(section)
        assert all(one.description.endswith(".") for one in named_settings(section).values())


def test_a_fresh_file_shows_every_setting_and_sets_what_was_chosen(tmp_path: Path) -> None:
    text = fresh_toml({"urls.max_url": 700, "crawler.contact": 'say "hi" \\ ü'})
    read = config(tmp_path, text)
    assert (read.urls.max_url, read.crawler.contact) == (700, 'say "hi" \\ ü')
    assert all(f"{setting.name} = " in text for setting in all_settings().values())
    assert values(read) == values(Config()) | {
        "urls.max_url": 700,
        "crawler.contact": 'say "hi" \\ ü',
    }


def test_the_commented_defaults_are_the_defaults(tmp_path: Path) -> None:
    lines = [
        line
        for line in fresh_toml({}).splitlines()
        if not line.startswith("# ") or " = " in line or "]" in line or '"' in line
    ]
    live = "\n".join(line.removeprefix("# ") for line in lines if not line.endswith("change it."))
    assert config(tmp_path, live) == Config()


def test_the_full_file_is_the_whole_configuration(tmp_path: Path) -> None:
    read = config(tmp_path, "[urls]\nmax_url = 700\n")
    text = full_toml(read)
    assert config(tmp_path, text) == read
    assert "# default: max_url = 1000\nmax_url = 700" in text


@given(
    st.one_of(
        st.text(),
        st.booleans(),
        st.integers(-(2**60), 2**60),
        st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_values_survive_the_way_into_toml_and_back(value: object) -> None:
    assert tomllib.loads(f"v = {toml_value(value)}") == {"v": value}


@given(st.lists(st.text(max_size=30), max_size=30))
def test_lists_survive_the_way_into_the_file_and_back(names: list[str]) -> None:
    text = fresh_toml({"urls.tracking_parameters": tuple(names)})
    assert tomllib.loads(text)["urls"]["tracking_parameters"] == names


LINES = '''# a comment
[a]
one = """
[b]
two = 2
"""
list = [
  1, # ]
  2,
]

[b]
two = 3
"three four" = { five = 5 }
[c.d]
six.seven = 7
[e.f]
flag = true
[g]
[e.h]
i = 1
[[j]]
'''


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        (("a",), 2),
        (("a", "one"), 3),
        (("a", "list"), 7),
        (("b",), 12),
        (("b", "two"), 13),
        (("b", "three four", "five"), 14),
        (("c",), 15),
        (("c", "d"), 15),
        (("c", "d", "six"), 16),
        (("c", "d", "six", "seven"), 16),
        (("e",), 17),
        (("e", "f", "flag"), 18),
        (("g",), 19),
        (("e", "h", "i"), 21),
        (("j",), 22),
        (("nowhere",), 1),
        (("a", "nowhere"), 1),
        (("a", "one", "nowhere"), 1),
    ],
)
def test_the_line_of_a_key(steps: tuple[str, ...], line: int) -> None:
    assert line_of(LINES, steps) == line


def test_a_text_that_tomlkit_cannot_read_has_its_keys_on_line_1() -> None:
    assert line_of("\na = " + "[" * 150 + "]" * 150 + "\n", ("a",)) == 1


def test_the_line_after_a_list_of_ten_thousand_is_found_at_once() -> None:
    text = "[a]\nlist = [\n" + "  'x.example',\n" * 10_000 + "]\nnext = 1\n"
    assert line_of(text, ("a", "next")) == 10_004
