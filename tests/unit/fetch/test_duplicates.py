"""Pages that are there already under another address."""

from motherlode.fetch.duplicates import PROOF, Duplicates
from motherlode.records.digests import digest_of

HERE, ELSEWHERE = "192.0.2.1", "192.0.2.2"


def digest(text: str) -> bytes:
    return digest_of(text.encode())


def see(
    known: Duplicates, origin: str, *pages: str, address: str = HERE, said: str = ""
) -> list[str]:
    """Pages of a host whose content is their path, or what is said; the copies that each turned out to be."""
    return [known.after(f"{origin}/{page}", address, digest(said or page)) for page in pages]


def mirrored(*pages: str, other: str = "http://b.test", address: str = HERE) -> Duplicates:
    known = Duplicates()
    for page in pages:
        see(known, "http://a.test", page)
        see(known, other, page, address=address)
    return known


def test_equal_content_is_a_copy_wherever_it_lies() -> None:
    known = Duplicates()
    assert see(known, "http://a.test", "1", "2") == ["", ""]
    assert see(known, "http://b.test", "x", said="1", address=ELSEWHERE) == ["http://a.test/1"]
    assert see(known, "http://a.test", "1") == [""]  # itself


def test_hosts_with_three_pages_in_common_are_one() -> None:
    known = mirrored("1", "2", "3")
    assert PROOF == 3
    see(known, "http://a.test", "4", "5?q=1")
    assert known.before("http://b.test/4", HERE) == "http://a.test/4"
    assert known.before("http://b.test/5?q=1", HERE) == "http://a.test/5?q=1"
    assert known.before("http://b.test/6", HERE) == ""  # nobody has it
    assert known.before("http://b.test/4", ELSEWHERE) == known.before("http://b.test/4", "") == ""
    assert known.before("http://c.test/4", HERE) == known.before("http://a.test/4", HERE) == ""


def test_two_pages_prove_nothing_nor_does_one_page_under_many_paths() -> None:
    known = mirrored("1", "2")
    see(known, "http://a.test", "4")
    assert known.before("http://b.test/4", HERE) == ""
    for path in ("x", "y", "z", "w"):
        for origin in ("http://a.test", "http://b.test"):
            see(known, origin, path, said="not found, politely")
    assert known.before("http://b.test/4", HERE) == "http://a.test/4"  # that made it three
    same = Duplicates()
    for path in ("x", "y", "z", "w"):
        for origin in ("http://a.test", "http://b.test"):
            see(same, origin, path, said="not found, politely")
    see(same, "http://a.test", "4")
    assert same.before("http://b.test/4", HERE) == ""


def test_hosts_that_once_differed_are_never_one() -> None:
    for early in (True, False):
        known = Duplicates() if early else mirrored("1", "2", "3")
        see(known, "http://a.test", "", said="Welcome to A")
        see(known, "http://b.test", "", said="Welcome to B")
        for page in ("4", "5", "6", "7"):
            see(known, "http://a.test", page)
            see(known, "http://b.test", page)
        see(known, "http://a.test", "8")
        assert known.before("http://b.test/8", HERE) == ""


def test_pages_at_other_addresses_prove_nothing() -> None:
    known = mirrored("1", "2", "3", "4", address=ELSEWHERE)
    see(known, "http://a.test", "5")
    assert known.before("http://b.test/5", HERE) == known.before("http://b.test/5", ELSEWHERE) == ""
    assert see(Duplicates(), "http://a.test", "1", "1", address="") == ["", ""]


def test_another_port_is_another_site() -> None:
    known = mirrored("1", "2", "3")
    see(known, "http://a.test:8080", "4")
    assert known.before("http://b.test/4", HERE) == ""


def test_a_host_in_both_schemes_is_one_once_that_is_proved() -> None:
    known = mirrored("1", "2", "3", other="https://a.test")
    see(known, "http://a.test", "4")
    assert known.before("https://a.test/4", HERE) == "http://a.test/4"


def test_a_difference_in_size_alone_or_none_does_not_matter() -> None:
    """Pages of one size are told apart by what they say."""
    known = Duplicates()
    assert see(known, "http://a.test", "1", said="abc") == [""]
    assert see(known, "http://a.test", "2", said="abd") == [""]


def test_memory_is_bounded() -> None:
    known = Duplicates(memory=100)
    for number in range(50_000):
        for host in ("a", "b"):
            known.after(f"http://{host}{number}.test/", HERE, digest(str(number)))
    for memory in (known._places, known._digests, known._pairs):
        assert len(memory) <= 100
    for number in range(1000):
        for host in ("a", "b"):
            known.after(f"http://{host}.test/{number}", HERE, digest(str(number)))
    common = known._pairs.get(("http://a.test", "http://b.test"), None)
    assert common is not None
    assert len(common) == 16
