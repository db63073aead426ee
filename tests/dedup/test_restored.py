"""dedup writes what it reads: tables, lines, Parquet, WARC, arrays and names of files, but for what is removed.

Which documents go is decided here once more, by comparing all texts.
"""

import bz2
import csv
import gzip
import io
import itertools
import json
import os
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import jsonl, pipe, run, run_here, shell
from shingletools.commands.dedup import rewritten_files
from shingletools.reading.formats import warc

K = 3
COUNT = 60


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


def test_marks_are_columns_of_tabs(tmp_path: Path) -> None:
    (tmp_path / "table").write_text('id\ttext\n1\ta "b\n2\tc\n')
    (tmp_path / "pairs").write_bytes(jsonl({"a": "1", "b": "2"}))
    out = run_here("dedup --pairs pairs --tsv --annotate table", cwd=tmp_path).good().decode()
    names = "duplicate_of\tduplicate_by\tduplicate_similarity"
    assert out == f'id\ttext\t{names}\n1\ta "b\t\t\t\n2\tc\t1\tfirst\t\n'
    (tmp_path / "known").write_bytes(jsonl({"a": "1", "b": "x\ty"}))
    ran = run_here("dedup --known known --tsv --annotate table", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, 'dedup: "x\\ty" cannot be written as TSV\n')


def test_bad_rows_are_neither_kept_nor_removed(tmp_path: Path) -> None:
    rows = [b"1,a\n", b"2\n", b"3,c\n", b"3,d\n", b"4,\xff\n", b"5,e\n", b"6,f\n"]
    (tmp_path / "table").write_bytes(b"id,text\n" + b"".join(rows))
    (tmp_path / "pairs").write_bytes(jsonl({"a": "5", "b": "3"}))
    ran = run_here("dedup --pairs pairs --csv table --removed gone --rejects bad", cwd=tmp_path)
    assert (ran.status, ran.out) == (1, b"id,text\n" + rows[0] + rows[2] + rows[3] + rows[6])
    assert (tmp_path / "gone").read_bytes() == b"id,text\n" + rows[5]
    assert (tmp_path / "bad").read_bytes() == rows[1] + rows[4]
    assert [line.partition("; ")[0] for line in ran.err.splitlines()] == [
        "dedup: table:3: 1 column, but the header has 2",
        "dedup: table:6: not UTF-8 (byte 3)",
        'dedup: table:5: id "3" was seen before, so the document stays',
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
