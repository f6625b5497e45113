"""The static site, made of hand-made content whatever that holds."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from motherlode.export.site import FILES, MARKER, WEBSITES_PAGE, WEBSITES_PICTURE, lookup
from motherlode.export.site.names import site_file, topic_file
from motherlode.export.site.records import Bunch, Content, Detail, Head, Imprint, Outing, Shown
from motherlode.export.site.rows import TITLE, row_of
from motherlode.export.site.writer import write_site
from motherlode.export.text_cleaner import plain
from motherlode.learning.precision import PrecisionEstimate
from motherlode.training.topic_profile import HubOrAuthority, PageCard
from support.static_sites import Seen, check_links, pages_in

EVIL = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]></title><!-- --> &amp; {{ 7*7 }} {% raw %}",
    "\x00\x01\x1b[31m\x7f\x85\x9b2J\ufffe\uffff",
    "\u202egnp.exe\u2066\u200f\u061c",
    "\ud800 lone \udfff",
    "con",
    "x" * 2**20,
)
STEERING = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
IMPRINT = Imprint(
    title="Birds",
    software="Motherlode",
    as_of=1_700_000_000.0,
    fetched=100,
    size=5_000_000,
    links=400,
    hosts=7,
    relevance=0.5,
    types={"text/html": 99, "": 1},
    languages={"en": 100},
    outings=(Outing(1.6e9, 1.7e9, "Bingo", 90), Outing(1.7e9, None, "Bingo", 10)),
)
OWLS, HERONS, NIGHT = 3, 4, 5
HEADS = (
    Head(2, ("Birds",)),
    Head(OWLS, ("Birds", "Owls"), PrecisionEstimate(0.75, 7)),
    Head(NIGHT, ("Birds", "Owls", "At night")),
    Head(HERONS, ("Birds", "Herons")),
)


def card(topic: int, number: int, title: str = "", **parts: object) -> PageCard:
    said: dict[str, object] = {
        "url": f"http://h{number % 3}.test/{topic}/{number}",
        "title": title or f"Page {number} of {topic}",
        "text": "Menu\nA sentence that is long enough to say what this page is about, at last.\nMore.",
        "language": "en",
        "fetched_at": 1_700_000_000.0,
        "margin": 0.9 - number / 1_000,
        "probability": 0.95 - number / 1_000,
        "topic": topic,
    }
    return PageCard(**(said | parts))  # type: ignore[arg-type]


def content(
    cards: dict[int, list[PageCard]], heads: tuple[Head, ...] = HEADS, **parts: Any
) -> Content:
    def detail(head: Head) -> Detail:
        return Detail(**({"best": tuple(cards.get(head.topic, ())[:5])} | parts))

    return Content(IMPRINT, heads, lambda head: iter(cards.get(head.topic, ())), detail)


def made(folder: Path, what: Content) -> Path:
    folder.mkdir()
    write_site(what, folder)
    return folder


@pytest.fixture
def birds() -> Content:
    cards = {
        OWLS: [card(OWLS, number) for number in range(120)],
        NIGHT: [
            card(NIGHT, 1, "Tawny owls at night", headings="Calls\nPellets"),
            card(NIGHT, 2, "Owl café", url="https://[::1]/x"),
        ],
        HERONS: [card(HERONS, 1, " ", url="http://xn--bcher-kva.test/heron", text="")],
    }
    return content(
        cards,
        authorities=(
            HubOrAuthority("http://h1.test/", "Best", 0.5, margin=0.25, probability=0.724),
            HubOrAuthority("http://far.test/", "", 0.25, margin=None, probability=None),
        ),
        hubs=(HubOrAuthority("http://h2.test/", "Index", 0.5, margin=None, probability=None),),
        clusters=(Bunch("owl, tree", ("owl", "tree"), 7, (("http://h1.test/", "Tree"),)),),
        clustered=9,
        examples=(
            Shown("http://h1.test/", "", "chosen by hand"),
            Shown(None, "owls of the night", "a query"),
        ),
        terms=("owl", "prey"),
    )


def parts_of(folder: Path, kind: str) -> list[Any]:
    """The data of the index, as the scripts hand it over."""
    found = {}
    for path in (folder / "search").glob(f"{kind}*.js"):
        told = re.fullmatch(r'lode\.part\("(\w+)",(\d+),(.*)\);\n', path.read_text("ascii"))
        assert told is not None
        assert told[1] == kind
        found[int(told[2])] = json.loads(told[3])
    return [found[at] for at in range(len(found))]


def looked_up(folder: Path, word: str) -> dict[str, int]:
    """The titles of the pages that have a word, and what it counts there."""
    pages = [page for part in parts_of(folder, "pages") for page in part]
    packed = {word: told for part in parts_of(folder, "words") for word, told in part}.get(word, "")
    found, at = {}, 0
    for one in packed.split():
        at += int(one[:-1], 16)
        found[pages[at][0]] = int(one[-1])
    return found


def test_every_page_is_come_to_and_every_link_leads_somewhere(
    birds: Content, tmp_path: Path
) -> None:
    site = made(tmp_path / "site", birds)
    assert check_links(site) == pages_in(site).keys()
    assert {path.name for path in site.iterdir()} == set(FILES) - {WEBSITES_PAGE, WEBSITES_PICTURE}
    listed = [
        page
        for name, page in pages_in(site).items()
        if "__p" in name and name.startswith("topics/")
    ]
    urls = [url for page in listed for url in page.outgoing()]
    assert sorted(urls) == sorted(card.url for head in HEADS for card in birds.cards(head))


def test_pages_are_well_made(birds: Content, tmp_path: Path) -> None:
    for name, page in pages_in(made(tmp_path / "site", birds)).items():
        check_page(name, page)
        assert page.headings[0] == 1
        assert page.headings.count(1) == 1
        steps = zip(page.headings, page.headings[1:], strict=False)
        assert all(after - before <= 1 for before, after in steps), (name, page.headings)
        assert len(page.ids) == len(set(page.ids))
        assert page.all("html") == [{"lang": "en"}]
        named = [one["for"] for one in page.all("label")]
        assert all(one["id"] in named for one in page.all("input") + page.all("select"))


def check_page(name: str, page: Seen) -> None:
    """Nothing runs but our own script, and nothing is loaded from elsewhere."""
    policy = [
        one["content"]
        for one in page.all("meta")
        if one.get("http-equiv") == "Content-Security-Policy"
    ]
    assert len(policy) == 1
    assert policy[0].startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy[0]
    scripts = [{"src": "assets/search.js", "defer": ""}] if name == "search.html" else []
    assert page.all("script") == scripts
    assert not page.all("style") + page.all("img") + page.all("iframe") + page.all("base")
    for tag, told in page.tags:
        assert not any(key.startswith("on") or key == "style" for key in told), (tag, told)
        href = told.get("href", "")
        if ":" in href:
            assert tag == "a"
            assert href.startswith(("http://", "https://"))
            assert told["rel"] == "nofollow noopener noreferrer"
    assert not STEERING.search(page.text)


def test_a_topic_says_what_is_known_of_it(birds: Content, tmp_path: Path) -> None:
    page = pages_in(made(tmp_path / "site", birds))["topics/birds_owls.html"]
    said = " ".join(page.text.split())
    assert (
        "122 pages from 4 sites, 120 of them on no topic below; "
        "precision about 0.8 (0.5 to 1.0), from 7 examples." in said
    )
    assert "owl, prey" in said
    assert "At night 2 pages" in said
    assert "http://far.test/ 0.250 \N{EN DASH}" in said
    assert "owl, tree 7 pages" in said
    assert "owls of the night a query" in said
    assert "A sentence that is long enough to say" in said


def test_the_home_page_and_the_figures(birds: Content, tmp_path: Path) -> None:
    pages = pages_in(made(tmp_path / "site", birds))
    home = " ".join(pages["index.html"].text.split())
    assert (
        "123 pages on 4 topics, from 5 sites, as of 2023-11-14; found by 2 crawls through 100 pages."
        in home
    )
    assert (
        "Birds 123 pages Owls 122 pages · precision about 0.8 (0.5 to 1.0), from 7 examples "
        "At night 2 pages Herons 1 page" in home
    )
    about = " ".join(pages["about.html"].text.split())
    assert "Pages on this site 123 Pages fetched 100 Bytes fetched 5.0 MB" in about
    assert "2023-11-14 \N{EN DASH} Bingo 10" in about


def test_a_site_has_all_its_pages(birds: Content, tmp_path: Path) -> None:
    pages = pages_in(made(tmp_path / "site", birds))
    assert "bücher.test" in pages["sites/xn--bcher-kva_test.html"].text
    assert len(pages["sites/h0_test.html"].outgoing()) == 40
    assert "h0.test 40" in " ".join(pages["sites/index.html"].text.split())


def test_long_lists_go_on_and_come_back(birds: Content, tmp_path: Path) -> None:
    pages = pages_in(made(tmp_path / "site", birds))
    names = [f"topics/birds_owls__p{number}.html" for number in (1, 2, 3)]
    assert [len(pages[name].outgoing()) for name in names] == [50, 50, 20]
    assert "Page 2 of 3" in pages[names[1]].text
    turns = [
        [one["href"] for one in pages[name].all("a") if one.get("rel") in ("prev", "next")]
        for name in names
    ]
    short = [name.rpartition("/")[2] for name in names]
    assert turns == [[short[1]], [short[0], short[2]], [short[1]]]
    assert pages[names[2]].all("ol")[-1]["start"] == "101"


def test_many_sites_are_divided_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motherlode.export.site.writer._HOSTS", 2)
    cards = {OWLS: [card(OWLS, number, url=f"http://h{number}.test/") for number in range(5)]}
    site = made(tmp_path / "site", content(cards))
    assert check_links(site) == pages_in(site).keys()
    assert (site / "sites" / "index-3.html").exists()


def test_a_portal_without_pages_is_a_site_as_well(tmp_path: Path) -> None:
    site = made(tmp_path / "site", content({}))
    assert check_links(site) == pages_in(site).keys()
    assert "No page is on this topic yet." in pages_in(site)["topics/birds.html"].text
    assert parts_of(site, "words") == parts_of(site, "pages") == []
    empty = made(tmp_path / "empty", content({}, heads=()))
    assert "There is no topic yet." in pages_in(empty)["index.html"].text


def test_the_same_content_makes_the_same_bytes(birds: Content, tmp_path: Path) -> None:
    one, two = (made(tmp_path / name, birds) for name in ("one", "two"))
    files = [path.relative_to(one) for path in sorted(one.rglob("*")) if path.is_file()]
    assert files == [path.relative_to(two) for path in sorted(two.rglob("*")) if path.is_file()]
    assert all((one / file).read_bytes() == (two / file).read_bytes() for file in files)


def test_whatever_is_said_is_harmless(tmp_path: Path) -> None:
    heads = tuple(Head(at, (f"{evil[:100]}",)) for at, evil in enumerate(EVIL, 2))
    cards = {
        head.topic: [
            card(
                head.topic,
                at,
                evil,
                text=f"{evil}\n{evil * 2}",
                language=evil[:3],
                url=f"http://h/{evil[:50]}",
            )
            for at, evil in enumerate(EVIL)
        ]
        for head in heads
    }
    told = {
        "authorities": tuple(
            HubOrAuthority(evil, evil, 1.0, margin=None, probability=None) for evil in EVIL
        ),
        "clusters": tuple(
            Bunch(evil, (evil,), 1, (("javascript:alert(1)", evil),)) for evil in EVIL
        ),
        "examples": (Shown("data:text/html,x", EVIL[0], EVIL[1]), Shown(None, EVIL[-1], "")),
        "terms": EVIL[:5],
    }
    site = made(tmp_path / "site", content(cards, heads, **told))
    assert check_links(site) == pages_in(site).keys()
    for name, page in pages_in(site).items():
        check_page(name, page)
    for part in (site / "search").iterdir():
        assert part.read_bytes().isascii()
    titles = {page[0] for part in parts_of(site, "pages") for page in part}
    assert all(len(title) <= TITLE and not STEERING.search(title) for title in titles)
    assert max(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 200_000


names = st.text(min_size=1, max_size=130)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(names, min_size=1, max_size=4).map(tuple), min_size=2, unique=True))
@example(
    [
        ("a b",),
        ("a", "b"),
        ("a-b",),
        ("a_b",),
        ("A.b",),
        ("\u00e4 b",),
        ("a b ",),
        ("con",),
        ("x" * 130,),
    ]
)
@example([("\u9ce5",), ("\u9c57",), ("!",), ("c",), ("c++",), ("c#",)])
def test_files_of_topics_are_told_apart_by_every_file_system(paths: list[tuple[str, ...]]) -> None:
    different = {
        "/".join(path).casefold(): path for path in paths if not any("/" in name for name in path)
    }
    files = [topic_file(path) for path in different.values()]
    assert len(set(files)) == len(files)
    for file in files:
        assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,99}", file)
        assert file not in ("con", "prn", "aux", "nul", "com1", "lpt9")


def test_files_of_sites_are_told_apart() -> None:
    hosts = [
        "a.b",
        "a-b",
        "a_b",
        "a.b.",
        "con",
        "[::1]",
        "[::1:0]",
        "index",
        "index-2",
        "x." * 100,
        "127.0.0.1",
        "",
    ]
    files = [site_file(host) for host in hosts]
    assert len({*files, "index", "index-2"}) == len(files) + 2
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,99}", file) for file in files)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Owl\nMenu\n" + "word " * 40, ("word " * 40).strip()),
        ("Owl\nshort", "short"),
        ("menu | " * 20 + "\n" + "word " * 20 + "ends.", "word " * 20 + "ends."),
        ("", ""),
        ("word " * 100, ("word " * 48).strip() + " …"),
        ("one\x00two\u202e" + " x" * 40, "one\ufffdtwo\ufffd" + " x" * 40),
    ],
)
def test_a_page_is_shown_by_its_first_sentence(text: str, said: str) -> None:
    row = row_of(card(OWLS, 1, "Owl", text=text), 0)
    assert row.excerpt == said


def test_words_are_found_where_they_stand(birds: Content, tmp_path: Path) -> None:
    site = made(tmp_path / "site", birds)
    found = looked_up(site, "night")
    assert found.keys() == {"Tawny owls at night", "Owl café"}
    assert (
        found["Tawny owls at night"] > found["Owl café"]
    )  # in its title, too; the other is on the topic
    assert looked_up(site, "cafe").keys() == {"Owl café"}
    assert looked_up(site, "pellets").keys() == {"Tawny owls at night"}  # a heading
    assert len(looked_up(site, "sentence")) == 122
    assert looked_up(site, "that") == looked_up(site, "unheard") == {}
    (about,) = parts_of(site, "about")
    assert about["pages"] == 123
    assert [tuple(one) for one in about["topics"]] == [
        ("Birds", "birds", 0, 123),
        ("Birds/Owls", "birds_owls", 0, 122),
        ("Birds/Owls/At night", "birds_owls_at-night", 120, 122),
        ("Birds/Herons", "birds_herons", 122, 123),
    ]


def test_the_index_is_divided_in_the_order_of_words(
    birds: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookup, "_PART", 50)
    site = made(tmp_path / "site", birds)
    parts = parts_of(site, "words")
    words = [word for part in parts for word, _ in part]
    assert len(parts) > 5
    assert words == sorted(set(words))
    assert parts_of(site, "about")[0]["firsts"] == [part[0][0] for part in parts]


@settings(max_examples=60, deadline=None)
@given(st.text())
@example("STRASSE straße İstanbul ΟΔΟΣ ﬁne")
def test_words_are_folded_once_and_for_all(text: str) -> None:
    words = lookup.words_of(text)
    assert all(word and len(word) <= 40 for word in words)
    assert all("\t" not in word and "\n" not in word for word in words)
    assert lookup.words_of(plain(text).lower()) == lookup.words_of(plain(text))


# The script itself, where there is something to run it.

_ASK = """
const fs = require("fs"), [site, asked] = [process.argv[2], JSON.parse(process.argv[3])];
globalThis.lode = require(site + "/assets/search.js");
const load = async (kind, number) => {
  const name = kind === "about" ? "about" : `${kind}-${number}`;
  require(`${site}/search/${name}.js`);
  return lode.parts.get(`${kind}-${number}`);
};
(async () => {
  const about = await load("about", 0), told = [];
  for (const [query, topic] of asked) {
    const found = await lode.answer(query, topic, about, load);
    const titles = [];
    for (const page of found.pages) {
      titles.push((await load("pages", Math.floor(page / about.part)))[page % about.part][0]);
    }
    told.push([found.words, found.whole, titles]);
  }
  console.log(JSON.stringify(told));
})();
"""


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no node to run the search script with")
    return found


def ask(
    node: str, site: Path, *asked: tuple[str, int | None]
) -> list[tuple[list[str], bool, list[str]]]:
    words = [node, "-e", _ASK, "-", str(site), json.dumps(asked)]
    run = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    return [(one, whole, titles) for one, whole, titles in json.loads(run.stdout)]


@pytest.mark.system
@pytest.mark.parametrize("size", [50, 60_000])
def test_the_script_finds_what_is_there(
    node: str, birds: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(lookup, "_PART", size)
    site = made(tmp_path / "site", birds)
    tawny, cafe = "Tawny owls at night", "Owl café"
    told = ask(
        node,
        site,
        ("the TAWNY", None),  # without the word that all have
        ("Café", None),
        ("sentenc", None),  # a beginning
        ("tawnys", None),  # a letter more
        ("night sentence", None),
        ("tawny unheard", None),
        ("unheard", None),
        ("sentence", 2),
        ("page constructor __proto__", 3),
        ("", None),
    )
    titles = [found for _, _, found in told]
    assert told[0][0] == ["tawny"]
    assert titles[0] == [tawny]
    assert titles[1] == [cafe]
    assert len(titles[2]) == 122
    assert titles[3] == [tawny]
    assert titles[4] == [tawny, cafe]
    assert (told[5][1], titles[5]) == (False, [tawny])
    assert titles[6] == []
    assert sorted(titles[7]) == sorted([tawny, cafe])
    assert titles[8] == titles[9] == []


@pytest.mark.system
def test_the_script_takes_words_apart_as_the_index_does(node: str, tmp_path: Path) -> None:
    texts = [
        "The Café, 2nd: 東京都へ行く a",
        "STRASSE straße İstanbul ΟΔΟΣ ﬁne x_y don't",
        "हिन्दी में काम 한국어 ภาษาไทย",
        "a" * 60 + " \U00020000\U00020001 \U0001f989 e\u0301te\u0301 ½ ²",
        "\u202ex\x00y",
    ]
    site = made(tmp_path / "site", content({}))
    run = [
        node,
        "-e",
        "console.log(JSON.stringify(JSON.parse(process.argv[2]).map(require(process.argv[1]).words)))",
    ]
    found = subprocess.run(
        [*run, str(site / "assets/search.js"), json.dumps(texts)],
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert json.loads(found.stdout) == [lookup.words_of(text) for text in texts]


def test_a_site_is_marked_as_ours(birds: Content, tmp_path: Path) -> None:
    assert "lode export" in (made(tmp_path / "site", birds) / MARKER).read_text()
