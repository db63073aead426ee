"""dedup writes Parquet as it read it, but for the rows that are removed: types, values, metadata, marks."""

import datetime
import io
import json
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dedup.test_restored import COUNT, KEPT, TEXTS, K, there_and_back
from harness import jsonl, pipe, run, run_here, shell
from shingletools.reading.formats import column_files


def rows_of(query: str) -> list[Any]:
    """What DuckDB answers."""
    found = duckdb.sql(query)
    assert found is not None
    return found.fetchall()


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
        monkeypatch.setattr(column_files, "GROUP_BYTES", group)
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
