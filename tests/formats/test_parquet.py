"""Rows of Parquet as records."""

import base64
import datetime
import decimal
import gzip
import io
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.parquet import encryption

from harness import run, run_here, run_process, shell
from shingletools.reading.formats import column_files

TIME = datetime.datetime(2020, 1, 2, 3, 4, 5, 6)
COLUMNS = [  # values, their type, and what JSON has for them
    ([1, None], pa.int64(), "1", "null"),
    ([2**64 - 1, 0], pa.uint64(), "18446744073709551615", "0"),
    ([True, False], pa.bool_(), "true", "false"),
    ([1.5, float("nan")], pa.float64(), "1.5", '"NaN"'),
    ([float("inf"), float("-inf")], pa.float32(), '"Infinity"', '"-Infinity"'),
    ([decimal.Decimal("1.10"), None], pa.decimal128(9, 2), "1.1", "null"),
    ([b"\xff", b"a"], pa.binary(), '"/w=="', '"YQ=="'),
    ([TIME.date(), None], pa.date32(), '"2020-01-02"', "null"),
    ([TIME, None], pa.timestamp("us"), '"2020-01-02T03:04:05.000006"', "null"),
    ([TIME, None], pa.timestamp("us", "+01:00"), '"2020-01-02T03:04:05.000006Z"', "null"),
    ([TIME, None], pa.timestamp("ns"), '"2020-01-02T03:04:05.000006000"', "null"),
    ([TIME.time(), None], pa.time64("us"), '"03:04:05.000006"', "null"),
    ([["a", None], []], pa.list_(pa.string()), '["a",null]', "[]"),
    ([[TIME], None], pa.large_list(pa.timestamp("ns", "UTC")), '["2020-01-02T03:04:05.000006000Z"]', "null"),
    ([[TIME, None]] * 2, pa.list_(pa.timestamp("ns"), 2), *['["2020-01-02T03:04:05.000006000",null]'] * 2),
    ([{"x": {"y": b"\xff"}}, None], pa.struct({"x": pa.struct({"y": pa.binary()})}), '{"x":{"y":"/w=="}}', "null"),
    ([[("k", 1)], []], pa.map_(pa.string(), pa.int8()), '{"k":1}', "{}"),
    ([b"0123456789abcdef", None], pa.binary(16), '"MDEyMzQ1Njc4OWFiY2RlZg=="', "null"),
    ([bytes(range(16)), None], pa.uuid(), '"00010203-0405-0607-0809-0a0b0c0d0e0f"', "null"),
    (["é", "e"], pa.dictionary(pa.int8(), pa.string()), '"é"', '"e"'),
    (["é", "e"], pa.string_view(), '"é"', '"e"'),
    ([b"\xff", b"a"], pa.binary_view(), '"/w=="', '"YQ=="'),
    ([1.5, None], pa.float16(), "1.5", "null"),
    ([decimal.Decimal(10**37), decimal.Decimal(7)], pa.decimal128(38, 0), "1" + "0" * 37, "7"),
    ([2932896 + 1, -719162 - 1], pa.date32(), '"10000-01-01"', '"0000-12-31"'),
    ([2**63 - 1, None], pa.timestamp("us"), '"294247-01-10T04:00:54.775807"', "null"),
    ([1, 86_399_000_001_000], pa.time64("ns"), '"00:00:00.000000001"', '"23:59:59.000001"'),
    ([86_400_000_000, 0], pa.time64("us"), '"24:00:00"', '"00:00:00"'),
    ([datetime.timedelta(days=1, microseconds=5), None], pa.duration("us"), '"PT86400.000005S"', "null"),
    ([[(1, 2)], None], pa.map_(pa.int8(), pa.int8()), '{"1":2}', "null"),
    (
        [[{"a": [TIME]}, None], []],
        pa.list_(pa.struct({"a": pa.list_(pa.date32())})),
        '[{"a":["2020-01-02"]},null]',
        "[]",
    ),
]


def written(path: Path, **columns: object) -> Path:
    pq.write_table(pa.table(columns), path, row_group_size=100)
    return path


def is_written(kind: pa.DataType) -> bool:
    """Whether this pyarrow writes such columns, as the oldest one does not write views."""
    try:
        pq.write_table(pa.table({"x": pa.nulls(1, kind)}), io.BytesIO())
    except pa.ArrowNotImplementedError:
        return False
    return True


class PlainKeys(encryption.KmsClient):  # type: ignore[misc]
    """A key server that wraps no keys."""

    def wrap_key(self, key: bytes, _name: str) -> str:
        return base64.b64encode(key).decode()

    def unwrap_key(self, key: str, _name: str) -> bytes:
        return base64.b64decode(key)


def array_of(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Times beyond those of Python are given as integers."""
    if pa.types.is_float16(kind):
        return pa.array([None if value is None else np.float16(value) for value in values], kind)
    if pa.types.is_temporal(kind) and any(isinstance(value, int) for value in values):
        return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    return pa.array(values, kind)


def test_columns_become_values_of_json(tmp_path: Path) -> None:
    shown_here = [column for column in COLUMNS if is_written(column[1])]
    columns = {f"c{place}": array_of(values, kind) for place, (values, kind, _, _) in enumerate(shown_here)}
    written(tmp_path / "a", id=["x", "y"], text=["A b", "B"], **columns)
    lines = run_here("canon", "--parquet", "a", cwd=tmp_path).good().decode().splitlines()
    for line, name, text, shown in zip(lines, "xy", ("a b", "b"), (2, 3), strict=True):
        others = "".join(f',"c{place}":{column[shown]}' for place, column in enumerate(shown_here))
        assert line == f'{{"id":"{name}","text":"{text}"{others},"via":"canon/4"}}'


def test_a_list_of_a_fixed_size_that_is_not_there(tmp_path: Path) -> None:
    """pyarrow reads it since version 26; one before does not."""
    written(tmp_path / "a", id=["x"], text=["A"], list=pa.array([None], pa.list_(pa.int64(), 2)))
    ran = run_here("canon", "--parquet", "a", cwd=tmp_path)
    if int(pa.__version__.partition(".")[0]) >= 26:
        assert ran.good() == b'{"id":"x","text":"a","list":null,"via":"canon/4"}\n'
    else:
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith("canon: a: not Parquet, or damaged: Expected all lists to be of size=2")


def test_bytes_are_text_in_the_fields_that_are_read(tmp_path: Path) -> None:
    inner = pa.array([{"content": b"A", "more": b"A"}, {"content": b"B", "more": b"B"}, {"content": None, "more": b""}])
    written(tmp_path / "a", key=[b"x", b"\xff", b"z"], body=inner)
    ran = run_here("canon --parquet --id key --text body.content --rejects bad a", cwd=tmp_path)
    named = b'"named":"--id key --text body.content"'
    assert ran.out == b'{"key":"x","body":{"content":"a","more":"QQ=="},%b,"via":"canon/4"}\n' % named
    assert ran.err == 'canon: a:2: not UTF-8\ncanon: a:3: field "body.content" is not a string\n'
    assert (tmp_path / "bad").read_bytes().split(b"\n") == [
        b'{"key":"\xff","body":{"content":"B","more":"Qg=="}}',
        b'{"key":"z","body":{"content":null,"more":""}}',
        b"",
    ]


def test_a_uuid_is_an_id(tmp_path: Path) -> None:
    written(tmp_path / "a", id=pa.array([bytes(range(16))], pa.uuid()), text=["A b"])
    (record,) = run_here("canon", "--parquet", "a", cwd=tmp_path).records()
    assert record == {"id": "00010203-0405-0607-0809-0a0b0c0d0e0f", "text": "a b", "via": "canon/4"}


def test_rows_are_counted_over_row_groups_and_files(tmp_path: Path) -> None:
    written(tmp_path / "a", text=pa.array(["x"] * 250 + [None]))
    written(tmp_path / "b", text=["y"])
    ran = run_here("canon --parquet --number a b", cwd=tmp_path)
    assert ran.err == 'canon: a:251: field "text" is not a string\n'
    assert ran.out.splitlines()[-1] == b'{"id":252,"text":"y","via":"canon/4"}'
    one, two = (run(f"canon --parquet --number -j {jobs} a b", cwd=tmp_path) for jobs in (1, 2))
    assert (one.status, one.out, one.err) == (two.status, two.out, two.err) == (1, ran.out, ran.err)


def test_what_cannot_be_read_ends_the_run(tmp_path: Path) -> None:
    data = written(tmp_path / "a", id=["x"], text=["A"]).read_bytes()
    (tmp_path / "cut").write_bytes(data[:-9])
    (tmp_path / "text").write_bytes(b"no Parquet")
    written(tmp_path / "textless", id=["x"])
    broken = data.replace(b"PAR1", b"PAR1", 1)[:4] + b"\xff" * 40 + data[44:]
    (tmp_path / "broken").write_bytes(broken)
    (tmp_path / "names").write_bytes(data.replace(b"text", b"te\xfft"))
    for name in ("cut", "text", "broken", "names"):
        ran = run_here("canon", "--parquet", name, cwd=tmp_path)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith(f"canon: {name}: not Parquet, or damaged: ")
        assert ran.err.count("\n") == 1
        assert "\\n" not in ran.err
    (tmp_path / "packed").write_bytes(gzip.compress(data))
    ran = run_here("canon", "--parquet", "packed", cwd=tmp_path)
    message = "canon: packed: gzip data, not Parquet: decompress it first\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)
    for options, said in [
        ("a --text none", 'a: no column "none" among "id", "text"'),
        ("textless", 'textless: no column "text" among "id"; --text NAME says which is meant'),
        ("-", "-: Parquet is read from its end, which a pipe does not allow"),
    ]:
        ran = run_process("canon", "--parquet", *options.split(), cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"canon: {said}\n")
    assert shell("canon --parquet < a", tmp_path).records()[0]["text"] == "a"


@pytest.mark.parametrize("command", ["canon", "dedup --pairs /dev/null"])
def test_what_pyarrow_cannot_read_is_said(command: str, tmp_path: Path) -> None:
    """An encrypted file is not damaged, and neither is one of Polars with integers of 128 bits."""
    name = command.partition(" ")[0]
    factory = encryption.CryptoFactory(lambda _: PlainKeys())
    settings = {"footer_key": "key", "data_key_length_bits": 128}
    for all_of_it in ({"uniform_encryption": True}, {"plaintext_footer": True, "column_keys": {"key": ["text"]}}):
        configured = encryption.EncryptionConfiguration(**settings, **all_of_it)
        secret = factory.file_encryption_properties(encryption.KmsConnectionConfig(), configured)
        table = pa.table({"id": ["x"], "text": ["A"]})
        with pq.ParquetWriter(tmp_path / "a", table.schema, encryption_properties=secret) as writer:
            writer.write_table(table)
        ran = run_here(*command.split(), "--parquet", "a", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"{name}: a: encrypted Parquet: decrypt it first\n")
    wide = pl.Series([1], dtype=pl.Int128)
    pl.DataFrame({"id": ["x"], "text": ["A"], "wide": wide}).write_parquet(tmp_path / "a")
    ran = run_here(*command.split(), "--parquet", "a", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert re.fullmatch(rf"{name}: a: pyarrow cannot read it: .*64 bits.*\n", ran.err)


def test_one_text_of_many_rows_is_not_held_for_each(tmp_path: Path) -> None:
    """20,000 rows of a megabyte in a file of 130 kB: in a tenth of the memory that all need, the first go out."""
    text = pa.DictionaryArray.from_arrays(np.zeros(20_000, np.int32), pa.array(["a " * 500_000]))
    written(tmp_path / "a", id=np.arange(20_000), text=text)
    assert shell("ulimit -v 2000000; (canon --parquet a; true) | head -n 3 | wc -l", tmp_path).good() == b"3\n"


def test_a_page_beyond_memory_is_reported(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["x"], "text": ["a" * (1 << 28)]}), tmp_path / "a", compression="none")
    ran = shell("ulimit -v 600000; OMP_NUM_THREADS=1 canon --parquet a", tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", "canon: out of memory\n")


def test_a_few_bytes_do_not_become_any_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of 128 MB in 4 kB; 64 rows of 32 MB in 4 kB, of which some are read together; rows without end."""
    text = pa.array(["a " * (1 << 24)])
    same = pa.DictionaryArray.from_arrays(np.zeros(64, np.int32), text)
    pq.write_table(pa.table({"id": ["x"], "text": ["a" * (1 << 27)]}), tmp_path / "page", compression="zstd")
    pq.write_table(pa.table({"id": np.arange(64), "text": same}), tmp_path / "rows", compression="zstd")
    pq.write_table(pa.table({"text": ["x"] * 50_000}), tmp_path / "endless")
    ran = run_here("canon --parquet page", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert re.fullmatch(r"canon: page: a page of \d+ bytes would become 134217732: write it uncompressed\n", ran.err)
    assert shell("ulimit -v 2000000; (canon --parquet rows; true) | head -c 100000000 | wc -c", tmp_path).good()
    size = (tmp_path / "endless").stat().st_size
    monkeypatch.setattr(column_files, "MAX_EXPANSION", 10)
    ran = run_here("canon --parquet endless -o out", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"canon: endless: more than 10 rows for each of its {size} bytes\n")


@pytest.mark.parametrize(
    ("option", "module", "extra"), [("--parquet", "pyarrow", "parquet"), ("--warc", "fastwarc.stream_io", "warc")]
)
def test_a_package_that_is_missing_is_named_with_its_extra(
    option: str, module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for name in (option[2:], "column_files", "arrow_values", "http_pages", "warc_records"):
        monkeypatch.delitem(sys.modules, f"shingletools.reading.formats.{name}", raising=False)
    package = module.partition(".")[0]
    ran = run_here("canon", option, cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == (
        f"canon: {option} needs {package}: pip install {package} "
        f"(or, for all such, pip install '.[{extra}]' in a clone of the source)\n"
    )
