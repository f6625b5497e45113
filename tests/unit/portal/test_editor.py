"""A setting that is kept in a configuration that a person may have written."""

import tomllib
from pathlib import Path

import pytest

from motherlode.portal.config_writer import fresh_toml
from motherlode.portal.directory import CONFIG, config_of
from motherlode.portal.editor import (
    drop_named_section,
    keep_named_section,
    keep_setting,
    with_named_section,
    with_setting,
    without_named_section,
)
from motherlode.records import BadInputError, ReadOnlyError
from support.training_webs import planted

KEY, ME = "crawler.contact", 'Jo "the bird" <jo@example.org>'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[crawler]\n",
        "[crawler]\nname = 'x'\n[network]\nproxy = 'contact = 1'\n",
        '[crawler]\ncontact = "old@example.org"\nname = "x"\n',
        "[network]\n# contact = 1\n",
        fresh_toml({}),
        fresh_toml({"crawler.name": "owl", "network.proxy": "none"}),
    ],
)
def test_one_setting_changes_and_nothing_else(text: str) -> None:
    changed = with_setting(text, KEY, ME)
    wanted = tomllib.loads(text)
    wanted.setdefault("crawler", {})["contact"] = ME
    assert tomllib.loads(changed) == wanted
    assert len(changed.splitlines()) - len(text.splitlines()) in (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("crawler.contact = 'y' # me\n", "crawler.contact = 'x' # me\n"),
        ("crawler = {name = 'z'}\n", "crawler = {name = 'z',contact = 'x'}\n"),
        ('[crawler]\ncontact = """a\nb"""\n', "[crawler]\ncontact = 'x'\n"),
        (
            "# hm\n[ crawler ]  # we\n\tcontact='y'# me\n",
            "# hm\n[ crawler ]  # we\n\tcontact='x'# me\n",
        ),
        ("[crawler]", "[crawler]\ncontact = 'x'\n"),
        ("crawler.name = 'z'\n[urls]\n", "crawler.contact = 'x'\ncrawler.name = 'z'\n[urls]\n"),
        ("[urls]\r\nmax_url = 60\r\n", "[urls]\r\nmax_url = 60\r\n\n[crawler]\ncontact = 'x'\n"),
    ],
)
def test_comments_and_layout_stay_as_they_were(text: str, changed: str) -> None:
    assert with_setting(text, KEY, "x") == changed.replace("'x'", '"x"')


def test_what_tomlkit_cannot_read_is_left_to_its_author() -> None:
    deep = "a = " + "[" * 150 + "]" * 150 + "\n"
    with pytest.raises(BadInputError, match=r"set crawler\.contact in it by hand"):
        with_setting(deep, KEY, ME)


def test_the_comment_gives_way_to_the_setting() -> None:
    changed = with_setting(fresh_toml({}), KEY, ME).splitlines()
    before = fresh_toml({}).splitlines()
    (at,) = (place for place, line in enumerate(before) if changed[place] != line)
    assert before[at] == '# contact = ""'
    assert changed[at].startswith("contact = ")


def test_it_is_kept(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://a.test/"]})
    keep_setting(portal, KEY, ME)
    assert config_of(portal).crawler.contact == ME
    assert not list(portal.glob("*.new"))


def test_what_cannot_be_read_is_not_changed(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://a.test/"]})
    (portal / CONFIG).write_text("[crawler\n")
    with pytest.raises(BadInputError):
        keep_setting(portal, KEY, ME)
    assert (portal / CONFIG).read_text() == "[crawler\n"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://a.test/"]})
    (portal / "lode.new").mkdir()
    with pytest.raises(ReadOnlyError, match="cannot be written"):
        keep_setting(portal, KEY, ME)


WIKI = {"kind": "mediawiki", "url": 'https://w.test/"api".php', "delay": 2.5}
TEXTS = [
    "",
    "[crawler]\nname = 'x'",
    "# mine\n[sources.other] # that\nkind = 'arxiv'\n\n[urls] # last\n",
    "[sources.other]\nkind = 'arxiv'\n[urls]\n# here\n[sources.third]\nkind = 'brave'\n",
    "sources.other.kind = 'arxiv' # dotted\n",
    fresh_toml({}),
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_named_section_comes_and_goes_and_the_rest_stays(text: str) -> None:
    added = with_named_section(text, "sources", "wiki", WIKI)
    before = tomllib.loads(text)
    assert tomllib.loads(added) == before | {"sources": before.get("sources", {}) | {"wiki": WIKI}}
    assert added.startswith(text)
    removed = without_named_section(added, "sources", "wiki")
    assert tomllib.loads(removed) == before
    assert [line for line in text.splitlines() if line] == [
        line for line in removed.splitlines() if line
    ]


@pytest.mark.parametrize("text", TEXTS[2:4])
def test_another_section_is_taken_out_with_its_own_lines_only(text: str) -> None:
    removed = without_named_section(text, "sources", "other")
    assert "other" not in removed
    assert set(text.splitlines()) - set(removed.splitlines()) <= {
        "# mine",
        "[sources.other] # that",
        "[sources.other]",
        "kind = 'arxiv'",
        "",
    }


def test_a_section_in_braces_is_left_to_its_author() -> None:
    with pytest.raises(BadInputError, match=r"add \[sources\.wiki\] to it by hand"):
        with_named_section("sources = {a = {kind = 'arxiv'}}\n", "sources", "wiki", WIKI)


def test_a_named_section_is_kept_and_dropped(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://a.test/"]})
    keep_named_section(portal, "sources", "wiki", {"kind": "mediawiki"})
    assert list(config_of(portal).sources) == ["wiki"]
    drop_named_section(portal, "sources", "wiki")
    assert config_of(portal).sources == {}
