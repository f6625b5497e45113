"""A setting that is kept in a configuration that a person may have written."""

import tomllib
from pathlib import Path

import pytest

from motherlode.portal.changing import keep_setting, with_setting
from motherlode.portal.directory import CONFIG, config_of
from motherlode.portal.writing import fresh_toml
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
    assert len(changed.splitlines()) - len(text.splitlines()) in (0, 1, 3)


@pytest.mark.parametrize(
    "text", ["crawler.contact = 'y'\n", "crawler = {name = 'x'}\n", '[crawler]\ncontact = """a\nb"""\n']
)
def test_what_is_written_in_a_way_of_its_own_is_left_to_its_writer(text: str) -> None:
    with pytest.raises(BadInputError, match=r"set crawler\.contact in it by hand"):
        with_setting(text, KEY, ME)


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
