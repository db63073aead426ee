"""What every command promises of compressed files: read as what they hold, and written where a name ends so."""

import bz2
import gzip
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import BIN, DOCS, ENVIRONMENT, has_open, jsonl, pipe, program, run_here, run_process, shell
from shingletools.reading import compression_detection, compression_formats, decompression, streams
from shingletools.reading.compression_formats import CODECS, Compressing
from shingletools.system import interruptible_reads, lazy_imports
from shingletools.system.errors import Failed
from suite import DRIVEN, good

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Coding = Callable[[bytes], bytes]
MAKE: dict[str, Coding] = {"gz": gzip.compress, "zst": zstd.compress, "bz2": bz2.compress, "xz": lzma.compress}
READ: dict[str, Coding] = {"gz": gzip.decompress, "zst": zstd.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}
NAMES = {"gz": "gzip", "zst": "zstd", "bz2": "bzip2", "xz": "xz"}
SKIPPED = b"\x50\x2a\x4d\x18\x03\x00\x00\x00any"  # a frame of zstd that holds none of the data, as pzstd writes them

driven = pytest.mark.parametrize("command", DRIVEN)
every_format = pytest.mark.parametrize("suffix", MAKE)


def members(data: bytes, suffix: str) -> bytes:
    """Compressed in several members, one of them empty, with zeros between and behind."""
    make = MAKE[suffix]
    first = SKIPPED if suffix == "zst" else b""
    return first + make(data[:20]) + make(b"") + make(data[20:]) + bytes(5)


def records(command: str) -> bytes:
    """Good ones, and between them one that is bad."""
    return jsonl(good(command, 1)) + b"bad\n" + jsonl(good(command, 2))


@driven
@every_format
def test_compressed_input_is_read_as_what_it_holds(command: str, suffix: str, tmp_path: Path) -> None:
    """By its first bytes: the name says nothing of it. Lines have the numbers that they have in the text."""
    data = records(command)
    (tmp_path / "docs").write_bytes(data)
    plain = run_here(command, "docs", cwd=tmp_path)
    assert (plain.status, plain.err) == (1, f"{program(command)}: docs:2: not JSON (column 1)\n")
    for content in (MAKE[suffix](data), members(data, suffix)):
        (tmp_path / "docs").write_bytes(content)
        ran = run_here(command, "docs", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (1, plain.out, plain.err)
    ran = run_here(command, stdin=MAKE[suffix](data), cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (1, plain.out, plain.err.replace("docs", "-"))


@pytest.mark.slow
@pytest.mark.parametrize("command", ["canon", "simjoin --forest"])
def test_compressed_input_with_workers(command: str, tmp_path: Path) -> None:
    """Together with a file that is not compressed, in which lines are counted anew."""
    (tmp_path / "docs").write_bytes(records(command))
    lines = b"".join(jsonl(good(command, number)) for number in range(3, 9000)) + b"bad\n"
    for name, content in (("more", lines), ("more.zst", zstd.compress(lines))):
        (tmp_path / name).write_bytes(content)
    plain = run_process(command, "docs", "more", cwd=tmp_path)
    ran = run_process(command, "-j2", "docs", "more.zst", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (1, plain.out, plain.err.replace("more", "more.zst"))
    assert "more.zst:8998: " in ran.err


@every_format
def test_documents_that_are_whole_files_or_lines(suffix: str, tmp_path: Path) -> None:
    text = b"A letter\nof two lines\n"
    (tmp_path / "letter").write_bytes(MAKE[suffix](text))
    assert run_here("canon --whole letter", cwd=tmp_path).records() == [
        {"id": "letter", "text": "a letter of two lines", "via": "canon/4"}
    ]
    (one, two) = run_here("canon --lines letter", cwd=tmp_path).records()
    assert (one["text"], two["text"]) == ("a letter", "of two lines")


GROUP = jsonl({"group": 1, "members": [1, 2]})
PAIR = jsonl({"a": 2, "b": 1, "similarity": 1.0})
TABLE = jsonl({"documents": 3, "shingles": 1, "min_df": 1, "via": "shingle k=1"}, {"shingle": "0" * 16, "df": 3})
WEIGHTS = jsonl({"shingle": "0123456789abcdef", "weight": 2}, {"shingle": "0" * 16, "weight": 4})


@pytest.mark.parametrize(
    ("command", "content"),
    [
        ("simjoin --against", jsonl(good("simjoin", 3))),
        ("dedup --groups", GROUP),
        ("dedup --known", jsonl({"a": 1, "b": 9, "similarity": 1.0, "against": True})),
        ("dedup --pairs", PAIR),
        ("simshow --json --docs", jsonl(*({"id": name, "text": "a b c"} for name in (1, 2, "other")))),
        ("simscore --field f --truth", jsonl(*({"id": name, "f": 1} for name in (1, 2, "other")))),
        ("simgroup --singletons", jsonl({"id": 7}, {"id": 1})),
        ("shingle -k1 --max-df 2 --df-table", TABLE),
        ("shingle --key-file", b"a secret of some length, which is to be kept"),
        ("sketch --simhash --weights", WEIGHTS),
        ("sketch --lexicon", WEIGHTS),
        ("canon --stop", b"word\n"),
        ("canon --drop-numbers --stop", b"or\n"),
    ],
)
def test_files_that_options_name(command: str, content: bytes, tmp_path: Path) -> None:
    """The same recipe, too: it tells the hash of what the file holds."""
    source = jsonl(good(program(command), 1), good(program(command), 2))
    (tmp_path / "named").write_bytes(content)
    expected = run_here(f"{command} named", stdin=source, cwd=tmp_path).good()
    for suffix in MAKE:
        (tmp_path / "named").write_bytes(members(content, suffix))
        assert run_here(f"{command} named", stdin=source, cwd=tmp_path).good() == expected
    (tmp_path / "named").write_bytes(gzip.compress(content)[:-9])
    ran = run_here(f"{command} named", stdin=source, cwd=tmp_path)
    assert ran.status == 2
    assert "named: the gzip data end too early" in ran.err


def test_tables_have_no_limit_but_that_of_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompression, "MAX_BYTES", 1000)
    source = jsonl(good("sketch", 1))
    (tmp_path / "named").write_bytes(gzip.compress(WEIGHTS * 100))
    assert run_here("sketch --simhash --weights named", stdin=source, cwd=tmp_path).good()
    (tmp_path / "named").write_bytes(gzip.compress(jsonl({"shingle": "0" * 16, "weight": 4, "more": "." * 600_000})))
    ran = run_here("sketch --simhash --weights named", stdin=source, cwd=tmp_path)
    cause = "compressed, with more than 1000 bytes in one line: give it decompressed"
    assert (ran.status, ran.err) == (2, f"sketch: --weights: named: {cause}\n")


def test_an_archive_of_compressed_records(tmp_path: Path) -> None:
    data = jsonl(*({"id": number, "sketch": f"{number:08x}"} for number in range(9)))
    (tmp_path / "sketches").write_bytes(data)
    run_here("simindex add plain sketches", cwd=tmp_path).good()
    (tmp_path / "sketches").write_bytes(lzma.compress(data))
    run_here("simindex add packed sketches", cwd=tmp_path).good()
    expected = run_here("simindex dump plain", cwd=tmp_path).good()
    assert expected.count(b"\n") == 9
    assert run_here("simindex dump packed -o dump.gz", cwd=tmp_path).good() == b""
    assert gzip.decompress((tmp_path / "dump.gz").read_bytes()) == expected


def test_what_is_known_before_codecs_are_loaded() -> None:
    assert {codec.suffix for codec in CODECS} == set(compression_detection.SUFFIXES)
    assert {byte for codec in CODECS for start in codec.starts for byte in start[0]} == set(compression_detection.FIRST)
    assert max(len(start) for codec in CODECS for start in codec.starts) <= compression_detection.HEAD_BYTES


def test_files_that_are_counted_before_they_are_filtered(tmp_path: Path) -> None:
    """So they are read twice."""
    data = jsonl(*({"id": number, "text": f"the same {number}"} for number in range(9)))
    (tmp_path / "docs").write_bytes(data)
    expected = run_here("shingle -k1 --max-df 2 docs", cwd=tmp_path).good()
    (tmp_path / "docs").write_bytes(bz2.compress(data))
    assert run_here("shingle -k1 --max-df 2 docs", cwd=tmp_path).good() == expected


@driven
@pytest.mark.parametrize("option", ["", "-o out"])
def test_what_ends_too_early(command: str, option: str, tmp_path: Path) -> None:
    """A failed run: whole lines of what was read may be out, but no file that -o names."""
    whole = run_here(command, stdin=jsonl(good(command, 1), good(command, 2)), cwd=tmp_path).good()
    (tmp_path / "docs.gz").write_bytes(gzip.compress(jsonl(good(command, 1), good(command, 2)))[:-1])
    ran = run_here(f"{command} docs.gz {option}", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"{program(command)}: docs.gz: the gzip data end too early\n")
    assert whole.startswith(ran.out)
    assert ran.out.endswith(b"\n" * bool(ran.out))
    assert [path.name for path in tmp_path.iterdir()] == ["docs.gz"]


@every_format
def test_damaged_data(suffix: str, tmp_path: Path) -> None:
    """What stands before the damage comes out, as of a file that can be read so far only."""
    data = DOCS.read_bytes()
    first, second = (MAKE[suffix](part) for part in (data[:100_000], data[100_000:]))
    expected = run_here("canon", stdin=data, cwd=tmp_path).good()
    name, path = NAMES[suffix], tmp_path / "docs"
    for content, said in [
        (first + second[: len(second) // 2], f"the {name} data end too early"),
        (first + second[:3], f"the {name} data end too early"),
        (first + b"\0\0more", f"other data follow the {name} data"),
        (first + MAKE["xz" if suffix == "gz" else "gz"](b""), f"other data follow the {name} data"),
        (first + second[:25] + bytes(9) + second[34:], f"the {name} data cannot be read ("),
    ]:
        path.write_bytes(content)
        ran = run_here("canon docs", cwd=tmp_path)
        assert ran.status == 2
        assert ran.err.startswith(f"canon: docs: {said}")
        assert ran.err.count("\n") == 1
        assert len(ran.out) > 50_000
        assert expected.startswith(ran.out)


def test_data_that_ask_for_too_much_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their first bytes say how much."""
    wide = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 22})
    files = {"zstd": wide.compress(b"{}\n") + wide.flush(), "xz": lzma.compress(b"{}\n")}
    monkeypatch.setattr(compression_formats, "MAX_DECODER_BYTES", 1 << 20)
    monkeypatch.setattr(compression_formats, "MAX_ZSTD_WINDOW", 20)
    for name, content in files.items():
        (tmp_path / "docs").write_bytes(content)
        ran = run_here("canon docs", cwd=tmp_path)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith(f"canon: docs: the {name} data cannot be read (")


def test_zstd_with_the_window_of_long_31(tmp_path: Path) -> None:
    """A frame by hand (RFC 8878): its window is 2 GB, and its block has one record."""
    line = b'{"id":1,"text":"A"}\n'
    block = (len(line) << 3 | 1).to_bytes(3, "little") + line
    (tmp_path / "docs").write_bytes(b"\x28\xb5\x2f\xfd" + bytes([0, 31 - 10 << 3]) + block)
    assert run_here("canon docs", cwd=tmp_path).good() == b'{"id":1,"text":"a","via":"canon/4"}\n'


@pytest.mark.parametrize(
    ("command", "what", "suffix"),
    [
        *(("canon", "one line", suffix) for suffix in MAKE),
        ("canon --whole", "it", "gz"),
        ("canon -j2", "one line", "gz"),
        ("dedup --groups", "one line", "gz"),
        ("canon --stop", "it", "gz"),
    ],
)
def test_a_few_kilobytes_that_stand_for_gigabytes(command: str, what: str, suffix: str, tmp_path: Path) -> None:
    """In as little memory as a line of the largest size takes, three times."""
    (tmp_path / "bomb").write_bytes(MAKE[suffix](bytes(1 << 20)) * 10_000)
    option = command.partition(" ")[2] if command.endswith(("--groups", "--stop")) else ""
    ran = shell(f"ulimit -v 450000; {command} bomb < /dev/null", tmp_path)
    where = f"{option}: bomb" if option else "bomb"
    cause = f"compressed, with more than 67108864 bytes in {what}: give it decompressed"
    more = " (shipped: en, ru, zh; iso:LANG for more)" if option == "--stop" else ""
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: {where}: {cause}{more}\n")


@every_format
def test_many_lines_may_be_more(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompression, "MAX_BYTES", 100_000)
    (tmp_path / "docs").write_bytes(MAKE[suffix](DOCS.read_bytes()))
    assert run_here("canon docs", cwd=tmp_path).good() == run_here("canon", DOCS, cwd=tmp_path).good()


@pytest.mark.parametrize(
    "text", [b"B", b"BZ", b"BZh9", b"BZh1AY&SY", b"BZh10", b"P", b"P*M", b"PAM", b"(", b"BZh91AY\n"]
)
def test_lines_that_begin_nearly_so(text: bytes, tmp_path: Path) -> None:
    (record,) = run_here("canon --lines", stdin=text, cwd=tmp_path).records()
    assert record["text"] == pipe(text, "canon --lines").decode().split('"text":"')[1].split('"')[0]
    err = run_here("canon --lines", stdin=b"\x1f\x8b", cwd=tmp_path).err
    assert err == "canon: -:1: not UTF-8 (byte 2)\ncanon: -: not one good record\n"


@given(st.sampled_from(sorted(MAKE)), st.lists(st.binary(max_size=40), max_size=5), st.integers(1, 50))
def test_any_members_in_any_parts(suffix: str, contents: list[bytes], size: int) -> None:
    data = b"".join(map(MAKE[suffix], contents))
    parts = (data[at : at + size] for at in range(0, len(data), size))
    assert b"".join(decompression.plain(parts, "docs")) == b"".join(contents)


@driven
@every_format
def test_compressed_output(command: str, suffix: str, tmp_path: Path) -> None:
    """What a decompressor gives back is the plain output, also where that is empty; the same bytes each time."""
    data = jsonl(*(good(command, number) for number in range(3)))
    for content in (data, b""):
        expected = run_here(command, stdin=content, cwd=tmp_path).good()
        name = f"out.{suffix}"
        written = set()
        for _ in range(2):
            assert run_here(command, "-o", name, stdin=content, cwd=tmp_path).good() == b""
            written.add((tmp_path / name).read_bytes())
        assert [READ[suffix](each) for each in written] == [expected]
        assert [path.name for path in tmp_path.iterdir()] == [name]


def test_compressed_output_has_neither_name_nor_time(tmp_path: Path) -> None:
    run_here("canon -o out.gz", DOCS, cwd=tmp_path).good()
    assert (tmp_path / "out.gz").read_bytes()[3:8] == bytes(5)


def test_a_second_output_is_compressed_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "groups").write_bytes(GROUP)
    docs = jsonl(good("dedup", 1), good("dedup", 2))
    kept = run_here("dedup --groups groups --removed gone.xz -o kept", stdin=docs, cwd=tmp_path)
    assert kept.good() == b""
    assert (tmp_path / "kept").read_bytes() == jsonl(good("dedup", 1))
    assert lzma.decompress((tmp_path / "gone.xz").read_bytes()) == jsonl(good("dedup", 2))


@pytest.mark.slow
@every_format
def test_workers_and_reads_do_not_change_compressed_output(suffix: str, tmp_path: Path) -> None:
    """A library's compressor may make other bytes of the same data in other parts."""
    lines = DOCS.read_bytes().splitlines()
    data = b"".join(line.replace(b'{"id":"', b'{"id":"%d-' % copy) + b"\n" for copy in range(5) for line in lines)
    (tmp_path / "docs").write_bytes(data)
    script = "canon docs -o a; canon -j2 docs -o b; (head -9 docs; tail -n +10 docs) | canon -o c"
    assert shell(re.sub("-o .", rf"\g<0>.{suffix}", script), tmp_path).good() == b""
    assert len({(tmp_path / f"{name}.{suffix}").read_bytes() for name in "abc"}) == 1


@settings(max_examples=8)
@given(st.sampled_from(CODECS), st.lists(st.integers(0, 300_000), max_size=6))
def test_compressed_bytes_depend_on_no_parts(codec: compression_formats.Codec, cuts: list[int]) -> None:
    data = b"".join(b"%x " % (number * number) for number in range(60_000))
    edges = [0, *sorted(cuts), len(data)]
    made = []
    for bounds in ([0, len(data)], edges):
        packer = Compressing(codec, "out")
        parts = [packer.add(data[start:end]) for start, end in pairwise(bounds)]
        made.append(b"".join(parts) + packer.finish())
    assert made[0] == made[1]


@driven
def test_a_full_disk_under_compressed_output(command: str, tmp_path: Path) -> None:
    """All of it may be written at the end only."""
    (tmp_path / "full.gz").symlink_to("/dev/full")
    ran = run_here(command, "-o", "full.gz", stdin=jsonl(good(command, 1)), cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: full.gz: No space left on device\n")


def test_a_full_disk_leaves_no_compressed_file(tmp_path: Path) -> None:
    ran = shell(f"ulimit -f 8; trap '' XFSZ; canon {DOCS} -o out.zst", tmp_path)
    assert (ran.status, ran.err) == (2, "canon: out.zst: File too large\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@every_format
def test_a_signal_leaves_no_compressed_file(suffix: str, tmp_path: Path) -> None:
    words = ["env", "--default-signal=INT", str(BIN / "canon"), "-o", f"out.{suffix}"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=ENVIRONMENT)
    assert process.stdin is not None
    process.stdin.write(DOCS.read_bytes())
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not has_open(process.pid, tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == -signal.SIGTERM
    process.stdin.close()
    assert list(tmp_path.iterdir()) == []


def test_output_to_a_pipe_whose_name_ends_so(tmp_path: Path) -> None:
    expected = run_here("canon", DOCS, cwd=tmp_path).good()
    assert shell(f"mkfifo out.gz; canon {DOCS} -o out.gz & zcat < out.gz; wait $!", tmp_path).good() == expected
    assert run_process("canon", DOCS, "-o", "/dev/stdout").good() == expected


@driven
def test_rejects_are_not_compressed(command: str, tmp_path: Path) -> None:
    """They are there as they come, even if the run is killed."""
    ran = run_here(command, "--rejects", "bad.zst", stdin=b"bad\n", cwd=tmp_path)
    message = f"{program(command)}: --rejects bad.zst: bad records are kept as they came, as plain lines\n"
    assert (ran.status, ran.err) == (2, message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["lz4", "lzma", "Z", "zip", "7z", "br", "parquet"])
def test_a_name_that_says_what_is_not_written(ending: str, tmp_path: Path) -> None:
    """Else the file would be plain lines, whatever it is called."""
    ran = run_here("canon", "-o", f"out.{ending}", str(DOCS), cwd=tmp_path)
    message = f"canon: out.{ending}: cannot write {ending}, only .gz, .zst, .bz2, .xz\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)
    ran = run_here("dedup --groups /dev/null --removed", f"out.{ending}", str(DOCS), cwd=tmp_path)
    if ending == "parquet":  # a format that dedup writes, if it reads it
        message = "canon: out.parquet: the output has the format of the input, which is not .parquet\n"
    assert (ran.status, ran.err) == (2, message.replace("canon", "dedup"))
    ran = run_here("canon", "--rejects", f"bad.{ending}", str(DOCS), cwd=tmp_path)
    kept = "bad records are kept as they came, as plain lines"
    assert (ran.status, ran.err) == (2, f"canon: --rejects bad.{ending}: {kept}\n")
    assert list(tmp_path.iterdir()) == []


def test_zstd_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run fails at once, and no output is touched."""
    monkeypatch.setattr(compression_formats, "zstd", lazy_imports.module("no_such_package"))
    monkeypatch.setattr(sys, "version_info", (3, 11))
    (tmp_path / "docs").write_bytes(zstd.compress(DOCS.read_bytes()))
    (tmp_path / "out.zst").write_bytes(b"before")
    install = "pip install backports.zstd (or pip install '.[zstd]' in a clone of the source)"
    for option, named in (("docs", "docs"), ("-o out.zst", "out.zst"), ("--stop docs", "--stop: docs")):
        ran = run_here(f"canon {option}", cwd=tmp_path)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith(f"canon: {named}: zstd data need backports.zstd: {install}")
    assert (tmp_path / "out.zst").read_bytes() == b"before"


def test_a_format_that_python_was_built_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression_formats, "lzma", lazy_imports.module("no_such_package"))
    (tmp_path / "docs").write_bytes(lzma.compress(b""))
    ran = run_here("canon docs", cwd=tmp_path)
    why = "xz data need Python's own module for them, without which this one was built"
    assert (ran.status, ran.err) == (2, f"canon: docs: {why}\n")


@every_format
def test_progress_counts_the_bytes_of_the_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / "docs"
    path.write_bytes(MAKE[suffix](DOCS.read_bytes()))
    assert sum(batch.size for batch in streams.read_batches([str(path)])) == path.stat().st_size
    assert streams.read_whole(str(path))[1] == path.stat().st_size


def test_a_compressed_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interruptible_reads, "READ_BYTES", 20_000)
    path = tmp_path / "docs"
    path.write_bytes(gzip.compress(DOCS.read_bytes()))
    batches = streams.read_batches([str(path)])
    next(batches)
    os.truncate(path, 30_000)
    with pytest.raises(Failed, match="docs: cut short while it was read"):
        list(batches)


@pytest.mark.skipif(shutil.which("zstd") is None, reason="the program zstd is not here")
def test_the_programs_of_the_formats_read_what_is_written(tmp_path: Path) -> None:
    expected = run_here("canon", DOCS, cwd=tmp_path).good()
    for suffix, reader in (("gz", "gzip"), ("zst", "zstd"), ("bz2", "bzip2"), ("xz", "xz")):
        run_here("canon", DOCS, "-o", f"out.{suffix}", cwd=tmp_path).good()
        assert shell(f"{reader} -dc out.{suffix}", tmp_path).good() == expected
