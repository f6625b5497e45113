"""BibTeX and BibLaTeX: what real files hold, and what is lost of a broken one."""

from hypothesis import given
from hypothesis import strategies as st

from motherlode.library.formats.bibtex import read_bibtex
from motherlode.records.library import Identifier, Person

BROKEN = """
@article{first, title = {One}, year = 2001}
@article{second, title = {Two, year = 2002,
  author = "Doe, Jane"
@article{third, title = {Three}, year = 2003}
"""


def test_a_value_is_joined_from_strings_quotes_and_braces() -> None:
    text = '@string{acm = "ACM"} @string(proc = "Proc. " # acm)\n@book{k, publisher = proc # { } # "X"}'
    (book,) = read_bibtex(text).objects
    assert book.publisher == "Proc. ACM X"


def test_names_are_split_before_their_latex_is_decoded() -> None:
    text = r"""@misc{k, author = {Erd{\H o}s, Paul and {Barnes and Noble} and van der Berg, Jr., A.
        and Ludwig van Beethoven and family=Rossi, given=Mario, prefix=de and others}}"""
    (entry,) = read_bibtex(text).objects
    assert entry.authors == (
        Person("Erdős", "Paul"),
        Person("Barnes and Noble"),
        Person("van der Berg", "A.", "Jr."),
        Person("van Beethoven", "Ludwig"),
        Person("de Rossi", "Mario"),
    )


def test_addresses_are_never_decoded() -> None:
    text = r"@misc{k, url = {http://a.example/~x/a_b%20c--d?e=f\&g=1}}"
    (entry,) = read_bibtex(text).objects
    assert entry.links == ("http://a.example/~x/a_b%20c--d?e=f&g=1",)


def test_a_broken_entry_loses_only_itself_and_is_reported() -> None:
    result = read_bibtex(BROKEN)
    assert [entry.key for entry in result.objects] == ["first", "third"]
    assert [problem[:24] for problem in result.problems] == ["The entry in line 3 is b"]


def test_entries_with_the_same_key_are_all_kept() -> None:
    result = read_bibtex("@misc{k, title={A}} @misc{k, title={B}} @misc{, title={C}}")
    assert [entry.title for entry in result.objects] == ["A", "B", "C"]


def test_an_entry_without_a_key_is_read() -> None:
    (entry,) = read_bibtex("@article{\n author = {Doe, J.}, title = {No key}}").objects
    assert (entry.title, entry.key) == ("No key", "")


def test_of_a_field_that_occurs_twice_the_first_counts() -> None:
    (entry,) = read_bibtex("@misc{k, title={A}, title={B}, year=1999}").objects
    assert (entry.title, entry.year) == ("A", 1999)


def test_a_part_inherits_from_the_entry_that_it_refers_to() -> None:
    text = """@inproceedings{part, title={Part}, crossref={Whole}}
        @proceedings{whole, title={Proceedings}, year=2004, publisher={P}, doi={10.1000/whole}}"""
    part, _ = read_bibtex(text).objects
    assert (part.title, part.venue, part.year, part.publisher) == ("Part", "Proceedings", 2004, "P")


def test_groups_of_jabref_become_folders() -> None:
    text = r"""@misc{a, title={A}, groups={Sub, Other}} @misc{b, title={B}}
        @Comment{jabref-meta: grouping:
        0 AllEntriesGroup:;
        1 StaticGroup:Top\;0\;1\;\;\;\;;
        2 StaticGroup:Sub\;0\;1\;\;\;\;;
        1 ExplicitGroup:Listed\;0\;b\;;
        }"""
    first, second = read_bibtex(text).objects
    assert first.folders == (("Top", "Sub"), ("Other",))
    assert second.folders == (("Listed",),)


def test_formulas_become_text() -> None:
    text = r"@misc{k, title = {The $\Sigma\Delta$ of radix-2\({}^{\mbox{k}}\) and $Z_3$, 5\% off}}"
    (entry,) = read_bibtex(text).objects
    assert entry.title == "The ΣΔ of radix-2k and Z3, 5% off"


def test_identifiers_come_in_one_spelling() -> None:
    text = """@article{k, doi={https://doi.org/10.1000/ABC}, eprint={2101.00001v2},
        archiveprefix={arXiv}, issn={0955-2359}}"""
    (entry,) = read_bibtex(text).objects
    assert entry.identifiers == (
        Identifier("doi", "10.1000/abc"),
        Identifier("issn", "0955-2359"),
        Identifier("arxiv", "2101.00001"),
    )


@given(st.text(alphabet='@{}()",=#\\% \nabcdoi10./$', max_size=300))
def test_no_text_ends_the_reading(text: str) -> None:
    result = read_bibtex("@misc{first, title={A}}\n" + text + "\n@misc{last, title={B}}")
    assert result.objects
