"""The archive: WARC files that other tools accept."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

from motherlode.records import Archived, StoreError
from motherlode.store.archive import (
    GZIPPED,
    Archive,
    ArchiveOptions,
    Exchange,
    Identity,
    SentRequest,
)

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
IDENTITY = Identity("motherlode/0.1", "me@example.org", "a portal\r\nInjected: header")


def archive(directory: Path, max_mb: int = 1000) -> Archive:
    return Archive(directory, ArchiveOptions(max_mb=max_mb), IDENTITY)


def exchange(number: int, body: bytes = b"<p>hello") -> Exchange:
    return Exchange(f"http://host.example/{number}", 1_700_000_000.25, HEAD, body, "192.0.2.1")


def check_by_warcio(path: Path) -> None:
    """Another tool's checker accepts the file, digests and all."""
    check = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "warcio.cli", "check", "-v", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, check.stdout
    assert "digest pass" in check.stdout


def test_a_response_is_read_back_from_its_place(tmp_path: Path) -> None:
    with archive(tmp_path) as writer:
        places = [writer.append(exchange(n, f"body {n}\r\n\r\nmore".encode())) for n in range(5)]
        writer.flush()
        assert writer.read(places[3]) == exchange(3, b"body 3\r\n\r\nmore")


def test_a_response_that_came_packed_is_kept_so_and_read_unpacked(tmp_path: Path) -> None:
    page = b"<p>hello " * 20_000
    packed = gzip.compress(page[:90_000]) + gzip.compress(page[90_000:])
    noise = gzip.compress(os.urandom(200_000))  # more than gzip wraps at once
    with archive(tmp_path) as writer:
        places = [
            writer.append(replace(exchange(number, body), head=HEAD + GZIPPED))
            for number, body in enumerate((packed, noise))
        ]
        writer.flush()
        assert writer.read(places[0]) == exchange(0, page)
        assert writer.read(places[1]).body == gzip.decompress(noise)
        record = gzip.decompress(writer.packed(places[0]))
        assert record.endswith(b"\r\n" + GZIPPED + b"\r\n" + packed + b"\r\n\r\n")
    check_by_warcio(tmp_path / places[0].file)
    with (tmp_path / places[0].file).open("rb") as file:
        kept = (record for record in ArchiveIterator(file) if record.rec_type == "response")
        read = [record.content_stream().read() for record in kept]
    assert read[1] == gzip.decompress(noise)


def test_a_packed_response_that_is_broken_is_an_error(tmp_path: Path) -> None:
    with archive(tmp_path) as writer:
        place = writer.append(
            replace(exchange(1, gzip.compress(b"<p>hello")[:-4]), head=HEAD + GZIPPED)
        )
        writer.flush()
        with pytest.raises(StoreError):
            writer.read(place)


def test_every_record_is_a_gzip_member_of_its_own(tmp_path: Path) -> None:
    with archive(tmp_path) as writer:
        place = writer.append(exchange(1))
        writer.append(exchange(2))
        writer.flush()
    content = (tmp_path / place.file).read_bytes()
    record = gzip.decompress(content[place.offset : place.offset + place.length])
    assert record.startswith(b"WARC/1.1\r\nWARC-Type: response\r\n")
    assert record.endswith(b"<p>hello\r\n\r\n")


def test_another_tools_checker_accepts_the_files(tmp_path: Path) -> None:
    with archive(tmp_path, max_mb=1) as writer:
        for number in range(40):
            writer.append(exchange(number, bytes(range(256)) * 400))
        sizes = writer.flush()
    for file in sizes:
        check_by_warcio(tmp_path / file)


def test_each_file_begins_with_who_crawled(tmp_path: Path) -> None:
    with archive(tmp_path) as writer:
        place = writer.append(exchange(1))
        writer.flush()
    with (tmp_path / place.file).open("rb") as file:
        first, second = (
            (record.rec_type, record.content_stream().read()) for record in ArchiveIterator(file)
        )
    assert first[0] == "warcinfo"
    assert b"software: motherlode/0.1\r\n" in first[1]
    assert b"operator: me@example.org\r\n" in first[1]
    assert b"description: a portal Injected: header\r\n" in first[1]
    assert second == ("response", b"<p>hello")


def test_files_are_rotated_by_size(tmp_path: Path) -> None:
    noise = os.urandom(400_000)
    with archive(tmp_path, max_mb=1) as writer:
        places = [writer.append(exchange(n, noise)) for n in range(7)]
        sizes = writer.flush()
        assert writer.read(places[6]).body == noise
    assert sorted(sizes) == ["lode-00001.warc.gz", "lode-00002.warc.gz", "lode-00003.warc.gz"]
    assert all((tmp_path / file).stat().st_size == size for file, size in sizes.items())


def test_the_next_process_goes_on_in_the_last_file(tmp_path: Path) -> None:
    with archive(tmp_path) as writer:
        writer.append(exchange(1))
        committed = writer.flush()
    with archive(tmp_path) as writer:
        assert writer.recover(committed) == {}
        place = writer.append(exchange(2))
        sizes = writer.flush()
        assert writer.read(place) == exchange(2)
    assert place.offset == committed[place.file]
    assert sizes[place.file] == place.offset + place.length


def test_recovery_cuts_back_to_what_is_committed(tmp_path: Path) -> None:
    with archive(tmp_path) as writer:
        writer.append(exchange(1))
        committed = writer.flush()
        writer.append(exchange(2))
        writer.flush()
    (tmp_path / "lode-00002.warc.gz").write_bytes(
        b"half a record of a file that was never committed"
    )
    (tmp_path / "mine.warc.gz").write_bytes(b"not ours")
    cut = archive(tmp_path).recover(committed)
    assert set(cut) == {"lode-00001.warc.gz", "lode-00002.warc.gz"}
    assert (tmp_path / "lode-00001.warc.gz").stat().st_size == committed["lode-00001.warc.gz"]
    assert not (tmp_path / "lode-00002.warc.gz").exists()
    assert (tmp_path / "lode-00002.warc.gz.1.aside").exists()
    assert (tmp_path / "mine.warc.gz").exists()


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    assert archive(tmp_path).recover({"lode-00001.warc.gz": 100}) == {"lode-00001.warc.gz": -100}
    with pytest.raises(StoreError, match="cannot be read"):
        archive(tmp_path).read(Archived("lode-00001.warc.gz", 0, 10))


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "archive").write_text("a file where the directory should be")
    with pytest.raises(StoreError, match="cannot be written"):
        archive(tmp_path / "archive").append(exchange(1))


# --- forms ----------------------------------------------------------------------------------------------

SENT = SentRequest(
    b"POST /1 HTTP/1.1\r\nHost: host.example\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n",
    b"q=owls\r\n\r\n\x00",
)


def test_a_form_has_a_record_that_its_response_names(tmp_path: Path) -> None:
    with archive(tmp_path) as writer:
        place = writer.append(replace(exchange(1), request=SENT))
        plain = writer.append(exchange(2))
        sizes = writer.flush()
        assert writer.read(place) == exchange(1)
        assert writer.read(plain) == exchange(2)
        assert sizes == {place.file: plain.offset + plain.length}
    check_by_warcio(tmp_path / place.file)
    with (tmp_path / place.file).open("rb") as file:
        records = [
            (record.rec_type, dict(record.rec_headers.headers), record.content_stream().read())
            for record in ArchiveIterator(file, no_record_parse=True)
        ]
    assert [kind for kind, _, _ in records] == ["warcinfo", "request", "response", "response"]
    (_, asked, content), (_, answered, _), (_, other, _) = records[1:]
    assert content == SENT.head + b"\r\n" + SENT.body
    assert asked["Content-Type"] == "application/http; msgtype=request"
    assert asked["WARC-Target-URI"] == answered["WARC-Target-URI"]
    assert answered["WARC-Concurrent-To"] == asked["WARC-Record-ID"]
    assert answered["WARC-Record-ID"] != asked["WARC-Record-ID"]
    assert "WARC-Concurrent-To" not in other


def test_a_form_that_is_rolled_back_leaves_nothing(tmp_path: Path) -> None:
    with archive(tmp_path) as writer:
        writer.append(exchange(1))
        size = writer.flush()
        writer.commit()
        writer.append(replace(exchange(2), request=SENT))
        writer.flush()
        writer.rollback()
    (name,) = size
    assert (tmp_path / name).stat().st_size == size[name]
