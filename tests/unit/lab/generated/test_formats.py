"""Documents of the generated web: read back by others, and the same bytes at any time in any process."""

import base64
import gzip
import os
import re
import subprocess
import sys
import tarfile
import zlib
from io import BytesIO
from zipfile import ZIP_STORED, ZipFile

import pytest

from motherlode.lab.generated.formats import KINDS, Manuscript, make
from motherlode.records import LodeError

docx = pytest.importorskip("docx")
pptx = pytest.importorskip("pptx")
odfdo = pytest.importorskip("odfdo")
pytest.importorskip("reportlab")

LINKS = (
    ("http://owls.example/barn?size=3&colour=white", "Barn owls"),
    ("http://owls.example/snowy#nests", "Snowy owls & their nests"),
    ("http://mice.example/(field)", "Field mice"),
)
OWLS = Manuscript(
    "Owls & <others>",
    ("Owls hunt by night.", "Füchse jagen auch.", "Сова летает тихо.", "フクロウは静かです。"),
    LINKS,
)
PACKAGES = ("docx", "pptx", "odt", "zip")


def pdf_text(content: bytes) -> str:
    """What the content streams draw, line by line."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)
    drawn = b"\n".join(
        zlib.decompress(base64.a85decode(b"<~" + stream.strip(), adobe=True)) for stream in streams
    )
    lines = re.findall(rb"\(((?:\\.|[^\\)])*)\) Tj", drawn)
    plain = (re.sub(rb"\\(\d{3})", lambda octal: bytes([int(octal[1], 8)]), line) for line in lines)
    return b"\n".join(re.sub(rb"\\(.)", rb"\1", line) for line in plain).decode("windows-1252")


def docx_links(content: bytes) -> list[tuple[str, str]]:
    paragraphs = docx.Document(BytesIO(content)).paragraphs
    return [(link.url, link.text) for paragraph in paragraphs for link in paragraph.hyperlinks]


def test_a_pdf_shows_the_text_and_a_question_mark_for_what_it_cannot() -> None:
    content = make("pdf", OWLS)
    assert content.startswith(b"%PDF-")
    lines = pdf_text(content).splitlines()
    assert lines[:3] == ["Owls & <others>", "Owls hunt by night.", "Füchse jagen auch."]
    assert lines[3] == "???? ?????? ????."
    assert lines[-1] == "Field mice"


def test_a_pdf_has_its_links_as_annotations() -> None:
    content = make("pdf", OWLS)
    uris = re.findall(rb"/URI \(((?:\\.|[^\\)])*)\)", content)
    assert [re.sub(rb"\\(.)", rb"\1", uri).decode() for uri in uris] == [url for url, _ in LINKS]


def test_a_pdf_keeps_to_ascii_in_its_uris() -> None:
    content = make("pdf", Manuscript("One", (), (("http://owls.example/käuze", "Käuze"),)))
    assert b"http://owls.example/k%C3%A4uze" in content


def test_a_long_pdf_is_wrapped_over_several_pages() -> None:
    words = [f"word{number}" for number in range(2000)]
    content = make("pdf", Manuscript("Long", (" ".join(words[:1000]), " ".join(words[1000:]))))
    assert content.count(b"/Type /Page\n") > 2
    assert pdf_text(content).split() == ["Long", *words]


def test_a_docx_has_title_paragraphs_and_hyperlinks() -> None:
    content = make("docx", OWLS)
    document = docx.Document(BytesIO(content))
    assert document.core_properties.title == OWLS.title
    assert [paragraph.text for paragraph in document.paragraphs[:5]] == [
        OWLS.title,
        *OWLS.paragraphs,
    ]
    assert docx_links(content) == list(LINKS)


def test_a_pptx_has_title_paragraphs_and_hyperlinks() -> None:
    slides = pptx.Presentation(BytesIO(make("pptx", OWLS)))
    assert slides.core_properties.title == OWLS.title
    cover, *others = slides.slides
    assert cover.shapes.title.text == OWLS.title
    frames = [slide.placeholders[1].text_frame for slide in others]
    runs = [run for frame in frames for paragraph in frame.paragraphs for run in paragraph.runs]
    assert [run.text for run in runs] == [*OWLS.paragraphs, *(anchor for _, anchor in LINKS)]
    assert [run.hyperlink.address for run in runs if run.hyperlink.address] == [
        url for url, _ in LINKS
    ]


def test_an_odt_has_title_paragraphs_and_hyperlinks() -> None:
    document = odfdo.Document(BytesIO(make("odt", OWLS)))
    assert document.meta.title == OWLS.title
    assert document.body.headers[0].inner_text == OWLS.title
    assert [paragraph.inner_text for paragraph in document.body.paragraphs[:4]] == list(
        OWLS.paragraphs
    )
    links = document.body.get_links()
    assert [(link.url, link.inner_text) for link in links] == list(LINKS)


def test_an_odt_begins_with_its_media_type_uncompressed() -> None:
    with ZipFile(BytesIO(make("odt", OWLS))) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", ZIP_STORED)
        assert archive.read(first).decode() == KINDS["odt"]


def test_a_text_has_title_paragraphs_and_the_urls() -> None:
    text = make("txt", OWLS).decode()
    assert text.split("\n\n")[:5] == [OWLS.title, *OWLS.paragraphs]
    assert all(url in text for url, _ in LINKS)


def test_a_zip_holds_three_files_that_share_the_text_and_the_links() -> None:
    with ZipFile(BytesIO(make("zip", OWLS))) as archive:
        assert archive.namelist() == ["readme.txt", "page.html", "paper.docx"]
        readme, page, paper = (archive.read(name) for name in archive.namelist())
    assert OWLS.paragraphs[0] in readme.decode()
    assert f"<p>{OWLS.paragraphs[1]}</p>" in page.decode()
    assert (
        '<a href="http://owls.example/barn?size=3&amp;colour=white">Barn owls</a>' in page.decode()
    )
    assert [paragraph.text for paragraph in docx.Document(BytesIO(paper)).paragraphs[1:3]] == [
        *OWLS.paragraphs[2:]
    ]
    assert docx_links(paper) == [LINKS[1]]


def test_a_gz_is_a_page_without_name_and_time() -> None:
    content = make("gz", OWLS)
    assert content[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    page = gzip.decompress(content).decode()
    assert "<title>Owls &amp; &lt;others&gt;</title>" in page
    assert all(text in page for text in OWLS.paragraphs)


def test_a_tgz_holds_two_texts() -> None:
    with tarfile.open(fileobj=BytesIO(make("tgz", OWLS))) as archive:
        texts = [
            file.read().decode() for member in archive if (file := archive.extractfile(member))
        ]
        assert archive.getnames() == ["one.txt", "two.txt"]
    assert OWLS.paragraphs[1] in texts[0]
    assert OWLS.paragraphs[2] in texts[1]
    assert LINKS[0][0] in texts[1]


@pytest.mark.parametrize("kind", PACKAGES)
def test_archives_are_sound_and_their_members_undated(kind: str) -> None:
    with ZipFile(BytesIO(make(kind, OWLS))) as archive:
        assert archive.testzip() is None
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.external_attr for info in archive.infolist()} == {0o644 << 16}


@pytest.mark.parametrize("kind", KINDS)
def test_odd_characters_break_nothing(kind: str) -> None:
    odd = "a\x00b\x0bc\x1bd\ud800e\ufffef\x85g\nh\ti 😀 _x0041_"
    content = make(
        kind, Manuscript(odd, (odd, "", " "), ((f"http://odd.example/{odd}", odd), ("", "")))
    )
    assert content == make(
        kind, Manuscript(odd, (odd, "", " "), ((f"http://odd.example/{odd}", odd), ("", "")))
    )


def test_control_characters_are_left_out_and_breaks_become_spaces() -> None:
    document = docx.Document(BytesIO(make("docx", Manuscript("a\x00\x1bb", ("c\r\nd\te\x0bf",)))))
    assert [paragraph.text for paragraph in document.paragraphs] == ["ab", "c d ef"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_manuscript_is_a_document_too(kind: str) -> None:
    assert make(kind, Manuscript("", ()))


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(LodeError, match="kind 'doc' can be made: choose one of pdf, docx"):
        make("doc", OWLS)


@pytest.mark.parametrize(
    ("kind", "library"), [("pdf", "reportlab.pdfgen.canvas"), ("docx", "docx"), ("odt", "odfdo")]
)
def test_a_missing_library_is_named_with_its_extra(
    kind: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        LodeError, match=r"needs the 'lab' extra: pip install 'motherlode\[lab\]'\."
    ):
        make(kind, OWLS)


PRINT_DIGESTS = """
import sys, time
time.sleep(float(sys.argv[1]))
from hashlib import sha256
from motherlode.lab.generated.formats import KINDS, Manuscript, make
links = (("http://a.example/", "A"), ("http://b.example/", "B"))
owls = Manuscript("Owls", ("They hunt.", "Jagen", "Сова летает"), links)
for kind in KINDS:
    print(kind, sha256(make(kind, owls)).hexdigest())
"""


def start(hash_seed: str, zone: str, delay: float) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": zone}
    command = [sys.executable, "-c", PRINT_DIGESTS, str(delay)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_processes_of_other_hashes_zones_and_times_make_the_same_bytes() -> None:
    # Archives count time in steps of two seconds.
    processes = [start("1", "Asia/Tokyo", 0), start("2", "America/Lima", 2.1)]
    digests = [process.communicate(timeout=60)[0].splitlines() for process in processes]
    assert [line.split()[0] for line in digests[0]] == list(KINDS)
    assert digests[0] == digests[1]
