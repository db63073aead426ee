"""Pages in WARC as documents."""

import bz2
import gzip
import json
import lzma
import random
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

import brotli
import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import run, run_here
from shingletools.reading.formats import http_pages, warc_records
from shingletools.reading.formats.http_pages import is_page, text_of
from shingletools.reading.formats.warc import Addresses, responses
from shingletools.reading.formats.warc_records import WarcRecords
from shingletools.record.package_versions import version
from shingletools.record.record_batch import Document
from shingletools.system.errors import Failed, Rejected

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OK = b"HTTP/1.1 200 OK\r\n"
HTML = OK + b"Content-Type: text/html\r\n"
PACKED = gzip.compress(b"packed", mtime=0)


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


def documents(*blocks: bytes) -> Iterator[Document]:
    """The documents of a file that comes in blocks. Raises Failed."""
    for some in responses("a", WarcRecords(iter(blocks), "a"), Addresses()):
        yield from some.documents()


def test_pages_of_html_by_their_addresses(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"".join(RECORDS))
    (tmp_path / "gzip").write_bytes(b"".join(map(gzip.compress, RECORDS)))
    (tmp_path / "bzip2").write_bytes(bz2.compress(b"".join(RECORDS)))
    (tmp_path / "xz").write_bytes(b"".join(map(lzma.compress, RECORDS)))
    for name in ("plain", "gzip", "bzip2", "xz"):
        ran = run_here("canon", "--warc", "-v", name, cwd=tmp_path)
        records = [json.loads(line) for line in ran.out.splitlines()]
        assert [(each["id"], each["text"]) for each in records] == [
            ("http://a/", "a page"),
            ("http://b/", "other"),
            (f"urn:x:{len(HTML) + 13}", "nameless"),
        ]
        assert {each["via"] for each in records} == {
            f"canon/4 warc=charset/2@resiliparse-{version('resiliparse')} html=page@selectolax-{version('selectolax')}"
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
        ("", b"<meta charset=utf-16>" + "мир".encode(), "<meta charset=utf-16>мир"),
        ("", "Где же она?".encode(), "Где же она?"),
        ("", "cats\xa0and dogs".encode(), "cats\xa0and dogs"),
        ("", "<p>naïve".encode(), "<p>naïve"),
        ("", "<p>この文書は日本語".encode("iso-2022-jp"), "<p>この文書は日本語"),
        ("; charset=nonsense", "déjà vu".encode(), "déjà vu"),
        ("; CHARSET = 'utf-8' ; x=y", "é".encode(), "é"),
        ("\r\nContent-Encoding: gzip", PACKED, "packed"),
        ("\r\nContent-Encoding: deflate", zlib.compress(b"packed"), "packed"),
        ("\r\nContent-Encoding: X-Gzip", PACKED + gzip.compress(b" twice", mtime=0) + b"\r\n", "packed twice"),
        ("\r\nContent-Encoding: deflate", zlib.compress(b"packed", wbits=-15), "packed"),
        ("\r\nContent-Encoding: zstd", zstd.compress(b"packed"), "packed"),
        ("\r\nContent-Encoding: none", b"packed", "packed"),
        ("\r\nContent-Encoding: identity", b"packed", "packed"),
        ("\r\nContent-Encoding: gzip", b" \n<p>unpacked", " \n<p>unpacked"),
        ("\r\nContent-Encoding: deflate", b"<!doctype html>", "<!doctype html>"),
        ("\r\nContent-Encoding: br", b"<html>", "<html>"),
        ("\r\nContent-Encoding: zstd", b"<?xml?>", "<?xml?>"),
        ("\r\nContent-Encoding: rot13", b"<p>", "<p>"),
        ("\r\nContent-Encoding: gzip, br", brotli.compress(PACKED), "packed"),
        ("\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked", b"1A\r\n" + PACKED + b"\r\n0\r\n\r\n", "packed"),
        ("\r\nTransfer-Encoding: chunked", b"<p>joined", "<p>joined"),
        ("\r\nTransfer-Encoding: chunked", b'3;x="y;z"\r\nabc\r\n1 ;y\r\nd\r\n0;z\r\nA: b\r\n\r\n', "abcd"),
        ("\r\nTransfer-Encoding: chunked", b"3\nabc\n1\nd\n0\n\n", "abcd"),
        ("\r\nContent-Length: 3\r\nX-Folded: a\r\n b", b"abc", "abc"),
        ("\r\nContent-Encoding: br", brotli.compress(b"packed"), "packed"),
        ("\r\nTransfer-Encoding: chunked", b"3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n", "abcd"),
    ],
)
def test_text_is_what_the_server_said_and_the_page_says(head: str, body: bytes, text: str) -> None:
    start = OK + b"Content-Type: text/html" + head.encode() + b"\r\n\r\n"
    assert text_of(start + body) == text
    assert text_of(start.replace(b"\r", b"") + body) == text


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("Content-Encoding: gzip", lambda data: gzip.compress(data, mtime=0)),
        ("Content-Encoding: deflate", zlib.compress),
        ("Content-Encoding: deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("Content-Encoding: br", brotli.compress),
        ("Content-Encoding: zstd", zstd.compress),
        ("Transfer-Encoding: chunked", lambda data: b"9\r\n%b\r\n33\r\n%b\r\n0\r\n\r\n" % (data[:9], data[9:])),
        ("Content-Length: 60", bytes),
    ],
)
def test_a_body_that_is_cut_anywhere_is_rejected(coding: str, pack: Callable[[bytes], bytes]) -> None:
    page = random.Random(1).randbytes(30).hex().encode()
    body, head = pack(page), HTML + coding.encode() + b"\r\n\r\n"
    assert text_of(head + body) == page.decode()
    ending = 4 * coding.endswith("chunked")  # what follows the length of the last chunk holds nothing
    for cut in range(len(body) - ending):
        with pytest.raises(Rejected, match="cut short"):
            text_of(head + body[:cut])


@pytest.mark.parametrize(
    ("head", "body", "cause"),
    [
        (b"Content-Encoding: gzip", b"nonsense", "a response that is cut short or damaged, or not gzip"),
        (b"Content-Encoding: rot13", b"cnpxrq", 'unknown coding "rot13"'),
        (b"Content-Encoding: gzip" + b",gzip" * 5, b"", "a response with more than 5 codings"),
        (
            b"Transfer-Encoding: chunked",
            b"-3\r\nabc\r\n0\r\n\r\n",
            "a response that is cut short or damaged, or not chunked",
        ),
    ],
)
def test_a_body_that_cannot_be_decoded_is_rejected(head: bytes, body: bytes, cause: str) -> None:
    with pytest.raises(Rejected, match=f"^{re.escape(cause)}$"):
        text_of(HTML + head + b"\r\n\r\n" + body)


@pytest.mark.parametrize("block", [OK[:-2], HTML, OK, b"<p>none", b"20260101000000\nexample.org. 60 A", HTML[:-2]])
def test_a_response_without_an_end_of_its_head_is_no_page(block: bytes) -> None:
    if block.startswith(HTML[:-2]):
        with pytest.raises(Rejected, match=r"^the response is cut short$"):
            text_of(block)
    else:
        assert not is_page(block)


@settings(max_examples=200)
@given(st.text(max_size=40), st.text(st.characters(codec="cp1252"), max_size=3))
def test_utf8_is_never_guessed_at(text: str, more: str) -> None:
    page = f"<p>{text}{more}".replace("\x1b", "")
    assert text_of(HTML + b"\r\n" + page.encode()) == page.removeprefix("\ufeff")


def test_what_is_damaged_is_reported_with_its_record(tmp_path: Path) -> None:
    long = RECORDS[2].replace(b"Content-Length: ", b"Content-Length: 9")
    packed = record("response", "http://g/", HTML + b"Content-Encoding: gzip\r\n\r\nnonsense")
    for content, status, said in [
        (b"".join(RECORDS[:4])[:-9], 1, "a:4: the record is cut short"),
        (b"".join(map(gzip.compress, RECORDS[:4]))[:-30], 2, "a: the gzip data end too early"),
        (RECORDS[2] + RECORDS[3][:30], 1, "a:2: the record is cut short"),
        (RECORDS[2] + long + RECORDS[3], 1, "a:2: the record is cut short"),
        (RECORDS[2] + packed, 1, "a:2: a response that is cut short or damaged, or not gzip"),
        (RECORDS[2] + b"WARC/1.0\r\nA: " + b"b" * (1 << 15), 1, "a:2: a head of more than 32768 bytes"),
        (RECORDS[2] + RECORDS[3].replace(b"Length: ", b"Length: x"), 1, "a:2: Content-Length is missing or no number"),
        (RECORDS[2] + RECORDS[6].replace(b"WARC-Record-ID", b"x"), 1, "a:2: no WARC-Target-URI"),
        (b"junk\r\n", 2, "a:1: not WARC, or damaged"),
        (lzma.compress(RECORDS[2])[:-9], 2, "a: the xz data end too early"),
        (bz2.compress(RECORDS[2])[:-9] + b"123456789", 2, "a: the bzip2 data cannot be read (Invalid data stream)"),
        (lzma.compress(b"junk\r\n"), 2, "a:1: not WARC, or damaged"),
    ]:
        (tmp_path / "a").write_bytes(content)
        ran = run_here("canon", "--warc", "--rejects", "bad", "a", cwd=tmp_path)
        assert (ran.status, ran.err) == (status, f"canon: {said}\n")
        assert ran.out.count(b"\n") == (RECORDS[2] in content or status == 1 or said.endswith("too early"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, zstd.compress])
@pytest.mark.parametrize("off", [-999, -20, -5, -2, -1, 0, 1, 2, 4, 5, 6, 60])
def test_after_a_wrong_length_reading_goes_on_at_the_next_record(
    off: int, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """A length may count what separates records. One that counts more hides the next record, in part at least."""
    page = record("response", "http://b/", HTML + b"\r\n<p>b\n\n\npage")
    size = len(HTML) + len(b"\r\n<p>b\n\n\npage")
    wrong = page.replace(b"Content-Length: %d" % size, b"Content-Length: %d" % max(size + off, 0))
    records = [RECORDS[2], wrong, *RECORDS[2:4]]
    for name, data in (("one", pack(b"".join(records))), ("each", b"".join(map(pack, records)))):
        (tmp_path / name).write_bytes(data)
        ran = run_here("canon", "--warc", name, cwd=tmp_path)
        words = [json.loads(line)["text"] for line in ran.out.splitlines()]
        assert words == ["a page", *["b page"] * (0 <= off <= 4), *["a page"] * (off <= 4), "other"]
        said = f"canon: {name}:2: what follows it is no WARC record: its Content-Length may be wrong\n"
        assert ran.err == ("" if 0 <= off <= 4 else said)


def test_a_page_that_its_record_calls_truncated_is_rejected(tmp_path: Path) -> None:
    said = b"\r\nWARC-Truncated: length\r\nContent-Type"
    (tmp_path / "a").write_bytes(RECORDS[2].replace(b"\r\nContent-Type", said, 1))
    ran = run_here("canon", "--warc", "a", cwd=tmp_path)
    cause = "canon: a:1: a response that its WARC-Truncated says is cut short\n"
    assert (ran.out, ran.err) == (b"", f"{cause}canon: a: not one good record\n")


def test_gzip_that_is_cut_anywhere_is_reported(tmp_path: Path) -> None:
    """Within a record's header, text or checksum, too; what ends with a member is whole."""
    members = [gzip.compress(each, mtime=0) for each in RECORDS[:4]]
    ends = set(accumulate(map(len, members)))
    for data, whole in ((b"".join(members), ends), (gzip.compress(b"".join(RECORDS[:4]), mtime=0), set())):
        for cut in range(1, len(data)):
            for size in (7, len(data)):
                pages: list[str] = []
                said = ""
                try:
                    blocks = [data[at : min(at + size, cut)] for at in range(0, cut, size)]
                    pages.extend(each.cause for each in documents(*blocks))
                except Failed as error:
                    said = str(error)
                expected = "" if cut in whole else r"a: the gzip data end too early|a:\d: not WARC, or damaged"
                assert re.fullmatch(expected, said), cut
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
        return [each.cause for each in documents(data)]

    assert causes(b"0" * digits) == ["", ""]
    assert causes(b"9" * digits) == ["", "the record is cut short"]


def test_a_page_that_is_packed_many_times_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_pages, "MAX_PAGE_BYTES", 1 << 16)
    monkeypatch.setattr(warc_records, "MAX_RESPONSE_BYTES", 1 << 16)
    packed = HTML + b"Content-Encoding: gzip\r\n\r\n"
    assert text_of(packed + gzip.compress(b"a" * (1 << 16))) == "a" * (1 << 16)
    with pytest.raises(Rejected, match=r"^a page of more than 65536 bytes$"):
        text_of(packed + gzip.compress(b"a" * (1 << 24)))
    (found,) = documents(record("response", "http://a/", HTML + b"\r\n" + b"a" * (1 << 17)))
    assert found.cause == "a response of more than 65536 bytes"


def test_pages_before_damage_are_read(tmp_path: Path) -> None:
    pages = [
        record("response", f"http://{i}/", HTML + b"\r\n<p>" + random.Random(i).randbytes(3000).hex().encode())
        for i in range(200)
    ]
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
    [found] = responses("a", WarcRecords(blocks), Addresses())
    assert [each.number for each in found.found] == [3, 4, 7]
    assert (found.size, len(list(found.documents()))) == (len(data), 3)


def conversion(address: str, text: bytes, date: str = "2024-05-06T07:08:09Z", kind: str = "text/plain") -> bytes:
    made = record("conversion", address, text).replace(
        b"Content-Type: application/http", f"Content-Type: {kind}".encode()
    )
    return made.replace(b"WARC-Record-ID", f"WARC-Date: {date}\r\nWARC-Record-ID".encode())


WET = [
    record("warcinfo", "", b"x"),
    conversion("http://a/", "Der Hund <b> läuft".encode()),
    conversion("http://b/", "der Hund <b> läuft!".encode()),
    record("response", "http://c/", HTML + b"\r\n<p>A <b>page"),
    conversion("http://a/", b"Other words", "2025-01-01T00:00:00Z"),
    conversion("http://d/", "M\xfcll".encode("latin-1")),
    conversion("http://e/", b"GIF89", kind="image/gif"),
    conversion("http://a/", b"Third words", "2025-01-01T00:00:00Z"),
]


@pytest.mark.parametrize("jobs", "12")
def test_texts_of_pages(jobs: str, tmp_path: Path) -> None:
    """What looks like a tag is text. An address that comes again has its date; which a third text may have, too."""
    (tmp_path / "a.warc.wet.gz").write_bytes(b"".join(map(gzip.compress, WET)))
    ran = run("canon --warc -v -j", jobs, "a.warc.wet.gz", cwd=tmp_path)
    assert [(each["id"], each["text"]) for each in map(json.loads, ran.out.splitlines())] == [
        ("http://a/", "der hund b läuft"),
        ("http://b/", "der hund b läuft"),
        ("http://c/", "a page"),
        ("http://a/ 2025-01-01T00:00:00Z", "other words"),
        ("http://a/ 2025-01-01T00:00:00Z", "third words"),
    ]
    assert ran.err.splitlines()[0] == "canon: a.warc.wet.gz:6: not UTF-8 (byte 2)"
    assert "1 conversion records left out" in ran.err
    ran = run("shingletools unique a.warc.wet.gz -o kept.gz -j", jobs, cwd=tmp_path)
    assert ran.err.splitlines()[-1] == "shingletools unique: 4 kept (1 not compared), 1 removed, 1 left out"
    with (tmp_path / "kept.gz").open("rb") as file:
        kept = [
            (each.headers.get("WARC-Target-URI"), each.reader.read())
            for each in ArchiveIterator(file, parse_http=False)
        ]
    assert kept == [(each, WET[place].split(b"\r\n\r\n", 1)[1][:-4]) for place, each in KEPT]
    (tmp_path / "pairs").write_text('{"a":"http://a/","b":"http://b/"}\n{"a":"http://a/","b":"http://c/"}\n')
    shown = run("simshow --json --warc --docs a.warc.wet.gz pairs", cwd=tmp_path)
    assert [len(each["shared"]) for each in map(json.loads, shown.out.splitlines())] == [1, 0]


KEPT = (0, None), (1, "http://a/"), (3, "http://c/"), (4, "http://a/"), (6, "http://e/"), (7, "http://a/")
