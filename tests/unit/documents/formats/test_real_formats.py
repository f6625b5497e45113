"""Real documents, written by others: how many of each kind give text, and what some of them say."""
# ruff: noqa: RUF001 - letters that look like Latin ones are meant

from collections import Counter
from pathlib import Path

import pytest

from motherlode.documents.extracts import Extract, UnreadableError
from motherlode.documents.formats.kinds import kind_of_ole, kind_of_zip
from support.document_files import DOCX, ODF, PPTX, XLSX, links, read

MIMES = {
    "csv": "text/csv",
    "txt": "text/plain",
    "xml": "application/xml",
    "fb2": "application/x-fictionbook+xml",
    "pdf": "application/pdf",
    "doc": "application/msword",
    "ppt": "application/vnd.ms-powerpoint",
    "xls": "application/vnd.ms-excel",
    "docx": DOCX,
    "pptx": PPTX,
    "xlsx": XLSX,
    "odt": f"{ODF}text",
    "ods": f"{ODF}spreadsheet",
    "odp": f"{ODF}presentation",
    "rtf": "application/rtf",
    "epub": "application/epub+zip",
    "zip": "application/zip",
    "gz": "application/gzip",
    "tgz": "application/gzip",
    "bz2": "application/x-bzip2",
    "tar": "application/x-tar",
}
# Files that give text or members; the rest are empty, pictures only, encrypted or broken.
GIVING = {
    "txt": 15,
    "csv": 1,
    "xml": 14,
    "fb2": 9,
    "rtf": 18,
    "pdf": 19,
    "epub": 5,
    "docx": 50,
    "pptx": 21,
    "xlsx": 17,
    "doc": 22,
    "ppt": 20,
    "xls": 10,
    "odt": 18,
    "ods": 4,
    "odp": 0,
    "zip": 5,
    "gz": 5,
    "tgz": 1,
    "bz2": 1,
    "tar": 1,
}
REFUSED = {
    "poi/47950_normal.doc": "a broken Office file",  # it is none: undoc cannot follow its directory
    "py-pdf-samples/libreoffice-writer-password.pdf": "encrypted",
    "tika/protect.xlsx": "encrypted",
    "tika/protected_normal_case.docx": "encrypted",
    "tika/simple_lower_case.doc": "a broken Office file",
    "tika/simple_upper_case.doc": "a broken Office file",
    "tika/testEXCEL_protected_passtika.xls": "encrypted",
    "tika/testEXCEL_protected_passtika_2.xlsx": "encrypted",
    "tika/testODTEncrypted.odt": "encrypted",
    "tika/testPPT_protected_passtika.pptx": "encrypted",
}


@pytest.fixture(scope="module")
def documents(conformance: Path) -> Path:
    pytest.importorskip("undoc", reason="the extra 'formats' is not installed")
    return conformance / "documents"


def read_file(file: Path) -> Extract:
    return read(MIMES[file.suffix[1:]], file.read_bytes(), url=f"http://example.org/{file.name}")


def test_as_many_files_as_ever_give_text_and_no_others_are_refused(documents: Path) -> None:
    giving: Counter[str] = Counter()
    refused = {}
    for file in sorted(documents.glob("*/*")):
        if file.suffix[1:] not in MIMES:
            continue
        try:
            extract = read_file(file)
        except UnreadableError as error:
            refused[str(file.relative_to(documents))] = str(error)
        else:
            giving[file.suffix[1:]] += bool(extract.text or extract.members)
    assert {kind: giving[kind] for kind in GIVING} == GIVING
    assert refused == REFUSED


SAYING = [
    (
        "tika/testWORD.docx",
        "Nested table\nMore of our nested table\nThe table has things in it\nApache Tika: http://",
    ),
    (
        "tika/testWORD_2006ml.docx",
        "This is a hyperlink: tika\nThis is a link to a local file: test.png\n",
    ),
    ("pandoc/diagram.docx", "Diagram after:\ntop\nmiddle\nbottom"),
    ("pandoc/alternate_document_path.docx", "Test\nThis is italic, bold, underlined"),
    (
        "tika/testPPT_various.pptx",
        "Suddenly some Japanese text:\nゾルゲと尾崎、淡々と最期\n（ＧＨＱ）",
    ),
    ("tika/testPPT_diagramData.pptx", "President\nVP – HR\nManager 1\nVP - Marketing\nManager 1"),
    (
        "poi/ExcelWithHyperlinks.xlsx",
        "24.5\tBar\n26.7\tFoo Foo\tLink to http://poi.apache.org/\n41.1\tBar Bar",
    ),
    ("tika/testComment.xlsx", "Here is some text\nAuthor: Here is a comment"),
    (
        "tika/testODFwithOOo3.odt",
        "This is of course a simple footnote\nThis is a rather difficult test document",
    ),
    ("tika/LibreOfficeCalc_ods_1.3.ods", "This\tis\tan\texample\tspreadsheet\n0\t1\t2\t3\t4"),
    (
        "tika/testEPUB.epub",
        "Subchapter 2.1\nSubchapter 2.2\nThe previous headings were subchapters of course.",
    ),
    ("tika/testRTF-ms932.rtf", "Hello\nこんにちは\nTest\nテスト"),
    (
        "tika/testRTFControls.rtf",
        "Thiswordhasanoptionalhyphen\n‘Single quoted text’\n“Double quoted text”",
    ),
    ("tika/testRTFListOverride.rtf", "Body"),
    ("tika/russian.cp866.txt", "Однажды, в студеную зимнюю пору, Я из лесу вышел; б"),
    (
        "tika/testPDF.pdf",
        "a toolkit for detecting and extracting metadata and structured text content from various",
    ),
    ("poi/52420.doc", "Министерство образования Республики Беларусь\nУчреждение образования «М"),
    ("tika/testEXCEL_5.xls", "Number\tSquare\n1\t1\n2\t4"),
    ("poi/54111.ppt", "Table sample\nDummy text\nTH Cell 1\nTH Cell 2"),
    ("pandoc/meta.fb2", "Book annotation\nSecond paragraph of book annotation\nBody title"),
    (
        "tika/nothing_bad.xml",
        "Geoffrey Chaucer\nWhan that Aprille with his shoures soote\nThe droghte ",
    ),
]


@pytest.mark.parametrize(("name", "saying"), SAYING)
def test_a_document_says_what_a_person_reads_in_it(documents: Path, name: str, saying: str) -> None:
    assert saying in read_file(documents / name).text


LEADING = [
    ("tika/testWORD.docx", 1, "http://tika.apache.org/", "Tika"),
    ("tika/testInstrLink.docx", 0, "https://exmaple.com/file", "Access Document(s)"),
    ("python-docx/par-hlink-frags.docx", 1, "https://foo.com?q=bar", "https://foo.com?q=bar"),
    ("tika/testPPT_various.pptx", 0, "http://tika.apache.org/", "This is a hyperlink"),
    ("poi/ExcelWithHyperlinks.xlsx", 0, "http://poi.apache.org/", "Link to http://poi.apache.org/"),
    ("tika/testPDFVarious.pdf", 0, "http://tika.apache.org/", "This is a hyperlink"),
    ("tika/testPDF.pdf", 0, "http://incubator.apache.org/tika/", ""),
    ("tika/testODFwithOOo3.odt", 0, "http://lucene.apache.org/", "Lucene website"),
    ("tika/testEPUB.epub", 0, "http://lucene.apache.org/tika", "Cover"),
    (
        "tika/testRTFHyperlinkAndStyles.rtf",
        0,
        r"..\..\SAUCES\Dips\Dip, Caesar.doc",
        "Dip, Caesar.doc",
    ),
    ("tika/testWORD_boldHyperlink.doc", 0, "http://tika.apache.org/", "hyper"),
    ("tika/testEXCEL_hyperlinks.xls", 0, "http://tika.apache.org/", "http_tika_link"),
]


@pytest.mark.parametrize(("name", "place", "href", "anchor"), LEADING)
def test_a_document_leads_where_a_person_would_click(
    documents: Path, name: str, place: int, href: str, anchor: str
) -> None:
    assert links(read_file(documents / name))[place] == (href, anchor)


def test_titles_are_what_documents_call_themselves(documents: Path) -> None:
    titles = {
        "tika/testWORD.docx": "Sample Word Document",
        "tika/testPDF.pdf": "Apache Tika - Apache Tika",
        "tika/testEPUB.epub": "An ePub for Tika",
        "tika/testRTF-ms932.rtf": "タイトル",
        "tika/test.fb2": "Война и мир",
        "tika/testODFwithOOo3.odt": "Apache Tika",
        "tika/testEXCEL.xls": "Simple Excel document",
    }
    assert {name: read_file(documents / name).title for name in titles} == titles


def test_archives_have_the_members_that_they_have(documents: Path) -> None:
    members = {
        "tika/droste.zip": ["droste.jpg", "droste.zip"],
        "tika/quine.gz": ["quine"],
        "tika/testZipEncrypted.zip": ["unencrypted.txt"],
        "tika/testZipEntryNameCharsetShiftSJIS.zip": ["文章1.txt", "文章2.txt"],
        "tika/test-nested-tarball.tar": ["folderContainingTgz/inner/nested.tgz"],
        "tika/test-file-2.csv.bz2": ["test-file-2.csv"],
    }
    assert {
        name: [member.name for member in read_file(documents / name).members] for name in members
    } == members


def test_packages_are_told_apart_by_what_is_in_them(documents: Path) -> None:
    wrong = {}
    for kind in ("docx", "pptx", "xlsx", "odt", "ods", "odp", "epub", "doc", "ppt", "xls"):
        for file in documents.glob(f"*/*.{kind}"):
            body = file.read_bytes()
            told = kind_of_zip(body) if body[:2] == b"PK" else kind_of_ole(body)
            if told != MIMES[kind]:
                wrong[str(file.relative_to(documents))] = told
    encrypted = {name for name, told in wrong.items() if told == "application/x-ooxml-encrypted"}
    assert encrypted == {
        name for name, why in REFUSED.items() if why == "encrypted" and name[-1] == "x"
    }
    assert wrong.keys() == encrypted
