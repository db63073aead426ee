"""Pages in WARC as documents."""

import bz2
import gzip
import json
import lzma
import random
import re
import zlib
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import run, run_here
from shingletools.reading.formats import warc
from shingletools.reading.formats.warc import Bytes, responses, text_of
from shingletools.record.versions import version
from shingletools.system.errors import Failed, Rejected

OK = b"HTTP/1.1 200 OK\r\n"
HTML = OK + b"Content-Type: text/html\r\n"


def record(kind: str, address: str, block: bytes) -> bytes:
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{len(block)}>\r\nContent-Length: {len(block)}\r\n"
    head += f"WARC-Target-URI: {address}\r\n" if address else ""
    return f"{head}Content-Type: application/http\r\n\r\n".encode() + block + b"\r\n\r\n"


RECORDS = [
    record("warcinfo", "", b"software: x\r\n"),
    record("request", "http://a/", b"GET / HTTP/1.1\r\n\r\n"),
    record("response", "http://a/", HTML + b"\r\n<title>A</title><p>p<b>ag</b>e"),
    record("response", "<http://b/>", HTML + b"\r\n<p>other"),
    record("response", "http://c/", OK + b"Content-Type: image/png\r\n\r\nx"),
    record("response", "http://d/", HTML.replace(b"200 OK", b"404 Not Found") + b"\r\n<p>none"),
    record("response", "", HTML + b"\r\n<p>nameless"),
]


def test_pages_of_html_by_their_addresses(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"".join(RECORDS))
    (tmp_path / "gzip").write_bytes(b"".join(map(gzip.compress, RECORDS)))
    (tmp_path / "bzip2").write_bytes(bz2.compress(b"".join(RECORDS)))
    (tmp_path / "xz").write_bytes(b"".join(map(lzma.compress, RECORDS)))
    for name in ("plain", "gzip", "bzip2", "xz"):
        ran = run_here("canon", "--warc", "-v", name, cwd=tmp_path)
        records = [json.loads(line) for line in ran.out.splitlines()]
        assert [(each["id"], each["text"]) for each in records] == [
            ("http://a/", "a page"), ("http://b/", "other"), (f"urn:x:{len(HTML) + 13}", "nameless"),
        ]  # fmt: skip
        assert {each["via"] for each in records} == {
            f"canon/4 warc=charset@resiliparse-{version('resiliparse')} html=page@selectolax-{version('selectolax')}"
        }
        counts = "1 warcinfo records left out, 1 request records left out, 2 responses without a page left out"
        assert ran.err.startswith("canon: 3 records, 0 rejected, ")
        assert ran.err.endswith(f" MB/s, {counts}\n")
        one, two = (run("canon", "--warc", "-j", jobs, "--html=main", name, cwd=tmp_path) for jobs in "12")
        assert (one.status, one.out, one.err) == (two.status, two.out, two.err)


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        ("; charset=windows-1251", "мир".encode("cp1251"), "мир"),
        ("; charset=iso-8859-1", "€".encode("cp1252"), "€"),
        ("; charset=utf-8", b"\xff\xfe" + "мир".encode("utf-16-le"), "мир"),
        ("", b"<meta charset=koi8-r>" + "мир".encode("koi8-r"), "<meta charset=koi8-r>мир"),
        ("", "Где же она?".encode(), "Где же она?"),
        ("; charset=nonsense", "déjà vu".encode(), "déjà vu"),
        ("\r\nContent-Encoding: gzip", gzip.compress(b"packed", mtime=0), "packed"),
        ("\r\nContent-Encoding: deflate", zlib.compress(b"packed"), "packed"),
        ("\r\nContent-Encoding: br", brotli.compress(b"packed"), "packed"),
        ("\r\nTransfer-Encoding: chunked", b"3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n", "abcd"),
    ],
)
def test_text_is_what_the_server_said_and_the_page_says(head: str, body: bytes, text: str) -> None:
    assert text_of(OK + b"Content-Type: text/html" + head.encode() + b"\r\n\r\n" + body) == text


def test_what_is_damaged_is_told_with_its_record(tmp_path: Path) -> None:
    long = RECORDS[2].replace(b"Content-Length: ", b"Content-Length: 9")
    packed = record("response", "http://g/", HTML + b"Content-Encoding: gzip\r\n\r\nnonsense")
    for content, status, said in [
        (b"".join(RECORDS[:4])[:-9], 1, "a:4: the record is cut short"),
        (b"".join(map(gzip.compress, RECORDS[:4]))[:-30], 2, "a: the gzip data end too early"),
        (RECORDS[2] + RECORDS[3][:30], 1, "a:2: the record is cut short"),
        (RECORDS[2] + long + RECORDS[3], 1, "a:2: the record is cut short"),
        (RECORDS[2] + packed, 1, "a:2: a response that cannot be decoded"),
        (RECORDS[2] + b"junk\r\n" + RECORDS[3], 2, "a:2: not WARC, or damaged"),
        (b"junk\r\n", 2, "a:1: not WARC, or damaged"),
        (lzma.compress(RECORDS[2])[:-9], 2, "a: the xz data end too early"),
        (bz2.compress(RECORDS[2])[:-9] + b"123456789", 2, "a: the bzip2 data cannot be read (Invalid data stream)"),
        (lzma.compress(b"junk\r\n"), 2, "a:1: not WARC, or damaged"),
    ]:
        (tmp_path / "a").write_bytes(content)
        ran = run_here("canon", "--warc", "--rejects", "bad", "a", cwd=tmp_path)
        assert (ran.status, ran.err) == (status, f"canon: {said}\n")
        assert ran.out.count(b"\n") == (RECORDS[2] in content or status == 1 or said.endswith("too early"))


def test_gzip_that_is_cut_anywhere_is_told(tmp_path: Path) -> None:
    """Within a record's header, text or checksum, too; what ends with a member is whole."""
    members = [gzip.compress(each, mtime=0) for each in RECORDS[:4]]
    ends = set(accumulate(map(len, members)))
    for data, whole in ((b"".join(members), ends), (gzip.compress(b"".join(RECORDS[:4]), mtime=0), set())):
        for cut in range(1, len(data)):
            for size in (7, len(data)):
                blocks = (data[at : min(at + size, cut)] for at in range(0, cut, size))
                pages: list[str] = []
                try:
                    for some in responses("a", Bytes(blocks, "a")):
                        pages += (document.cause for document in some.documents())
                    said = ""
                except Failed as error:
                    said = str(error)
                told = "" if cut in whole else r"a: the gzip data end too early|a:\d: not WARC, or damaged"
                assert re.fullmatch(told, said), cut
                assert not any(pages)
                assert len(data) - cut > 8 or len(pages) == 2  # all of whose text is there are read
    (tmp_path / "a").write_bytes(b"".join(members)[:-5])
    for command in ("canon --warc a", "dedup --pairs none --warc a -o out"):
        (tmp_path / "none").write_bytes(b"")
        ran = run_here(command, cwd=tmp_path)
        assert (ran.status, ran.err) == (2, f"{command.split()[0]}: a: the gzip data end too early\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("digits", [4, 18, 19, 5000])
def test_a_length_of_any_number_of_digits_is_read(digits: int) -> None:
    def causes(head: bytes) -> list[str]:
        data = RECORDS[2] + RECORDS[3].replace(b"Length: ", b"Length: " + head)
        found: list[str] = []
        with suppress(Failed):  # FastWARC goes on in a place of its own after a length beyond 64 bits
            for some in responses("a", Bytes(iter([data]))):
                found += (document.cause for document in some.documents())
        return found

    assert causes(b"0" * digits) == ["", ""]
    assert causes(b"9" * digits) == ["", "the record is cut short"]


def test_a_page_that_is_packed_many_times_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc, "LONGEST", 1 << 16)
    packed = HTML + b"Content-Encoding: gzip\r\n\r\n"
    assert text_of(packed + gzip.compress(b"a" * (1 << 16))) == "a" * (1 << 16)
    with pytest.raises(Rejected, match=r"^a page of more than 65536 bytes$"):
        text_of(packed + gzip.compress(b"a" * (1 << 24)))
    [found] = responses("a", Bytes(iter([record("response", "http://a/", HTML + b"\r\n" + b"a" * (1 << 17))])))
    assert [document.cause for document in found.documents()] == ["a response of more than 65536 bytes"]


def test_pages_before_damage_are_read(tmp_path: Path) -> None:
    pages = [record("response", f"http://{i}/", HTML + b"\r\n<p>" + random.Random(i).randbytes(3000).hex().encode())
             for i in range(200)]  # fmt: skip
    packed = bz2.compress(b"".join(pages), 1)
    (tmp_path / "a").write_bytes(packed[: len(packed) // 2])
    ran = run_here("canon", "--warc", "a", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "canon: a: the bzip2 data end too early\n")
    assert 60 < ran.out.count(b"\n") < 100


@settings(max_examples=60)
@given(st.integers(1, 300))
def test_any_cut_of_the_input_gives_the_same(size: int) -> None:
    data = b"".join(RECORDS)
    blocks = iter([data[at : at + size] for at in range(0, len(data), size)])
    [found] = responses("a", Bytes(blocks))
    assert [each.record for each in found.found] == [3, 4, 5, 6, 7]
    assert (found.size, len(list(found.documents()))) == (len(data), 3)
