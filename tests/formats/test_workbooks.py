"""Sheets of XLSX as tables of CSV."""

import csv
import io
import json
import zipfile
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from harness import run

ROWS: list[list[Any]] = [
    ["id", "text", "n", "when"],
    ["a", 'One, "two"\nthree', 1, datetime(2024, 5, 6, 7, 8, 9)],
    [None, None, None, None],
    ["b", "one two three", 0.1, date(2024, 5, 6)],
    ["c", "Größe 中", True, time(1, 2, 3)],
    ["d", "x", None, None],
]
TEXT = [
    ["id", "text", "n", "when"],
    ["a", 'One, "two"\nthree', "1", "2024-05-06T07:08:09"],
    ["c", "Größe 中", "TRUE", "01:02:03"],
    ["d", "x", "", ""],
]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.create_sheet("Zweites Blatt").append(["id", "text"])
    book["Zweites Blatt"].append([7, "=1+1"])
    book.save(tmp_path / "a.xlsx")
    return tmp_path


def test_rows_become_csv(here: Path) -> None:
    ran = run("shingletools unique a.xlsx -o kept.csv", cwd=here)
    assert (ran.status, ran.err.splitlines()[-1]) == (0, "shingletools unique: 3 kept, 1 removed, 0 left out")
    with (here / "kept.csv").open(newline="") as file:
        assert list(csv.reader(file)) == TEXT
    records = run("canon --xlsx a.xlsx", cwd=here).records()
    assert [(each["id"], each["text"]) for each in records] == [
        *(("a", "one two three"), ("b", "one two three"), ("c", "grösse 中"), ("d", "x"))
    ]
    assert [each["n"] for each in records] == ["1", "0.1", "TRUE", ""]
    ran = run("shingletools unique a.xlsx -o kept.xlsx", cwd=here)
    assert (ran.status, ran.err) == (2, "shingletools unique: kept.xlsx: the output is CSV, which is not .xlsx\n")
    assert run("dedup --xlsx --known /dev/null a.xlsx -o a.xlsx", cwd=here).status == 2


def test_sheets_by_name(here: Path) -> None:
    ran = run("canon", "--xlsx", "--sheet", "Zweites Blatt", "a.xlsx", cwd=here)
    assert [json.loads(line)["text"] for line in ran.good().splitlines()] == [""]  # a formula without a value
    ran = run("canon --xlsx --sheet x a.xlsx", cwd=here)
    assert ran.err == 'canon: a.xlsx: no sheet "x" among "Sheet", "Zweites Blatt"\n'
    assert run("canon --csv --sheet x a.xlsx", cwd=here).err == "canon: --sheet needs --xlsx\n"


def test_workbooks_that_are_hostile(here: Path) -> None:
    """Cut short, other archives, too large, entities that expand, and cells in opposite corners."""
    whole = (here / "a.xlsx").read_bytes()
    for data in (b"", b"PK\x03\x04", whole[: len(whole) // 2], whole[:-1], b"id,text\n1,a\n"):
        (here / "b.xlsx").write_bytes(data)
        ran = run("canon --xlsx b.xlsx", cwd=here)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith("canon: b.xlsx: not XLSX, or damaged")
    for place in range(0, len(whole), 101):
        (here / "b.xlsx").write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert run("canon --xlsx b.xlsx", cwd=here).status in (0, 1, 2)
    bomb = b"<!DOCTYPE a [<!ENTITY a0 'aaaaaaaaaa'>%b]>" % b"".join(
        b"<!ENTITY a%d '%b'>" % (number, b"&a%d;" % (number - 1) * 10) for number in range(1, 10)
    )
    for name, content, cause in [
        ("xl/worksheets/sheet1.xml", bomb + b"<worksheet>&a9;</worksheet>", "not XLSX, or damaged: "),
        ("x", b"\0" * ((1 << 30) + 1), "would become 10"),
    ]:
        made = io.BytesIO()
        with zipfile.ZipFile(here / "a.xlsx") as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
            for each in old.namelist():
                new.writestr(each, content if each == name else old.read(each))
            if name == "x":
                new.writestr(name, content)
        (here / "b.xlsx").write_bytes(made.getvalue())
        assert run("canon --xlsx b.xlsx", cwd=here).err.startswith(f"canon: b.xlsx: {cause}")
    book = openpyxl.Workbook()
    book.active.append(["id", "text"])
    book.active["XFD1048576"] = "x"
    book.save(here / "b.xlsx")
    ran = run("canon --xlsx b.xlsx", cwd=here)
    assert ran.err.startswith("canon: b.xlsx:2: 16384 columns, but the header has 2\n")
