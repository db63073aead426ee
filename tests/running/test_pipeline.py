"""Pipelines in Python: the shell's bytes, results, bad records, archives, threads."""

import json
import os
import pickle
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import DOCS, jsonl, run_here
from running.results import RECORDS, TO_PAIRS, written
from shingletools import Archive, Failed, Pipeline, run, unique
from suite import SEQUENCES


def compact(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def test_what_the_shell_gives(tmp_path: Path) -> None:
    """Every way of every command, with bad records at some of them."""
    bad = [b"bad", b'{"id":"x","text":"a b","shingles":1,"shingles":2}', b"", b'{"id":"y"}']
    documents = [*DOCS.read_bytes().splitlines()[:40], *bad, RECORDS[40], *RECORDS[41:60], RECORDS[0]]
    stdin = b"".join((each if isinstance(each, bytes) else compact(each)) + b"\n" for each in documents)
    for text in SEQUENCES:
        shell = run_here("shingletools", "run", text, stdin=stdin, cwd=tmp_path)
        result = run(text, documents)
        if shell.status == 2:  # the same message, and none of the rest
            with pytest.raises(Failed) as raised:
                list(result)
            assert str(raised.value) in shell.err
            continue
        assert (b"".join(result.lines()), shell.status) == (shell.out, 1), text
        assert sorted(result.messages) == sorted(shell.err.splitlines())
        assert [each.command for each in result.figures] == [each.split()[0] for each in text.split(" | ")]
        assert len(result.rejected) == sum(each.rejected for each in result.figures)
        assert all(each.record == b"" or each.record in stdin or b"via" in each.record for each in result.rejected)
    with pytest.raises(Failed) as raised:
        list(run("canon | shingle --text nothing | sketch", documents))
    assert str(raised.value) == "shingle: -: not one good record"


def test_what_is_no_record_comes_as_lines(tmp_path: Path) -> None:
    """Tables, arrays and Parquet, byte for byte; asking for their records is an error."""
    rows = [{"id": number, "text": f"a b {number}"} for number in range(50)]
    (tmp_path / "a.csv").write_text("id,text\n" + "\n".join(f"{row['id']},{row['text']}" for row in rows))
    (tmp_path / "a.json").write_text(json.dumps(rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    (tmp_path / "pairs").write_bytes(jsonl({"a": 1, "b": 2, "similarity": 1.0}))
    for option, name in (("--csv", "a.csv"), ("--array", "a.json"), ("--parquet", "a.parquet"), ("--whole", "a.csv")):
        pipeline = f"dedup --pairs {tmp_path / 'pairs'} {option} {tmp_path / name}"
        shell = run_here(*pipeline.split(), cwd=tmp_path).out
        lines = list(run(pipeline).lines())
        assert b"".join(lines) == shell
        assert all(line.endswith(b"\n") for line in lines[:-1])
        assert b"\n" not in lines
        for ask in (next, list, lambda result: result.to_arrow()):
            with pytest.raises(Failed, match=r"the pipeline writes no records: lines\(\) gives what it writes"):
                ask(run(pipeline))


def test_a_result_as_arrow(pairs: bytes) -> None:
    table = run(TO_PAIRS, RECORDS).to_arrow()
    assert table.to_pylist() == [json.loads(line) for line in pairs.splitlines()]
    assert run("canon", [{"id": 1, "text": "a"}, {"id": 2, "text": "b", "x": 1}]).to_arrow()["x"].to_pylist() == [
        None,
        1,
    ]
    with pytest.raises(Failed, match="field 'id'"):
        run("canon", [{"id": 1, "text": "a"}, {"id": "b", "text": "b"}]).to_arrow()
    with pytest.raises(Failed, match="field 'id'"):
        run("canon", [{"id": 2**63, "text": "a"}, {"id": -1, "text": "b"}]).to_arrow()


def test_strict_ends_at_the_first_bad_record(tmp_path: Path) -> None:
    made: list[Any] = []
    result = run("canon | shingle", [*RECORDS[:3], {"id": 7}, *RECORDS[3:]], strict=True)
    with pytest.raises(Failed) as raised:
        made.extend(result)
    assert (str(raised.value), len(made)) == ('canon: -:4: field "text" is missing', 3)
    assert [str(each) for each in result.rejected] == [str(raised.value)]
    assert list(result) == []
    (tmp_path / "t.csv").write_text("id,text\n1,a\n2\n3,b\n4\n")
    result = run("canon --csv", tmp_path / "t.csv", strict=True)
    with pytest.raises(Failed, match=r"3: 1 column, but the header has 2$"):
        list(result)
    assert [each.line for each in result.rejected] == [3]


def test_too_many_bad_records() -> None:
    result = run("canon --allow-rejects 1", [*RECORDS[:3], {"id": 7}, {"id": 8}])
    with pytest.raises(Failed, match="too many bad records"):
        list(result)
    assert list(run("canon --allow-rejects 2", [{"id": 7}, {"id": 8}])) == []
    with pytest.raises(Failed, match="not one good record") as raised:
        list(run("canon", [{"id": 7}]))
    assert raised.value.__notes__ == ['canon: -:1: field "text" is missing']


@pytest.mark.parametrize(
    ("pipeline", "documents", "message"),
    [
        ("nothing", [], 'the pipeline: "nothing" is none of parts, canon, '),
        ("canon --nonsense", [], "canon: unrecognized arguments: --nonsense"),
        ("canon --help", [], "--help and --version cannot be given here"),
        ("canon | shingle -o x", [], "shingle: -o: the records are returned, not written"),
        ("canon", None, "canon: no documents are given"),
        ("canon", "nowhere.jsonl", "canon: nowhere.jsonl: No such file or directory"),
        (f"canon '{DOCS}'", [], "canon: takes no documents, because it names its own"),
        (f"canon '{DOCS}'", [DOCS], f"canon: {DOCS}: name files in the pipeline or after it, not both"),
    ],
)
def test_what_makes_no_sense_is_refused(pipeline: str, documents: Any, message: str) -> None:
    with pytest.raises(Failed) as raised:
        list(run(pipeline, documents))
    assert str(raised.value).startswith(message)


def test_a_pipeline_is_a_value() -> None:
    one, other = Pipeline("canon"), Pipeline("canon")
    assert (one == other, hash(one) == hash(other), one == Pipeline("canon --stop en"), one.text) == (
        True,
        True,
        False,
        "canon",
    )
    assert pickle.loads(pickle.dumps(one)) == one
    assert [list(pipeline(RECORDS)) for pipeline in (one, one, other)] == [list(run(one, RECORDS))] * 3
    with pytest.raises(AttributeError):
        one.text = "shingle"  # type: ignore[misc]


def test_workers_and_memory(pairs: bytes) -> None:
    assert written(TO_PAIRS, RECORDS * 1, jobs=2) == pairs
    assert written(TO_PAIRS, RECORDS, memory=1 << 20) == written(TO_PAIRS, RECORDS, memory="1M") == pairs
    jobs: Any
    for jobs in (0, -1, "2", 1.5, None):
        with pytest.raises(Failed, match="jobs: not a whole number from 1 on"):
            run(TO_PAIRS, RECORDS, jobs=jobs)
    memory: Any
    for memory in (-1, 1e6, "-1M"):
        with pytest.raises(Failed, match="not a size such as 500M"):
            list(run(TO_PAIRS, RECORDS, memory=memory))
    assert len(list(run("canon", RECORDS, memory="1M"))) == len(RECORDS)  # which needs none


def test_unique(pairs: bytes, tmp_path: Path) -> None:
    (tmp_path / "pairs").write_bytes(pairs)
    expected = run_here("dedup", "--pairs", "pairs", DOCS, cwd=tmp_path).good()
    found = [json.loads(line) for line in pairs.splitlines()]
    for given in (run(TO_PAIRS, RECORDS), found, tmp_path / "pairs", run(TO_PAIRS, RECORDS).to_arrow(), iter(found)):
        assert b"".join(unique(DOCS, given).lines()) == expected
    assert unique(pa.Table.from_pylist(RECORDS), found).to_pylist() == list(unique(iter(RECORDS), found))
    longest = run_here("dedup", "--pairs", "pairs", "--keep", "longest", DOCS, cwd=tmp_path).good()
    assert b"".join(unique(DOCS, found, options="--keep longest").lines()) == longest
    groups = list(run("simgroup", found))
    (tmp_path / "groups").write_bytes(jsonl(*groups))
    by_groups = run_here("dedup", "--groups", "groups", DOCS, cwd=tmp_path).good()
    assert b"".join(unique(DOCS, groups=groups).lines()) == by_groups
    with pytest.raises(TypeError, match="make a list of them"):
        unique(iter(RECORDS), run(TO_PAIRS, RECORDS))


def test_a_full_disk_fails_where_pairs_wait() -> None:
    """Wherever it becomes full, also between two lines, after which the rest would be a file without faults."""
    pairs = [{"a": n, "b": n + 1, "similarity": 1.0} for n in range(0, 200, 2)]
    ends = np.cumsum([len(orjson.dumps(pair)) + 1 for pair in pairs]).tolist()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (ends[50], ends[50] + 1, ends[-1] - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        try:
            with pytest.raises(Failed, match="File too large"):
                list(unique(RECORDS, pairs))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_archive(tmp_path: Path) -> None:
    to_sketches = "canon | shingle -k 10 | sketch"
    folder = str(tmp_path / "an archive")
    list(run(f"{to_sketches} | simindex add '{folder}'", RECORDS[:20]))
    expected = written(f"{to_sketches} | simjoin --against '{folder}'", RECORDS[20:])
    assert expected
    with Archive(folder, to_sketches) as archive, ThreadPoolExecutor(4) as pool:
        assert len(archive) == 20
        for answer in pool.map(lambda part: b"".join(archive.query(part).lines()), [RECORDS[20:]] * 8):
            assert answer == expected
        each = [archive.query([record]) for record in RECORDS[20:]]
        assert b"".join(line for result in each for line in result.lines()) == expected
        with pytest.raises(Failed, match='by "canon/4 stop=en'):
            list(Archive(folder, "canon --stop en | shingle | sketch").query(RECORDS))
    with Archive(Path(folder), options="-t 0.99") as strictly:
        assert {each["similarity"] for each in strictly.query(run(to_sketches, RECORDS[20:]))} <= {1.0}
    with pytest.raises(Failed, match="nowhere"):
        Archive("nowhere")
    for options, message in (
        ("-t 0.5", "made for -t 0.8 .68 of 84 components., not for -t 0.5 .42."),
        ("-d 3", "-d counts the bits"),
        (f"--against '{folder}'", "only one archive"),
    ):
        with pytest.raises(Failed, match=message):
            Archive(folder, options=options)
    closed = Archive(os.fsencode(folder), to_sketches)
    begun = closed.query(RECORDS[20:])
    closed.close()
    for result in (begun, closed.query(RECORDS[20:]), closed.query([])):
        with pytest.raises(Failed, match="an archive: the archive is closed"):
            list(result)


def test_threads(pairs: bytes) -> None:
    """Several at a time, of one pipeline and of others; and with output files."""
    pipeline = Pipeline(TO_PAIRS)
    with ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(written, each, RECORDS) for each in [TO_PAIRS] * 8]
        runs += [pool.submit(lambda: b"".join(pipeline(RECORDS).lines())) for _ in range(16)]
        assert {each.result() for each in runs} == {pairs}


def test_files_that_options_name_from_threads(tmp_path: Path) -> None:
    documents = [*RECORDS[:20], {"id": 1}]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: list(run(f"canon --rejects '{tmp_path}/{n}'", documents)), range(40)))
        list(
            pool.map(
                lambda n: list(
                    unique(
                        RECORDS, [{"a": "abinit-data", "b": "abinit-doc"}], options=f"--removed '{tmp_path}/removed{n}'"
                    )
                ),
                range(40),
            )
        )
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert len(sizes) == 80
    assert len({size for name, size in sizes.items() if name.startswith("removed")}) == 1
