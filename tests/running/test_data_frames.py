"""Data frames in Python: rows that stay as they were, ids that JSON lacks, columns of groups."""

import json
from collections.abc import Callable
from datetime import date, time
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any, cast
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shingletools import Failed, groups, run, unique

ROWS = [{"id": id_, "text": f"{number}", "n": number} for number, id_ in enumerate([3, 1, 1, None, 2, 5])]
FRAMES: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "pandas": lambda rows: pd.DataFrame(rows, index=[f"row {row['n']}" for row in rows]).astype({"id": "Int64"}),
    "polars": pl.DataFrame,
    "pyarrow": pa.Table.from_pylist,
    "duckdb": lambda rows: duckdb.from_arrow(pa.Table.from_pylist(rows)),
}


@pytest.mark.parametrize("library", FRAMES)
def test_frames_give_frames(library: str) -> None:
    """With the rows that dicts give, as they were, and a warning for bad ones; and columns of groups."""
    frame, pairs = FRAMES[library](ROWS), [{"a": 1, "b": 3}, {"a": 2, "b": 9}, {"a": 3, "b": 2}]
    expected = [record["n"] for record in unique(ROWS, pairs)]
    with pytest.warns(UserWarning) as warned:
        left = unique(frame, pairs)
    assert [str(each.message) for each in warned] == [
        'dedup: -:4: field "id" is neither a string nor an integer of 64 bits',
        "dedup: -:3: id 1 was seen before, so the document stays",
    ]
    same = FRAMES[library](ROWS)
    if library == "pandas":
        assert left.equals(same.iloc[expected])
    elif library == "polars":
        assert left.equals(same[expected])
    else:
        assert left.equals(pa.Table.from_pylist(ROWS).take(expected))
    column = groups(FRAMES[library](ROWS), pairs)
    values = column.to_list() if library in ("pandas", "polars") else column.to_pylist()
    assert [None if value is pd.NA else value for value in values] == [1, 1, 1, None, 1, 5]
    if library in ("pandas", "polars"):
        assert column.name == "group"
        assert library == "polars" or column.index.equals(same.index)


@pytest.mark.parametrize("library", ["", *FRAMES])
def test_unique_tells_what_could_not_be_compared(library: str) -> None:
    """Once, though documents are read twice; a document without a text stays, one without an id does not."""
    rows: list[dict[str, Any]] = [
        {"id": 1, "text": "abc"},
        {"id": 2, "text": None},
        {"id": 3, "text": "abc"},
        {"id": None, "text": "bcd"},
    ]
    said = [
        'canon: -:2: field "text" is not a string',
        'canon: -:4: field "id" is neither a string nor an integer of 64 bits',
        'dedup: -:4: field "id" is neither a string nor an integer of 64 bits',
    ]
    if not library:
        result = unique(rows)
        assert list(result) == rows[:2]
        assert [*map(str, result.rejected)] == result.messages == said
        repeated = unique([rows[0], rows[0], rows[2]])
        assert list(repeated) == [rows[0], rows[0]]
        said = [f"{command}: -:2: id 1 was seen before" for command in ("simjoin", "simcheck")]
        assert repeated.messages == [*said, "dedup: -:2: id 1 was seen before, so the document stays"]
        assert [each.command for each in result.figures] == ["canon", "shingle", "simjoin", "simcheck", "dedup"]
        return
    frame = FRAMES[library]([row | {"n": number} for number, row in enumerate(rows)])
    with pytest.warns(UserWarning) as warned:
        left = unique(frame)
    assert [str(each.message) for each in warned] == said
    column = left["n"]
    assert (column.to_list() if library in ("pandas", "polars") else column.to_pylist()) == [0, 1]


TIMES = pd.to_datetime([1, 2, 1 << 60, 3])  # of which only nanoseconds distinguish some
IDS: dict[str, Callable[[], Any]] = {  # columns of four different ids
    "timestamps": lambda: pd.Series(TIMES),
    "with a zone": lambda: pd.Series(TIMES.tz_localize("Asia/Tokyo")),
    "categories": lambda: pd.Series(TIMES).astype("category"),
    "durations": lambda: pd.Series(TIMES - TIMES[0]),
    "periods": lambda: pd.Series(pd.period_range("2020", periods=4, freq="M")),
    "dates": lambda: [date(2020, 1, day) for day in (1, 2, 3, 4)],
    "times": lambda: [time(1, second=second) for second in range(4)],
    "UUIDs": lambda: [UUID(int=number) for number in range(4)],
    "paths": lambda: [PurePosixPath(name) for name in "abcd"],
    "bytes": lambda: [name.encode() for name in "abcé"],
    "decimals": lambda: [Decimal(number) for number in (1, 2, 3, 1 << 62)],
    "complex": lambda: np.array([1j, 2j, 3j, 4j]),
    "sparse": lambda: pd.arrays.SparseArray([0, 1, 0, 3]) + 1000 * np.arange(4),
    "unsigned": lambda: np.array([0, 1, 1 << 63, (1 << 64) - 1], np.uint64),
    "of several types": lambda: ["a", 1, date(2020, 1, 1), UUID(int=1)],
}
TEXTS = ["the cats", "some dogs", "The cats!", "no bird"]


def texts_of(table: Any) -> list[str]:
    if isinstance(table, pa.Table):
        return cast(list[str], table["text"].to_pylist())
    return [row["text"] for row in table] if isinstance(table, list) else cast(list[str], table["text"].to_list())


@pytest.mark.parametrize("kind", IDS)
def test_ids_that_json_lacks(kind: str) -> None:
    """Rows are known by their place: whatever ids are, unique and groups find those of the pairs."""
    frame = pd.DataFrame({"id": IDS[kind](), "text": TEXTS, "unused": [{1}, 1j, object(), None]})
    tables: list[Any] = [frame, frame.to_dict("records")] if kind != "bytes" else [frame]
    if kind in ("dates", "times", "UUIDs", "paths", "bytes", "decimals"):
        tables.append(pl.DataFrame({"id": pl.Series(IDS[kind]()), "text": TEXTS}))
    elif kind not in ("periods", "complex", "sparse", "of several types"):
        tables.append(pl.from_pandas(frame[["id", "text"]]))
        tables.append(pa.Table.from_pandas(frame[["id", "text"]]))
    for table in tables:
        pairs = list(run("canon | shingle -k 1 | simjoin -t 1", table))
        for left in (unique(table, pairs), unique(table)):
            rows = list(left) if isinstance(table, list) else left
            assert texts_of(rows) == [TEXTS[place] for place in (0, 1, 3)]
            assert table is not frame or frame.drop(2).equals(rows)
        found = groups(table, pairs)
        names = found.to_pylist() if isinstance(table, pa.Table) else list(found)
        assert (names[0] == names[2], len({*names})) == (True, 3)


def test_columns_named_by_integers() -> None:
    frame = pd.DataFrame({0: [7, 8, 9], 1: ["cats", "cats", "dogs"], 2: [{1}, 1j, object()]})
    named = "--id 0 --text 1"
    for table in (frame, frame.to_dict("records")):
        pairs = list(run(f"canon {named} | shingle -k 1 | simjoin -t 1", table))
        assert [(pair["a"], pair["b"]) for pair in pairs] == [(7, 8)]
        assert list(groups(table, pairs, options="--id 0")) == [7, 7, 9]
        for left in (unique(table, pairs, options=named), unique(table, options=named)):
            assert [*left[0]] == [7, 9] if isinstance(left, pd.DataFrame) else [row[0] for row in left] == [7, 9]


def test_dicts_stay_the_same_objects(tmp_path: Path) -> None:
    """With NaN and what else JSON lacks, where it is not read; and with the marks of --annotate."""
    nan = float("nan")
    rows: list[Any] = [
        {"id": 1, "text": "The cats", "n": nan, "of": {1}},
        {"id": 2, "text": "the cats", "n": 1, "duplicate_of": 5},
        {"id": 2, "text": "the cats", "n": 1},
        {"id": 3, "text": nan, "n": b"a", "duplicate_of": 5},
        {"id": nan, "text": "birds", "n": nan},
        {"id": 4, "text": "birds", "n": nan, "of": object()},
    ]
    pairs = [{"a": 1, "b": 2, "similarity": 1.0}]
    for result in (unique(rows), unique(iter(rows), pairs), unique(rows, pairs, options="--keep min:id")):
        kept = list(result)
        assert [each["id"] for each in kept] == [1, 2, 3, 4]
        assert all(any(each is row for row in rows) for each in kept)
    lines = list(unique([rows[1], rows[4], *rows[1:3]], pairs).lines())
    assert [*map(json.loads, lines)] == [rows[1], *rows[1:3]]
    by_length = unique(rows, pairs, options="--keep longest")
    assert [each["id"] for each in by_length] == [1, 2, 4]
    assert 'dedup: -:4: field "text" is not a string' in by_length.messages
    marked = list(unique(rows, pairs, options="--annotate"))
    mark = {"duplicate_of": 1, "duplicate_by": {"rule": "first", "similarity": 1.0}}
    same = {name: value for name, value in rows[3].items() if name != "duplicate_of"}
    assert marked == [rows[0], {**rows[1], **mark}, rows[2], same, rows[5]]
    (marks,) = unique(rows, pairs, options="--annotate --marks")
    assert marks == {"id": 2, **mark}
    removed = tmp_path / "removed"
    assert (
        list(unique(rows[1:3], groups=[{"members": [2, 3]}], options=f"--keep none --removed {removed}")) == rows[2:3]
    )
    assert json.loads(removed.read_text()) == rows[1]
    assert list(unique([rows[2], b"bad", rows[0]], pairs, options="--annotate")) == [
        rows[2],
        {**rows[0], **mark, "duplicate_of": 2},
    ]
    mixed = unique([rows[0], b'{"id":2,"text":"b","x":1.0}', b'{"id":1,"text":""}'], pairs)
    assert list(mixed) == [rows[0], {"id": 1, "text": ""}]
    assert list(unique([b'{"id":1,"x":1.0}', rows[0]], pairs).lines()) == [b'{"id":1,"x":1.0}\n', b'{"id":1}\n']


def test_columns_of_arrow_that_cannot_be_taken() -> None:
    text = pa.array(["a", "a", "b", "a"])
    columns = {
        "id": pa.array(["a", "b", "c", "d"], pa.string_view()),
        "text": text.cast(pa.string_view()),
        "bytes": text.cast(pa.binary_view()),
        "runs": pa.RunEndEncodedArray.from_arrays([2, 3, 4], ["x", "y", "x"]),
        "odd": pa.array([{"x": [each]} for each in text.to_pylist()], pa.struct({"x": pa.list_(pa.string_view())})),
    }
    rows = pa.table(columns)
    left = unique(rows)
    assert left.schema == rows.schema
    assert left.to_pylist() == [rows.to_pylist()[0], rows.to_pylist()[2]]
    all_of_them = [{"members": ["a", "b", "c", "d"]}]
    for table in (rows, rows.select(["id", "text"]), pa.table({"id": [*"abcd"], "text": text})):
        none = unique(table, groups=all_of_them, options="--keep none")
        assert (none.schema, len(none)) == (table.schema, 0)


@pytest.mark.parametrize("library", ["pandas", "polars", "dicts"])
def test_pairs_that_come_back_from_a_frame(library: str) -> None:
    """Copies are marked in some pairs only, so the others have a missing value."""
    rows = [{"id": number, "text": text} for number, text in enumerate(["a b c", "a b c", "a b c d", "x"])]
    join = "canon | shingle -k 1 | simjoin -t 0.5 --copies once"
    table: Any = run(join, rows).to_polars() if library == "polars" else run(join, rows).to_pandas()
    pairs = table.to_dict("records") if library == "dicts" else table
    assert [record["id"] for record in unique(rows, pairs)] == [0, 3]
    assert unique(pd.DataFrame(rows), pairs)["id"].to_list() == [0, 3]
    assert groups(rows, pairs) == [0, 0, 0, 3]
    assert list(run("simgroup", pairs)) == list(run("simgroup", run(join, rows)))


def test_integers_stay_exact_in_frames() -> None:
    large = 9007199254740993
    rows: list[Any] = [{"id": large, "text": "a"}, {"id": 2, "text": "a"}, {"id": 3, "text": "b"}]
    result = unique(rows, [{"a": large, "b": 2}], options="--annotate").to_pandas()
    assert result["duplicate_of"].dropna().to_list() == [large]
    unsigned = [{"id": 1 << 63, "text": "a"}, {"id": (1 << 64) - 1, "text": "b"}]
    assert run("canon", unsigned).to_arrow()["id"].to_pylist() == [1 << 63, (1 << 64) - 1]
    assert run("canon", unsigned).to_polars()["id"].to_list() == [1 << 63, (1 << 64) - 1]
    with pytest.raises(Failed, match=r"to_arrow\(\): field 'n': integers that 64 bits do not hold"):
        run("canon", [{"id": 1, "text": "a", "n": 1 << 64}]).to_arrow()


def test_unique_names_the_first_bad_record_if_none_is_good() -> None:
    with pytest.raises(Failed, match="canon: -: not one good record") as failed:
        unique(pd.DataFrame({"id": [True, False], "text": ["a", "b"]}))
    assert failed.value.__notes__ == ['canon: -:1: field "id" is neither a string nor an integer of 64 bits']


def test_columns_that_cannot_be_documents_are_named() -> None:
    floats = pd.DataFrame({"id": [1, None], "text": ["a", "b"]})
    made = 'pandas makes them of integers beside missing ones, unless their type is "Int64"'
    message = f'the column "id" has floats, which cannot be ids; {made}'
    for call, said in (
        (lambda: list(run("canon", floats)), f"canon: documents: {message}"),
        (lambda: unique(pl.from_pandas(floats), [{"a": 1, "b": 2}]), f"dedup: documents: {message}"),
        (lambda: groups(floats, [{"a": 1, "b": 2}]), f"documents: {message}"),
    ):
        with pytest.raises(Failed) as failed:
            call()
        assert str(failed.value) == said
    assert [each["id"] for each in run("canon", floats.convert_dtypes())] == [1]
    texts = pd.DataFrame({"id": pd.Series(["a", np.nan, "c"], dtype=object), "text": ["a", "b", "a"]})
    assert groups(texts, [{"a": "a", "b": "c"}]).dropna().to_list() == ["a", "a"]
    with pytest.warns(UserWarning, match='dedup: -:2: field "id" is neither a string nor an integer of 64 bits'):
        assert unique(texts, [{"a": "a", "b": "c", "similarity": 1}])["id"].to_list() == ["a"]
    bad: list[Any] = [1.5, True, [1], 1 << 64]
    for each in bad:
        with pytest.raises(Failed, match='document 2: field "id" is neither a string nor an integer of 64 bits'):
            groups(pd.DataFrame({"id": pd.Series(["a", each], dtype=object)}), [])
        with pytest.raises(Failed, match='document 2: field "id" is neither a string nor an integer of 64 bits'):
            groups([{"id": 1}, {"id": each}], [])
    assert next(run("simgroup", pd.DataFrame({"a": [1], "b": [2], "id": [0.5]})))["members"] == [1, 2]
    for column in (floats["text"], pl.Series(["a"])):
        with pytest.raises(TypeError, match=r"documents are one column: to_frame\(\) makes a table of it"):
            list(run("canon", column))
    with pytest.raises(Failed, match=r"not a table of Arrow: .* non-struct"):
        list(run("canon", pa.chunked_array([["a"]])))


def test_what_frames_cannot_have() -> None:
    frame = pd.DataFrame(ROWS[:2])
    with pytest.raises(Failed, match="--number: rows of a data frame need a column of ids"):
        unique(frame, options="--number --keep longest")
    with pytest.raises(Failed, match=r"^the pipeline: no closing quotation$"):
        unique(frame, options="--keep 'longest")
    with pytest.raises(Failed, match="--annotate: rows of a data frame get no marks"):
        unique(frame, [{"a": 1, "b": 3}], options="--annotate")
    with pytest.raises(Failed, match='documents: no column "Nr" among "id", "text", "n"'):
        groups(frame, [{"a": 1, "b": 3}], options="--id Nr")
    with pytest.raises(Failed, match='no field "Nr"; options="--id NAME" says which is meant'):
        groups(ROWS, [], options="--id Nr")
    with pytest.raises(TypeError, match="a document is a dict or a line of JSON in bytes, not int"):
        groups(cast(Any, [1]), [])
    assert groups([b'{"id":1}', {"id": 2}], [{"a": 2, "b": 1}]) == [2, 2]
    assert groups([{"Nr": 1}, {"Nr": "b"}], [{"a": 1, "b": "b"}], options="--id Nr") == [1, 1]
