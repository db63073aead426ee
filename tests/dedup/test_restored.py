"""dedup writes what it reads: tables, lines, Parquet, WARC, arrays and names of files, but for what is removed.

Which documents go is decided here once more, by comparing all texts.
"""

import bz2
import csv
import datetime
import gzip
import io
import itertools
import json
import os
import random
import shutil
import struct
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import jsonl, pipe, run, run_here, shell
from shingletools.commands.dedup import rewritten_files
from shingletools.reading.formats import parquet_rewriter, warc

K = 3
COUNT = 60


def rows_of(query: str) -> list[Any]:
    """What DuckDB answers."""
    found = duckdb.sql(query)
    assert found is not None
    return found.fetchall()


def texts() -> list[str]:
    """Of which many are alike; some have commas, quotes and line feeds."""
    random.seed(7)
    words = [f"w{number}" for number in range(40)]
    bases = [random.choices(words, k=24) for _ in range(COUNT // 3)]
    made = []
    for _ in range(COUNT):
        some = list(random.choice(bases))
        if random.random() < 0.5:
            some[random.randrange(len(some))] = random.choice(words)
        made.append(random.choice((" ", ", ", "\n", ' "quoted" ')).join(some))
    return made


TEXTS = texts()


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.replace('"', " ").replace(",", " ").split()
    return {tuple(words[at : at + K]) for at in range(len(words) - K + 1)}


def keeps(order: Sequence[int], found: Sequence[str] = TEXTS) -> list[bool]:
    """Which texts are kept, if they are preferred in this order: none that has 0.6 of all shingles in common."""
    kept: list[int] = []
    for number in order:
        mine = shingles(found[number])
        alike = [len(mine & (other := shingles(found[place]))) / len(mine | other) for place in kept]
        if all(each < 0.6 for each in alike):
            kept.append(number)
    return [number in kept for number in range(len(found))]


KEPT = keeps(range(COUNT))


def there_and_back(folder: Path, files: str, keep: str = "", own: str = "") -> tuple[bytes, bytes]:
    """What is kept and what is removed, by a pipeline; by one process, too. own: options of all commands."""
    named = own if "--id" in own else ""
    before = f"canon {own} {files} | shingle -k {K} {own} | simjoin -t 0.6 {named}"
    after = f"dedup --pairs - {named} {files} {keep}"
    (folder / "script").write_text(
        f'{before} | {after} --removed gone -o left\nshingletools run "{before} | {after} -o one"\n'
    )
    assert run("bash", "-e", "-o", "pipefail", "script", cwd=folder).good() == b""
    assert (folder / "one").read_bytes() == (folder / "left").read_bytes()
    return (folder / "left").read_bytes(), (folder / "gone").read_bytes()


def test_some_go_and_some_stay() -> None:
    assert 20 < sum(KEPT) < COUNT - 10


def row(values: Sequence[object], delimiter: str = ",", end: str = "\n") -> bytes:
    made = io.StringIO(newline="")
    csv.writer(made, delimiter=delimiter, lineterminator=end, quoting=random.choice((0, 1, 2))).writerow(values)
    return made.getvalue().encode()


@pytest.mark.parametrize(
    ("options", "head", "end", "cut"),
    [
        ("--csv", "id", "\n", False),
        ("--csv", "name", "\r\n", True),
        ("--csv", "\ufeffid", "\r\n", False),
        ("--csv --delimiter ';'", "id", "\n", True),
        ("--csv", "name", "\n", False),
    ],
)
def test_rows_of_a_table(options: str, head: str, end: str, cut: bool, tmp_path: Path) -> None:
    delimiter = ";" if ";" in options else ","
    header = f"{head}{delimiter}text{delimiter}n{end}".encode()
    rows = [row([f"r {n}", text, n], delimiter, end) for n, text in enumerate(TEXTS)]
    if cut:
        rows[-1] = rows[-1].removesuffix(end.encode())
    (tmp_path / "table").write_bytes(header + b"".join(rows))
    left, gone = there_and_back(tmp_path, f"{options} table", own="--id name" if cut and head == "name" else "")
    assert left == header + b"".join(each for each, kept in zip(rows, KEPT, strict=True) if kept)
    assert gone == header + b"".join(each for each, kept in zip(rows, KEPT, strict=True) if not kept)
    assert (run_here(f"dedup --pairs /dev/null {options} table".replace("'", ""), cwd=tmp_path)).good() == (
        tmp_path / "table"
    ).read_bytes()


def test_tabs_without_a_header_and_several_files(tmp_path: Path) -> None:
    lines = [f"{n}\t{' '.join(text.split())}\tx" for n, text in enumerate(TEXTS)]
    (tmp_path / "a").write_text("\n".join(lines[:20]))  # without a line feed at its end
    (tmp_path / "b").write_text("\n".join(lines[20:]) + "\n")
    (tmp_path / "b.gz").write_bytes(gzip.compress((tmp_path / "b").read_bytes()))
    for second in ("b", "b.gz"):
        left, gone = there_and_back(tmp_path, f"--tsv --no-header a {second}", own="--text 2")
        kept = keeps(range(COUNT), [" ".join(text.split()) for text in TEXTS])
        for out, stays in ((left, True), (gone, False)):
            assert out.decode().splitlines() == [each for each, keep in zip(lines, kept, strict=True) if keep is stays]


def test_headers_must_agree(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("id,text\n1,a\n")
    (tmp_path / "b").write_text("id,text\n2,b\n")
    (tmp_path / "c").write_text("text,id\nc,3\n")
    assert run_here("dedup --pairs /dev/null --csv a b", cwd=tmp_path).good() == b"id,text\n1,a\n2,b\n"
    ran = run_here("dedup --pairs /dev/null --csv a c -o out", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "dedup: c: its columns are not those of a\n")
    assert not (tmp_path / "out").exists()


def test_a_numbered_table_of_which_pairs_name_no_row(tmp_path: Path) -> None:
    """All rows would stay, so the run fails. A table with ids may well have no pair of a larger one."""
    (tmp_path / "table").write_text("Nr,text\nn1,a\nn2,a\n")
    (tmp_path / "other").write_text("id,text\n1,a\n")
    (tmp_path / "pairs").write_bytes(jsonl({"a": "n1", "b": "n2"}))
    hint = "whose ids are the numbers of its rows: --id NAME says which column has its ids"
    for options in ("", "--dry-run", "--number --id x"):
        ran = run_here(f"dedup --pairs pairs {options} --csv table -o out", cwd=tmp_path)
        assert (ran.status, ran.err) == (2, f"dedup: --pairs names no document of the input, {hint}\n")
        assert not (tmp_path / "out").exists()
    assert run_here("dedup --pairs pairs --csv --id Nr table", cwd=tmp_path).good() == b"Nr,text\nn1,a\n"
    (tmp_path / "d.jsonl").write_bytes(jsonl({"id": 1}, {"id": 2}))
    pq.write_table(pa.table({"id": [1, 2, 3], "text": ["a", "b", "c"]}), tmp_path / "shard")
    for options in ("--csv other", "--parquet shard", "--number d.jsonl"):
        ran = run_here(f"dedup --pairs pairs {options} -o out", cwd=tmp_path)
        assert ran.status == 0, ran.err
        assert ran.err.startswith("dedup: --pairs names no document of the input: are their ids the same?")
    pq.write_table(pa.table({"text": ["a", "b", "c"]}), tmp_path / "shard")
    (tmp_path / "d.jsonl").write_bytes(b"{\n" + jsonl({"n": 1}, {"id": 2}))
    for options in ("--parquet shard", "--number d.jsonl"):
        ran = run_here(f"dedup --pairs pairs {options}", cwd=tmp_path)
        assert ran.status == 2
        assert ran.err.endswith(f"dedup: --pairs names no document of the input, {hint}\n")


def test_marks_are_columns(tmp_path: Path) -> None:
    rows = [["x", "a b, c", "1"], ["y", 'a "b" c', "2"], ["z", "other", "3"]]
    (tmp_path / "table").write_bytes(row(["id", "text", "n"]) + b"".join(row(each, end="\r\n") for each in rows))
    (tmp_path / "pairs").write_bytes(jsonl({"a": "x", "b": "y", "similarity": 0.5}))
    command = "dedup --pairs pairs --csv --keep max:n --annotate table"
    out = run_here(command, cwd=tmp_path).good()
    more = [["y", "max:n", "0.5"], ["", "", ""], ["", "", ""]]
    names = ["duplicate_of", "duplicate_by", "duplicate_similarity"]
    assert list(csv.reader(io.StringIO(out.decode(), newline=""))) == [
        ["id", "text", "n", *names],
        *(each + said for each, said in zip(rows, more, strict=True)),
    ]
    assert out.count(b"\r\n") == len(rows)
    (tmp_path / "table").write_bytes(out)
    again = run_here(command, cwd=tmp_path)
    assert (again.status, again.err) == (2, 'dedup: table: it has a column "duplicate_by" already\n')
    (tmp_path / "known").write_bytes(jsonl({"a": 1, "b": "old, one", "similarity": 1, "against": True}))
    (tmp_path / "table").write_bytes(b"text\na\nb\n")
    run_here("dedup --known known --csv table --removed gone", cwd=tmp_path).good()
    gone = f'text,{",".join(names)}\na,"old, one",known,1.0\n'
    assert (tmp_path / "gone").read_text() == gone


def test_bad_rows_are_neither_kept_nor_removed(tmp_path: Path) -> None:
    rows = [b"1,a\n", b"2\n", b"3,c\n", b"3,d\n", b"4,\xff\n", b"5,e\n", b"6,f\n"]
    (tmp_path / "table").write_bytes(b"id,text\n" + b"".join(rows))
    (tmp_path / "pairs").write_bytes(jsonl({"a": "5", "b": "3"}))
    ran = run_here("dedup --pairs pairs --csv table --removed gone --rejects bad", cwd=tmp_path)
    assert (ran.status, ran.out) == (1, b"id,text\n" + rows[0] + rows[2] + rows[6])
    assert (tmp_path / "gone").read_bytes() == b"id,text\n" + rows[5]
    assert (tmp_path / "bad").read_bytes() == rows[1] + rows[3] + rows[4]
    assert [line.partition("; ")[0] for line in ran.err.splitlines()] == [
        "dedup: table:3: 1 column, but the header has 2",
        'dedup: table:5: id "3" was seen before',
        "dedup: table:6: not UTF-8 (byte 3)",
    ]
    strict = run_here("dedup --pairs pairs --csv table --strict -o out", cwd=tmp_path)
    assert (strict.status, strict.err) == (2, "dedup: table:3: 1 column, but the header has 2\n")


def test_lines_and_records(tmp_path: Path) -> None:
    lines = [" ".join(text.split()) for text in TEXTS]
    kept = keeps(range(COUNT), lines)
    records = [json.dumps({"n": n, "text": text}) for n, text in enumerate(lines)]
    for options, content in (("--lines", lines), ("--number", records)):
        (tmp_path / "docs").write_text("\n".join(content))
        left, gone = there_and_back(tmp_path, f"{options} docs")
        for out, stays in ((left, True), (gone, False)):
            assert out.decode().splitlines() == [
                each for each, keep in zip(content, kept, strict=True) if keep is stays
            ]


def test_elements_of_an_array(tmp_path: Path) -> None:
    elements = [json.dumps({"id": n, "text": text, "x": [1, {}]}, indent=n % 3 or None) for n, text in enumerate(TEXTS)]
    (tmp_path / "docs").write_text("[" + ", ".join(elements) + "]")
    left, gone = there_and_back(tmp_path, "--array docs")
    for out, stays in ((left, True), (gone, False)):
        some = [each for each, kept in zip(elements, KEPT, strict=True) if kept is stays]
        assert out.decode() == "[\n" + ",\n".join(some) + "\n]\n"
    none = run_here("dedup --known known --array one", cwd=prepared(tmp_path))
    assert none.good() == b"[]\n"


def prepared(folder: Path) -> Path:
    (folder / "one").write_text('[{"id":1}]')
    (folder / "known").write_bytes(jsonl({"a": 1, "b": 2, "against": True}))
    return folder


def columns() -> "pa.Table":
    some = range(COUNT)
    time = datetime.datetime(2020, 1, 2, 3, 4, 5, 6)
    table = pa.table(
        {
            "text": pa.array(TEXTS, pa.large_string()),
            "n": pa.array(some, pa.int32()),
            "time": pa.array([time + datetime.timedelta(days=n) for n in some], pa.timestamp("us", "Europe/Berlin")),
            "list": pa.array([[n, None] if n % 3 else None for n in some], pa.list_(pa.int16())),
            "words": pa.array([f"w{n % 5}" for n in some]).dictionary_encode(),
            "map": pa.array([[("k", n)] for n in some], pa.map_(pa.string(), pa.int64())),
            "inner": pa.array(
                [{"x": {"y": b"\xff"}} if n % 2 else None for n in some],
                pa.struct({"x": pa.struct({"y": pa.binary()})}),
            ),
        }
    )
    return table.replace_schema_metadata({"of": "ours"})


def test_rows_of_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(columns(), tmp_path / "table", row_group_size=7, compression="zstd")
    table = pq.read_table(tmp_path / "table")  # some names of inner fields differ from those that were written
    there_and_back(tmp_path, "--parquet table")
    for name, stays in (("left", True), ("gone", False)):
        made = pq.read_table(tmp_path / name)
        assert made.equals(table.filter(pa.array([kept is stays for kept in KEPT])))
        assert made.schema.equals(table.schema, check_metadata=True)
        assert pq.ParquetFile(tmp_path / name).metadata.row_group(0).column(0).compression == "ZSTD"
    canon = run_here("canon --parquet table", cwd=tmp_path).good()
    pairs = pipe(canon, f"shingle -k {K}", "simjoin -t 0.6")
    (tmp_path / "pairs").write_bytes(pairs)
    run_here("dedup --pairs pairs --parquet table --annotate -o marked", cwd=tmp_path).good()
    marked = pq.read_table(tmp_path / "marked")
    assert marked.select(table.schema.names).equals(table)
    assert [str(kind) for kind in marked.schema.types[-3:]] == ["int64", "string", "double"]
    found = {(each["a"], each["b"]): each["similarity"] for each in map(json.loads, pairs.splitlines())}
    for number, (of, by, similarity) in enumerate(zip(*marked.columns[-3:], strict=True), 1):
        assert (of.as_py() is None) is KEPT[number - 1]
        if of.as_py() is not None:
            pair = sorted((number, of.as_py()))
            assert (by.as_py(), similarity.as_py()) == ("first", found[pair[0], pair[1]])
    for group in (1, 1 << 12):  # bytes that become a row group
        monkeypatch.setattr(parquet_rewriter, "GROUP_BYTES", group)
        run_here("dedup --pairs pairs --parquet table -o small.parquet", cwd=tmp_path).good()
        assert pq.read_table(tmp_path / "small.parquet").equals(pq.read_table(tmp_path / "left"))
    zipped = run_here("dedup --pairs pairs --parquet table -o small.gz", cwd=tmp_path)
    assert zipped.err == "dedup: small.gz: records stay as they are, and table is not so compressed\n"


def test_ids_of_parquet_give_their_type_and_files_become_one(tmp_path: Path) -> None:
    table = pa.table({"id": pa.array([2**40, 3], pa.uint64()), "text": ["a", "b"]})
    pq.write_table(table, tmp_path / "a")
    pq.write_table(table.set_column(0, "id", pa.array([5, 6], pa.uint64())), tmp_path / "b")
    pq.write_table(pa.table({"id": [7], "text": ["c"]}), tmp_path / "c")
    (tmp_path / "pairs").write_bytes(jsonl({"a": 2**40, "b": 6}))
    run_here("dedup --pairs pairs --parquet --annotate a b -o out", cwd=tmp_path).good()
    made = pq.read_table(tmp_path / "out")
    assert made.column("duplicate_of").to_pylist() == [None, None, None, 2**40]
    assert made.schema.field("duplicate_of").type == pa.uint64()
    assert made.column("duplicate_similarity").to_pylist() == [None] * 4
    ran = run_here("dedup --pairs pairs --parquet a c -o other", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "dedup: c: its schema is not that of a\n")


def made_by_duckdb(path: Path) -> None:
    duckdb.sql(f"""copy (select i id, 't' || i as "text", (4000000000 + i)::uinteger u4, (i % 200)::utinyint u1,
        (18446744073709551615 - i)::ubigint u8, i::hugeint h, case when i % 2 = 0 then 'infinity'::timestamp end "time",
        '10000-01-01'::date "day", interval (i) month span, uuid() uu, i::decimal(5, 0) d5, i::decimal(15, 2) d15,
        [i, null] ls, {{'a': [{{'b': i}}]}} st, map {{i: [i]}} mp, 'a'::enum ('b', 'a') en, '{{}}'::json js,
        null no from range({COUNT}) every (i)) to '{path}' (format parquet, compression gzip, row_group_size 2048)""")


def made_by_polars(path: Path) -> None:
    pl.DataFrame(
        {
            "id": range(COUNT),
            "text": TEXTS,
            "bytes": [b"\xff"] * COUNT,
            "category": pl.Series(["b", "a", None] * (COUNT // 3), dtype=pl.Categorical),
            "enum": pl.Series(["b", "a"] * (COUNT // 2), dtype=pl.Enum(["a", "b", "c"])),
            "length": pl.Series(range(COUNT), dtype=pl.Duration("ns")),
            "time": pl.Series(range(COUNT), dtype=pl.Time),
            "list": [["x", None], None] * (COUNT // 2),
            "u": pl.Series(range(COUNT), dtype=pl.UInt32),
        }
    ).write_parquet(path, compression="brotli")


def made_by_pyarrow(path: Path, **options: Any) -> None:
    """With columns of all kinds, of which some have their own compression."""
    table = columns().add_column(0, pa.field("id", pa.int64(), nullable=False), pa.array(range(COUNT)))
    try:
        pq.write_table(pa.table({"x": pa.nulls(1, pa.string_view())}), io.BytesIO())
    except pa.ArrowNotImplementedError:
        pass  # an old pyarrow
    else:
        table = table.append_column("view", pa.array(TEXTS, pa.string_view()))
    table = table.append_column("half", pa.array(np.arange(COUNT, dtype=np.float16)))
    table = table.append_column("a.b", pa.array([[{"c": n}] for n in range(COUNT)]))
    table = table.append_column("ns", pa.array([2**62 // 1000 * 1000] * COUNT, pa.timestamp("ns")))
    packing = {"id": "gzip", "list.list.item": "zstd", "map.key_value.key": "lz4"}
    pq.write_table(table, path, row_group_size=25, compression=packing, use_compliant_nested_type=False, **options)


def made_with_int96(path: Path) -> None:
    """9999-12-31 is beyond what pyarrow writes in this form, so it is put in the place of another time."""
    table = pa.table({"id": range(COUNT), "text": TEXTS, "time": pa.array([10**9] * COUNT, pa.timestamp("ns"))})
    form = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    pq.write_table(table, path, use_deprecated_int96_timestamps=True, **form)
    before, after = struct.pack("<qi", 10**9, 2440588), struct.pack("<qi", 1, 5373484)
    data = path.read_bytes()
    assert data.count(before) == COUNT
    path.write_bytes(data.replace(before, after))


MADE: list[Callable[[Path], None]] = [
    made_by_duckdb,
    made_by_polars,
    made_by_pyarrow,
    partial(made_by_pyarrow, version="1.0", data_page_version="2.0"),
    made_with_int96,
]


@pytest.mark.parametrize("make", MADE)
def test_parquet_comes_back_as_it_was(make: Callable[[Path], None], tmp_path: Path) -> None:
    """Types, metadata, compression and values, as pyarrow, DuckDB and Polars read them."""
    make(tmp_path / "in")
    (tmp_path / "known").write_bytes(jsonl({"a": 3, "b": 1, "similarity": 1.0, "against": True}))
    run_here("dedup --known known --parquet in -o out", cwd=tmp_path).good()
    run_here("dedup --known known --parquet in --annotate -o marked", cwd=tmp_path).good()
    before, after = (pq.ParquetFile(tmp_path / name) for name in ("in", "out"))
    assert before.schema_arrow.equals(after.schema_arrow, check_metadata=True)
    assert [each.compression for each in chunks(before)] == [each.compression for each in chunks(after)]
    whole, found, more = (
        pq.read_table(tmp_path / name, coerce_int96_timestamp_unit="us") for name in ("in", "out", "marked")
    )
    assert found.equals(pa.concat_tables([whole[:3], whole[4:]]))
    assert more.select(whole.column_names).equals(whole)
    if make != made_with_int96:  # which DuckDB and Polars read in nanoseconds
        seen = "select * {} from read_parquet('{}') where id <> 3"
        less = "exclude (span)" * (make == made_by_duckdb)  # intervals become bytes
        rows, others = (rows_of(seen.format(less, tmp_path / name)) for name in ("in", "out"))
        assert len(rows) == COUNT - 1
        assert rows == others
    if make == made_by_polars:
        assert pl.read_parquet(tmp_path / "out").equals(pl.read_parquet(tmp_path / "in").filter(pl.col("id") != 3))
    if make == made_with_int96:
        assert {each.physical_type for each in chunks(after)} == {"INT64", "BYTE_ARRAY", "INT96"}
        assert (tmp_path / "out").read_bytes().count(struct.pack("<qi", 0, 5373484)) >= 1  # it had a nanosecond


def chunks(file: Any) -> list[Any]:
    return [file.metadata.row_group(0).column(place) for place in range(file.metadata.num_columns)]


def test_times_of_both_kinds_are_refused(tmp_path: Path) -> None:
    """pyarrow writes no such file, so a time of day becomes a time here."""
    times = pa.array([1], pa.timestamp("us"))
    table = pa.table({"id": [1], "text": ["a"], "old": times, "new": pa.array([1], pa.time64("us"))})
    pq.write_table(table, tmp_path / "in", use_deprecated_int96_timestamps=True, store_schema=False)
    (tmp_path / "in").write_bytes((tmp_path / "in").read_bytes().replace(b"\x03new\x6c\x7c", b"\x03new\x6c\x8c"))
    assert pq.read_table(tmp_path / "in", coerce_int96_timestamp_unit="us")["new"].combine_chunks().equals(times)
    ran = run_here("dedup --pairs /dev/null --parquet in -o out", cwd=tmp_path)
    said = "dedup: in: some of its times are INT96, and some are not: write it with one kind\n"
    assert (ran.status, ran.err) == (2, said)


ID_TYPES: list[pa.DataType] = [
    *(pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "Asia/Tokyo")),
    *(pa.duration(unit) for unit in ("s", "ms", "us", "ns")),
    *(pa.time64("us"), pa.time64("ns"), pa.time32("s"), pa.time32("ms")),
    *(pa.date32(), pa.date64(), pa.binary(), pa.large_binary(), pa.binary(4), pa.large_string()),
    *(pa.uuid(), pa.decimal128(9, 0), pa.decimal256(40, 0), pa.uint8(), pa.dictionary(pa.int8(), pa.binary())),
]


@pytest.mark.parametrize("kind", ID_TYPES, ids=str)
def test_marks_of_parquet_have_the_type_of_the_ids(kind: pa.DataType, tmp_path: Path) -> None:
    """The values of ids are those of the rows that stay, as pyarrow reads them."""
    numbers = [number * (86_400_000 if kind == pa.date64() else 1) for number in (5, 60, 7, 86)]
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_dictionary(kind):
        ids = pa.array([f"é{number}".encode() for number in numbers], kind)
    elif isinstance(kind, pa.UuidType) or pa.types.is_fixed_size_binary(kind):
        ids = pa.array([b"%0*d" % (kind.byte_width, number) for number in numbers], kind)
    elif pa.types.is_temporal(kind):
        ids = pa.array(numbers, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    else:
        ids = pa.array([str(number) for number in numbers] if kind == pa.large_string() else numbers, kind)
    pq.write_table(pa.table({"id": ids, "text": ["a b", "a b", "c", "a b"]}), tmp_path / "in")
    (tmp_path / "pairs").write_bytes(shell("canon --parquet in | shingle -k 1 | simjoin -t 1", tmp_path).good())
    run_here("dedup --pairs pairs --parquet in --annotate -o out", cwd=tmp_path).good()
    made, read = (pq.read_table(tmp_path / name) for name in ("out", "in"))
    same = read["id"].combine_chunks()
    value_type = same.type.value_type if pa.types.is_dictionary(same.type) else same.type
    marks = made["duplicate_of"].combine_chunks()
    assert marks.type in (same.type, value_type)
    assert marks.cast(value_type).equals(same.cast(value_type).take(pa.array([None, 0, None, 0])))
    assert made.select(["id", "text"]).equals(read)


@pytest.mark.parametrize("indices", [pa.int8(), pa.int32()])
def test_ids_in_a_dictionary_give_their_type(indices: pa.DataType, tmp_path: Path) -> None:
    names = [f"x{number}" for number in range(100)]
    ids = pa.array(names).dictionary_encode().cast(pa.dictionary(indices, pa.string()))
    pq.write_table(pa.table({"id": ids, "text": names}), tmp_path / "table", row_group_size=7)
    kind = pq.read_schema(tmp_path / "table").field("id").type
    (tmp_path / "pairs").write_bytes(jsonl(*({"a": "x3", "b": f"x{number}"} for number in range(50, 100))))
    run_here("dedup --pairs pairs --parquet --annotate table -o out", cwd=tmp_path).good()
    made = pq.read_table(tmp_path / "out")
    assert pa.types.is_dictionary(kind)
    assert made.schema.field("id").type == made.schema.field("duplicate_of").type == kind
    assert made.column("id").to_pylist() == names
    assert made.column("duplicate_of").to_pylist() == [None] * 50 + ["x3"] * 50


@pytest.mark.parametrize("annotate", [False, True])
def test_short_indices_do_not_count_the_values_of_several_row_groups(annotate: bool, tmp_path: Path) -> None:
    kind = pa.dictionary(pa.int8(), pa.string())
    names = [f"{group}-{row}" for group in range(3) for row in range(100)]
    table = pa.table({"id": names, "text": names})
    with pq.ParquetWriter(tmp_path / "table", pa.schema({"id": kind, "text": pa.string()})) as writer:
        for group in range(3):
            some = table.slice(100 * group, 100)
            writer.write_table(some.set_column(0, "id", some["id"].dictionary_encode().cast(kind)))
    (tmp_path / "pairs").write_bytes(jsonl({"a": "0-1", "b": "2-5", "similarity": 1}))
    run(f"dedup --parquet --pairs pairs {'--annotate' * annotate} table -o out", cwd=tmp_path).good()
    made = pq.read_table(tmp_path / "out")
    assert made["id"].to_pylist() == [name for name in names if annotate or name != "2-5"]
    assert made.schema.field("id").type == kind
    if annotate:
        assert made["duplicate_of"].to_pylist() == ["0-1" if name == "2-5" else None for name in names]


@pytest.mark.parametrize(
    ("kind", "known", "said"),
    [
        (pa.int64(), "old", 'int64, which cannot hold "old"'),
        (pa.int32(), 1 << 40, "int32, which cannot hold 1099511627776"),
        (pa.int64(), 1 << 63, "int64, which cannot hold 9223372036854775808"),
        (pa.string(), 7, "string, which cannot hold 7"),
        (pa.decimal128(3), 1000, "decimal128(3, 0), which cannot hold 1000"),
        (pa.date32(), "now", 'date32[day], which cannot hold "now"'),
        (pa.date32(), "2020", 'date32[day], which cannot hold "2020"'),
        (pa.date32(), 7, "date32[day], which cannot hold 7"),
        (pa.duration("s"), "PT1.5S", 'duration[s], which cannot hold "PT1.5S"'),
        (pa.duration("s"), "PTS", 'duration[s], which cannot hold "PTS"'),
        (
            pa.timestamp("ms"),
            "2020-01-01T00:00:00.000001",
            'timestamp[ms], which cannot hold "2020-01-01T00:00:00.000001"',
        ),
    ],
)
def test_ids_of_an_archive_that_are_of_another_type_are_reported(
    kind: pa.DataType, known: int | str, said: str, tmp_path: Path
) -> None:
    ids = ["1", "2", "3"] if kind == pa.string() else [1, 2, 3]
    pq.write_table(pa.table({"id": pa.array(ids, kind), "text": ["a", "b", "c"]}), tmp_path / "table")
    name = run_here("canon --parquet table", cwd=tmp_path).records()[1]["id"]
    (tmp_path / "known").write_bytes(jsonl({"a": name, "b": known, "similarity": 1.0, "against": True}))
    for wanted in "--annotate -o out", "--removed gone -o out":
        ran = run_here(f"dedup --known known --parquet table {wanted}", cwd=tmp_path)
        assert (ran.status, ran.err) == (2, f"dedup: table: duplicate_of has the type of the ids, {said}\n")
    assert [*tmp_path.glob("out")] == []


def response(address: str, kind: str, body: bytes) -> bytes:
    block = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode() + body
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {address}\r\nContent-Length: {len(block)}\r\n"
    return head.encode() + b"WARC-Record-ID: <urn:x>\r\n\r\n" + block + b"\r\n\r\n"


def test_records_of_warc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
    pages = [response(f"http://x/{n}", "text/html", f"<p>{text}".encode()) for n, text in enumerate(TEXTS)]
    others = [response(f"http://x/i{n}", "image/png", b"x" * n) for n in range(COUNT)]
    for name in ("plain", "x.warc.gz"):
        pack: Callable[[bytes], bytes] = gzip.compress if name.endswith("gz") else bytes
        packed = [*map(pack, [about, *itertools.chain(*zip(pages, others, strict=True))])]
        (tmp_path / name).write_bytes(b"".join(packed))
        left, gone = there_and_back(tmp_path, f"--warc {name}")
        assert left == packed[0] + b"".join(packed[1 + 2 * n] * kept + packed[2 + 2 * n] for n, kept in enumerate(KEPT))
        assert gone == b"".join(packed[1 + 2 * n] for n, kept in enumerate(KEPT) if not kept)
        words = run_here("canon --warc", name, cwd=tmp_path).good()
        (tmp_path / "pairs").write_bytes(pipe(words, f"shingle -k {K}", "simjoin -t 0.6"))
        for block in (1, 1000):
            monkeypatch.setattr(warc, "READ_BYTES", block)
            out = run_here(f"dedup --pairs pairs --warc {name}", cwd=tmp_path)
            assert out.good() == left
    run_here("dedup --pairs pairs --warc x.warc.gz -o out.warc.gz", cwd=tmp_path).good()
    assert (tmp_path / "out.warc.gz").read_bytes() == left
    whole = b"".join([about, *pages])
    for name, content in (("whole.gz", gzip.compress(whole)), ("whole.bz2", bz2.compress(whole))):
        (tmp_path / name).write_bytes(content)
        ran = run_here(f"dedup --pairs pairs --warc {name} -o out", cwd=tmp_path)
        assert (ran.status, ran.err) == (
            2,
            f"dedup: {name}: compressed as a whole, not record by record: decompress it first\n",
        )
    ran = run_here("dedup --pairs pairs --warc plain -o out.gz", cwd=tmp_path)
    assert ran.err == "dedup: out.gz: records stay as they are, and plain is not so compressed\n"


NAMES = ["plain.txt", "two\nlines.txt", "- dash.txt", "é ü.txt", "sub/a.txt", "sub/b.txt", "sub/c\\n.md"]


def folder_of(tmp_path: Path) -> list[Path]:
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    paths = [tmp_path / "docs" / name for name in NAMES]
    for path, text in zip(paths, ["a b c d", "a b c d e", "x", "y", "x", "a b c d", "z"], strict=True):
        path.write_text(text)
    return sorted(paths, key=os.fsencode)


def test_names_of_files(tmp_path: Path) -> None:
    """Those of other than UTF-8 have no ids, and so are in neither list."""
    paths = folder_of(tmp_path)
    other = os.fsdecode(os.fsencode(tmp_path / "docs") + b"/\xff.txt")
    Path(other).write_text("a b c d")
    rest = "| shingle -k 1 | simjoin -t 0.8 > pairs"
    assert shell(f"canon --recursive docs {rest}", tmp_path).status == 1
    ran = run_here("dedup -0 --pairs pairs --recursive docs --removed gone", cwd=tmp_path)
    relative = [str(path.relative_to(tmp_path)) for path in paths]
    read = [Path(tmp_path / name).read_text() for name in relative]
    first = [  # an equal text, or one with one word more of five
        not any(other in text or text in other for other in read[:place]) for place, text in enumerate(read)
    ]
    assert ran.status == 1
    assert ran.out.decode().split("\0")[:-1] == [name for name, kept in zip(relative, first, strict=True) if kept]
    gone = [name for name, kept in zip(relative, first, strict=True) if not kept]
    assert (tmp_path / "gone").read_bytes().decode().split("\0")[:-1] == gone
    assert len(gone) == 3
    lines = run_here("dedup --pairs pairs --recursive docs", cwd=tmp_path)
    assert lines.status == 2
    assert "two\\nlines.txt: a name with a line feed: -0 ends names with zero bytes\n" in lines.err
    move = "mkdir away; xargs -0r mv --backup=numbered -t away -- < gone"
    shell(move, tmp_path).good()
    assert len(list((tmp_path / "away").iterdir())) == len(gone)
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.glob("docs/**/*.[tm]*")} == {
        *relative,
        str(Path(other).relative_to(tmp_path)),
    } - {*gone}


def test_names_of_whole_files_and_of_a_list(tmp_path: Path) -> None:
    folder_of(tmp_path)
    (tmp_path / "list").write_bytes(b"\0".join(os.fsencode(f"docs/{name}") for name in NAMES))
    script = (
        "canon --whole --files0-from list | shingle -k 1 | simjoin -t 0.8 > pairs\n"
        "dedup -0 --pairs pairs --whole --files0-from list --keep longest\n"
    )
    kept = shell(script, tmp_path).good().decode().split("\0")[:-1]
    assert kept == ["docs/two\nlines.txt", "docs/- dash.txt", "docs/é ü.txt", "docs/sub/c\\n.md"]
    simple = run_here("dedup --pairs pairs --whole docs/plain.txt docs/sub/b.txt", cwd=tmp_path)
    assert simple.out == b"docs/plain.txt\n"


@pytest.mark.parametrize(
    ("keep", "stays"),
    [("first", "Copy of b,\n.txt"), ("oldest", "c.txt"), ("newest", "a.txt"), ("shortest-name", "a.txt")],
)
def test_times_and_names_of_files(keep: str, stays: str, tmp_path: Path) -> None:
    """A table says who stays for whom; names of folders do not count, and of equal lengths the first is preferred."""
    times = {"docs/Copy of b,\n.txt": 3, "docs/sub/a.txt": 2**53 + 1, "docs/sub/c.txt": 1, "docs/x.txt": 2}
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    for name, time in times.items():
        (tmp_path / name).write_text("other" if name == "docs/x.txt" else "a b c d")
        os.utime(tmp_path / name, ns=(time, time))
    kept = next(name for name in times if name.endswith(stays))
    removed = [name for name in sorted(times) if name not in (kept, "docs/x.txt")]
    shell("canon --recursive docs | shingle -k 1 | simjoin -t 0.8 > pairs", tmp_path).good()
    command = f"dedup --pairs pairs --recursive docs --keep {keep}"
    assert run_here(f"{command} -0", cwd=tmp_path).good().decode().split("\0")[:-1] == sorted([kept, "docs/x.txt"])
    table = csv.reader(io.StringIO(run_here(f"{command} --annotate", cwd=tmp_path).good().decode(), newline=""))
    header, *rows = table
    assert header == ["name", "duplicate_of", "duplicate_by", "duplicate_similarity"]
    assert [row for row in rows if row[1]] == [[name, kept, keep, "1.0"] for name in removed]
    assert sorted(row[0] for row in rows if row[1:] == [""] * 3) == sorted([kept, "docs/x.txt"])
    figures = run_here(f"{command} -0v", cwd=tmp_path).err
    assert f"2 kept, 2 removed (2 by --keep {keep})" in figures


@pytest.mark.parametrize("keep", ["first", "longest", "shortest", "max:n", "min:n"])
def test_each_preference(keep: str, tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(b"id,text,n\n" + b"".join(row([n, text, 100 - n]) for n, text in enumerate(TEXTS)))
    orders = {
        "first": range(COUNT),
        "max:n": range(COUNT),
        "min:n": range(COUNT)[::-1],
        "longest": sorted(range(COUNT), key=lambda n: -len(TEXTS[n])),
        "shortest": sorted(range(COUNT), key=lambda n: len(TEXTS[n])),
    }
    left, _ = there_and_back(tmp_path, "--csv table", f"--keep {keep}")
    kept = keeps(orders[keep])
    ids = [int(each["id"]) for each in csv.DictReader(io.StringIO(left.decode(), newline=""))]
    assert ids == [number for number in range(COUNT) if kept[number]]


def test_files_that_change_fail_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "table").write_bytes(b"id,text\n1,a\n2,b\n")

    class Changing(rewritten_files.StoredDecisions):
        def __init__(self, dedup: rewritten_files.FileRewriter) -> None:
            super().__init__(dedup)
            with (tmp_path / "table").open("ab") as file:
                file.write(b"3,c\n")

    with monkeypatch.context() as patched:
        patched.setattr(rewritten_files, "StoredDecisions", Changing)
        ran = run_here("dedup --pairs /dev/null --csv table -o out", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "dedup: the files have more documents than before\n")
    # A pipe is opened for writing when dedup, which has looked at the files, opens it for reading
    meanwhile = "dedup --pairs pairs {} & exec 3> pairs; {}; exec 3>&-; wait $!"
    os.mkfifo(tmp_path / "pairs")
    ran = shell(meanwhile.format("--csv table -o out2", "printf '4,d\\n' >> table"), tmp_path)
    assert (ran.status, ran.err) == (
        2,
        "dedup: table: grew while it was read (what is read twice must not change until the end)\n",
    )
    (tmp_path / "docs").mkdir()
    for name in "ab":
        (tmp_path / "docs" / f"{name}.txt").write_text(name)
    ran = shell(meanwhile.format("--recursive docs -o out3", "printf c > docs/b.txt"), tmp_path)
    assert (ran.status, ran.err) == (2, "dedup: docs/b.txt: changed while it was compared\n")
    assert not any((tmp_path / name).exists() for name in ("out", "out2", "out3"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--csv", "--csv reads the input twice: name files"),
        ("--csv docs", "docs: not a regular file: --csv reads it twice"),
        ("--lines --annotate table", "--annotate cannot be combined with --lines, which cannot hold marks"),
        ("-0 --whole --annotate table", "-0 cannot be combined with --annotate, which writes a table"),
        ("--keep oldest --csv table", "--keep oldest is for files, and needs --whole or --recursive"),
        ("--keep newest --as text --whole table", "--as needs --keep min:FIELD or max:FIELD"),
        ("--marks table", "--marks needs --annotate"),
        ("--number --annotate table", "--annotate cannot be combined with --number, which cannot hold marks"),
        ("-0 --csv table", "-0 ends names of files, and needs --whole or --recursive"),
        ("--csv --keep min:date table", 'table:1: no column "date" among "id", "text"'),
        ("--csv --id nr table", 'table:1: no column "nr" among "id", "text"'),
    ],
)
def test_what_cannot_be_done(options: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "table").write_bytes(b"id,text\n1,a\n")
    ran = run_here(f"dedup --pairs /dev/null {options}", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: {said}\n")


def test_marks_alone(tmp_path: Path) -> None:
    """Of each format, those that --annotate gives JSON lines."""
    texts = ["a b", "a", "c", "a b c"]
    (tmp_path / "docs.jsonl").write_bytes(jsonl(*({"id": n, "text": text} for n, text in enumerate(texts, 1))))
    (tmp_path / "lines").write_text("".join(f"{text}\n" for text in texts))
    (tmp_path / "table").write_text("text\n" + "".join(f"{text}\n" for text in texts))
    (tmp_path / "array").write_text(json.dumps([{"text": text} for text in texts]))
    (tmp_path / "pairs").write_bytes(jsonl({"a": 1, "b": 2, "similarity": 0.5}, {"a": 4, "b": 2}, {"a": 1, "b": 4}))
    dedup = "dedup --pairs pairs --keep longest --annotate"
    expected = [
        {name: value for name, value in record.items() if name != "text"}
        for record in run_here(f"{dedup} docs.jsonl", cwd=tmp_path).records()
        if "duplicate_of" in record
    ]
    assert [(record["id"], record["duplicate_of"]) for record in expected] == [(1, 4), (2, 4)]
    for files in ("docs.jsonl", "--lines lines", "--csv table", "--array --number array"):
        run_here(f"{dedup} --marks {files} -o marks.jsonl", cwd=tmp_path).good()
        assert [json.loads(line) for line in (tmp_path / "marks.jsonl").read_bytes().splitlines()] == expected


def test_a_dry_run_has_the_figures(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(b"id,text\n1,a\n2,b\n3,c\n")
    (tmp_path / "pairs").write_bytes(jsonl({"a": "1", "b": "2"}))
    ran = run_here("dedup --pairs pairs --csv table --dry-run --removed gone", cwd=tmp_path)
    assert (ran.status, ran.out, (tmp_path / "gone").exists()) == (0, b"", False)
    assert ran.err.endswith("2 kept, 1 removed (1 by --keep first), 0 pairs of other documents\n")
    shutil.rmtree(tmp_path)


def test_an_output_whose_suffix_says_another_format(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id\n1\n")
    (tmp_path / "d.jsonl").write_text('{"id":1}\n')
    (tmp_path / "x.tsv").write_text("a\tb\n")
    (tmp_path / "r.nbib").write_text("PMID- 1\nTI  - a\n")
    (tmp_path / "refs").write_text("PMID- 1\nTI  - a\n")
    for options, path, is_right in (
        ("--csv t.csv", "out.parquet", False),
        ("--csv t.csv", "out.csv.gz", True),
        ("--csv t.csv", "out.dat", True),
        ("--csv t.csv", "out.tsv", False),
        ("--csv --annotate --marks t.csv", "out.csv", False),
        ("--csv --annotate --marks t.csv", "out.jsonl", True),
        ("--csv --delimiter ; t.csv", "out.tsv", True),
        ("d.jsonl", "out.TSV", False),
        ("d.jsonl", "out.ndjson", True),
        ("--whole d.jsonl", "out.csv", False),
        ("--whole --annotate d.jsonl", "out.csv", True),
        ("--lines x.tsv", "out.tsv", True),
        ("--ris r.nbib", "out.ris", False),
        ("--ris r.nbib", "out.bib.gz", False),
        ("--ris r.nbib", "out.nbib", True),
        ("--lines x.tsv", "out.ris", False),
        ("--lines d.jsonl", "out.jsonl", True),
        ("--ris refs", "out.ris", True),
    ):
        for option in ("-o", *["--removed"] * ("--annotate" not in options)):
            ran = run_here(f"dedup --pairs /dev/null {options} {option} {path}", cwd=tmp_path)
            ending = path[3:].lower().removesuffix(".gz")
            said = f"dedup: {path}: the output has the format of the input, which is not {ending}\n"
            assert (ran.status, ran.err) == ((0, "") if is_right else (2, said))
            assert (tmp_path / path).exists() is is_right
    ran = run_here("shingletools run -o out.csv", "canon d.jsonl | dedup --pairs nowhere", cwd=tmp_path)
    said = "dedup: out.csv: the output has the format of the input, which is not .csv\n"  # before pairs are read
    assert (ran.status, ran.err) == (2, said)
