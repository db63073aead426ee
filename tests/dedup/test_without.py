"""dedup --without: what repeats, or a run on several shards, has removed."""

import json
import os
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import DOCS, jsonl, run, run_here, shell


def test_without(tmp_path: Path) -> None:
    """What repeats leaves out is removed from the table that was read, and counts for no pair."""
    rng = random.Random(5)
    texts = [rng.choices("abcdefgh", k=9) for _ in range(20)]
    rows = [f'{number},"{" ".join(texts[number % 15]).upper()}\r\n."\n' for number in range(20)]
    (tmp_path / "t.csv").write_text("id,text\n" + "".join(rows), newline="")
    script = """canon --csv t.csv | repeats -k 5 --drop 1/2 --removed gone > left
        dedup --without gone --csv t.csv --removed rest -o kept -v"""
    ran = shell(script, cwd=tmp_path)
    gone = {int(json.loads(line)["id"]) for line in (tmp_path / "gone").read_bytes().splitlines()}
    assert gone == {*range(15, 20)}
    sides = ([row for number, row in enumerate(rows) if (number in gone) is out] for out in (False, True))
    assert [(tmp_path / name).read_bytes().decode() for name in ("kept", "rest")] == [
        "id,text\n" + "".join(side) for side in sides
    ]
    assert "15 kept, 5 removed (5 by --without)" in ran.err
    documents = jsonl({"id": 1}, {"id": 2, "n": 1}, {"id": 3})
    (tmp_path / "p").write_bytes(jsonl({"a": 1, "b": 2}, {"a": 2, "b": 3}))
    (tmp_path / "one").write_bytes(b'{"id": 1, "x": 2}\n')
    ran = run("dedup --pairs p --without one --removed gone", stdin=documents, cwd=tmp_path)
    assert (ran.good(), (tmp_path / "gone").read_bytes()) == (jsonl({"id": 2, "n": 1}), jsonl({"id": 1}, {"id": 3}))
    wrong = run("dedup --without p", stdin=documents, cwd=tmp_path)
    assert (wrong.status, wrong.err.partition(";")[0].strip()) == (2, 'dedup: p:1: field "id" is missing')
    none = run("dedup --without -", DOCS, stdin=b'{"id":"nothing"}\n', cwd=tmp_path)
    assert "--without names no document of the input" in none.err


@pytest.mark.parametrize("form", ["csv", "tsv", "array", "parquet"])
def test_without_takes_what_removed_wrote(form: str, tmp_path: Path) -> None:
    """Of two shards: one run removes from both, then each keeps what is left of it."""
    rows = [{"id": f"d{number}", "text": f"a, {number}"} for number in range(20)]
    for name, some in (("one", rows[:10]), ("two", rows[10:])):
        if form == "parquet":
            pq.write_table(pa.Table.from_pylist(some), tmp_path / name)
        elif form == "array":
            (tmp_path / name).write_text(json.dumps(some))
        else:
            delimiter = "\t" if form == "tsv" else ";"
            lines = [delimiter.join(values) for values in (["id", "text"], *(row.values() for row in some))]
            (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    option = "--csv --delimiter ;" if form == "csv" else f"--{form}"
    (tmp_path / "pairs").write_bytes(jsonl(*({"a": f"d{number}", "b": f"d{number + 9}"} for number in (0, 3, 5, 7))))
    run_here(f"dedup --pairs pairs {option} --removed gone one two -o all", cwd=tmp_path).good()
    ids = []
    for name in ("one", "two"):
        ran = run_here(f"dedup --without gone {option} {name} -o left", cwd=tmp_path)
        assert ran.status == 0
        left = run_here(f"canon {option} left", cwd=tmp_path).records()
        ids.append([record["id"] for record in left])
    assert ids == [[f"d{n}" for n in range(9)], [f"d{n}" for n in (10, 11, 13, 15, 17, 18, 19)]]


def test_without_takes_records_from_a_pipe(tmp_path: Path) -> None:
    """Also where documents are rows; only a file or standard input may be a table, too."""
    (tmp_path / "t.csv").write_text("id,text\n1,a\n2,b\n")
    os.mkfifo(tmp_path / "pipe")
    script = """echo '{"id":"2"}' > pipe & dedup --csv --without pipe t.csv"""
    assert shell(script, tmp_path).good() == b"id,text\n1,a\n"
    for lines in (b'{"id":"2"}\n', b"id,text\n2,b\n"):
        assert run("dedup --csv --without - t.csv", stdin=lines, cwd=tmp_path).good() == b"id,text\n1,a\n"


def test_without_needs_ids_of_its_own(tmp_path: Path) -> None:
    """Rows without ids would be numbered, but from 1 in what was removed; and so would lines."""
    said = "no ids: numbered rows, lines and citations have them only in JSON lines, as repeats --removed writes them"
    (tmp_path / "table").write_text("text\na\nb\n")
    ran = run_here("dedup --without table --csv table", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: table: {said}\n")
    ran = run_here("dedup --without table --csv table --id nr", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, 'dedup: table:1: no column "nr" among "text"\n')
    (tmp_path / "bad").write_text('id,text\n1,a\n2,"b\n')
    ran = run_here("dedup --without bad --csv table", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "dedup: bad:3: a quoted value has no end\n")
    for options in ("--number --csv", "--lines"):
        ran = run_here(f"dedup --without table {options} table", cwd=tmp_path)
        assert (ran.status, ran.err) == (2, f"dedup: table: {said}\n")
    (tmp_path / "gone").write_bytes(b'\xef\xbb\xbf{"id":2}\n')
    assert run_here("dedup --without gone --lines table", cwd=tmp_path).good() == b"text\nb\n"
