"""What comes out of simspark is what comes out of the shell, byte for byte."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from harness import DOCS, Ran, Record, jsonl, pipe, run
from shingletools.spark import compare
from shingletools.spark.run import set_to
from spark.packing import parts_of, rejects_of

Simspark = Callable[..., Ran]
TO_SKETCHES = ("canon", "shingle -k 3", "sketch -n 84")
IN_PARTS = ("--at-once", "0")  # as what is large is joined


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Buckets are cut into blocks."""
    monkeypatch.setattr(compare, "BLOCK_ROWS", 7)


IN_BOTH_WAYS = pytest.mark.parametrize("way", [(), IN_PARTS], ids=["at once", "in parts"])


@pytest.mark.parametrize(
    "commands",
    [
        [*TO_SKETCHES, "simjoin -t 0.2 --recall 0.9 --interval --measure dice"],
        ["canon", "shingle -k 3", "sketch --super 14", "simjoin"],
        ["canon --stop en", "shingle -k 5 --chars", "sketch --simhash", "simjoin -d 12"],
        ["canon", "shingle -k 3", "sketch --keep", "simjoin --verify -t 0.5"],
        ["canon --offsets --stem en", "shingle -k 3", "sketch -n 5"],
    ],
    ids=lambda commands: " | ".join(commands[-2:]),
)
def test_documents(commands: list[str], simspark: Simspark) -> None:
    """Each kind of signature; test_sets_within_larger_ones has other measures of sets, and numbers of shingles."""
    ran = simspark(" | ".join(commands), *IN_PARTS, "--in", DOCS)
    assert ran.good() == pipe(DOCS.read_bytes(), *commands)


@pytest.mark.parametrize("table", [False, True], ids=["lines", "parquet"])
def test_scope_and_choice(table: bool, simspark: Simspark, tmp_path: Path) -> None:
    """In one task, by fields that may be columns; many tasks refuse it in words."""
    lines = pipe(DOCS.read_bytes(), *TO_SKETCHES).splitlines()
    records = [{**json.loads(line), "site": f"{place % 5}"} for place, line in enumerate(lines)]
    source = tmp_path / ("docs.parquet" if table else "docs")
    if table:
        parquet.write_table(pa.Table.from_pylist([{"other": 1, **record} for record in records]), source)
    else:
        source.write_bytes(jsonl(*records))
    for options in ("--across site -t 0.2", "--within site --best 1 -t 0.1"):
        ran = simspark(f"simjoin {options}", "--in", source, "--out", tmp_path / options)
        assert ran.status == 0
        assert parts_of(tmp_path / options) == run(f"simjoin {options}", stdin=jsonl(*records)).good() != b""
    if not table:
        ran = simspark("simjoin --best 1", *IN_PARTS, "--in", source)
        why = "--within, --across and --best need more memory than --at-once gives to one task"
        assert (ran.status, ran.err) == (2, f"simspark: simjoin: {why}\n")


def test_copies_once(simspark: Simspark, tmp_path: Path) -> None:
    """In one task; many tasks refuse to make such pairs, and to read them."""
    sketches = [{"id": number, "sketch": f"{number % 7:08x} 00000001"} for number in range(30)]
    (tmp_path / "in").write_bytes(jsonl(*sketches))
    made = simspark("simjoin -t 0.5 --copies once", "--in", tmp_path / "in").good()
    assert made == run("simjoin -t 0.5 --copies once", tmp_path / "in").good() != b""
    (tmp_path / "pairs").write_bytes(made)
    for command, source, before in (
        ("simjoin -t 0.5 --copies once", "in", "--copies once"),
        ("simgroup", "pairs", "pairs of simjoin --copies once"),
        (f"dedup --pairs {tmp_path / 'pairs'}", "in", "--pairs: pairs of simjoin --copies once"),
    ):
        ran = simspark(command, *IN_PARTS, "--in", tmp_path / source, "--out", tmp_path / "refused")
        cause = f"{before} need more memory than --at-once gives to one task"
        assert (ran.status, ran.err) == (2, f"simspark: {command.split()[0]}: {cause}\n")


def test_shingles_within_limits(simspark: Simspark, tmp_path: Path) -> None:
    table = pipe(DOCS.read_bytes(), "canon", "shingle -k 3 --df --header --min-df 3")
    (tmp_path / "df").write_bytes(table)
    others = DOCS.read_bytes() + jsonl({"id": "other", "text": "a", "via": "parts"})
    (tmp_path / "docs").write_bytes(others)
    commands = ["canon", f"shingle -k 3 --max-df 2 --df-table {tmp_path / 'df'}", "sketch -n 3"]
    ran = simspark(" | ".join(commands), "--in", tmp_path / "docs")
    assert ran.out == pipe(DOCS.read_bytes(), *commands)
    assert (ran.status, 'made by "parts | canon/4", not by "canon/4" as the table' in ran.err) == (1, True)


@pytest.mark.parametrize(
    "commands",
    [
        [*TO_SKETCHES, "simjoin -t 0.3 --interval", "simgroup --star -t 0.4"],
        ["canon", "shingle -k 3", "simjoin -t 0.5"],
    ],
    ids=lambda commands: commands[-1],
)
def test_documents_at_once(commands: list[str], simspark: Simspark) -> None:
    assert simspark(" | ".join(commands), "--in", DOCS).good() == pipe(DOCS.read_bytes(), *commands)


def test_the_best_pairs_with_an_archive(simspark: Simspark, tmp_path: Path) -> None:
    """Its records have the labels, but for one, which is bad."""
    documents = [json.loads(line) for line in DOCS.read_bytes().splitlines()]
    some = [each | {"meta": {"site": len(each["id"]) % 3}} for each in documents]
    sketches = pipe(jsonl(*some), *TO_SKETCHES).splitlines(keepends=True)
    (tmp_path / "new").write_bytes(b"".join(sketches[::2]))
    nowhere = sketches[0].replace(b'"site":', b'"sites":')
    run("simindex", "add", tmp_path / "A", "-t", "0.2", stdin=b"".join([*sketches[1::2], nowhere])).good()
    command = f"simjoin -t 0.3 --best 2 --across meta.site --against {tmp_path / 'A'}"
    ran, there = simspark(command, "--in", tmp_path / "new"), run(*command.split(), tmp_path / "new")
    assert (ran.status, ran.out) == (there.status, there.out)
    assert len(ran.out.splitlines()) > 10
    assert 'field "meta.site" is missing' in ran.err


def families(rng: random.Random, documents: int, alphabet: int) -> list[Record]:
    """Random sketches, many of which are others with some components changed, or none."""
    rows = [[rng.randrange(alphabet) for _ in range(20)] for _ in range(documents)]
    for _ in range(documents):
        source, target = rng.randrange(documents), rng.randrange(documents)
        rows[target] = list(rows[source])
        for _ in range(rng.randrange(8)):
            rows[target][rng.randrange(20)] = rng.randrange(alphabet)
    return [{"id": number, "sketch": " ".join(f"{word:08x}" for word in row)} for number, row in enumerate(rows)]


def test_random_sketches(simspark: Simspark, tmp_path: Path) -> None:
    rng = random.Random(1)
    records = families(rng, 300, rng.choice([3, 1000]))
    (tmp_path / "one").write_bytes(jsonl(*records[:200]))
    (tmp_path / "two").write_bytes(jsonl(*records[200:]))
    t = rng.choice(["0.6", "0.8", "1"])
    options = f"simjoin -t {t} --against {tmp_path / 'two'}"
    expected = pipe((tmp_path / "one").read_bytes(), options)
    assert simspark(options, *IN_PARTS, "--in", tmp_path / "one").good() == expected


SETS = "-t 0.5 --measure containment", "-m 7"


@pytest.mark.parametrize(("options", "against"), [(SETS[0], True), (SETS[1], False)])
def test_sets_within_larger_ones(options: str, against: bool, simspark: Simspark, tmp_path: Path) -> None:
    rng = random.Random(4)
    sets = [{int(rng.paretovariate(0.4)) % 300 for _ in range(rng.choice([1, 4, 40, 150]))} for _ in range(120)]
    sets += [set(rng.sample(sorted(one), 1 + len(one) // 2)) for one in sets]
    payloads = [" ".join(f"{token:016x}" for token in one) for one in sets]
    records = [{"id": number, "shingles": payload} for number, payload in enumerate(payloads)]
    for name, some in (("one", records[:150]), ("two", records[150:])):
        (tmp_path / name).write_bytes(jsonl(*some))
    command = f"simjoin {options}" + (f" --against {tmp_path / 'two'}" if against else "")
    inputs = ["--in", tmp_path / "one"] if against else ["--in", tmp_path / "one", "--in", tmp_path / "two"]
    expected = pipe((tmp_path / "one").read_bytes() if against else jsonl(*records), command)
    assert simspark(command, *IN_PARTS, *inputs).good() == expected


@pytest.mark.parametrize("splits", [1, 2, 7])
def test_splits_and_hot_keys(splits: int, simspark: Simspark, spark: SparkSession, tmp_path: Path) -> None:
    """Half of all sketches share four of twelve components, and some are equal: the buckets are cut into blocks."""
    rng = random.Random(splits)
    rows = [[rng.randrange(1 << 32) for _ in range(12)] for _ in range(200)]
    for row in rows[::2]:
        row[:4] = [7, 7, 7, 7]
    rows += [[*row[:11], rng.randrange(3)] for row in rng.choices(rows, k=100)] + rng.choices(rows, k=40)
    records = [{"id": n, "sketch": " ".join(f"{word:08x}" for word in row)} for n, row in enumerate(rows)]
    rng.shuffle(records)
    data = jsonl(*records)
    (tmp_path / "docs").write_bytes(data)
    size = -(-len(data) // splits)
    settings = {"spark.sql.files.maxPartitionBytes": str(size), "spark.sql.files.openCostInBytes": str(size)}
    with set_to(spark, settings):
        ran = simspark("simjoin -t 0.75", *IN_PARTS, "--in", tmp_path / "docs")
        groups = simspark("simgroup", *IN_PARTS, "--in", tmp_path / "out", "--out", tmp_path / "groups")
    assert ran.good() == pipe(data, "simjoin -t 0.75")
    assert groups.status == 0
    assert parts_of(tmp_path / "groups") == pipe(data, "simjoin -t 0.75", "simgroup")


def test_groups_of_pairs_that_come_in_many_parts(
    simspark: Simspark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which a task reads in no order. Documents that --star leaves alone stand before others that no pair has."""
    monkeypatch.setattr("shingletools.spark.lines.TASK_BYTES", 300_000)
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number} for number in range(5))))
    commands = [*TO_SKETCHES, "simjoin -t 0.3", f"simgroup --star --singletons {tmp_path / 'docs'}"]
    expected = pipe(DOCS.read_bytes(), *commands)
    assert simspark(" | ".join(commands), *IN_PARTS, "--in", DOCS).good() == expected
    assert expected.count(b"\n") > 10


def test_pairs_of_two_sides_are_refused(simspark: Simspark, tmp_path: Path) -> None:
    pairs = jsonl({"a": 1, "b": 2}) + b"{\n" + jsonl({"a": 3, "b": 3, "against": True})
    (tmp_path / "pairs").write_bytes(pairs)
    ran = simspark("simgroup", *IN_PARTS, "--in", tmp_path / "pairs")
    said = run("simgroup", stdin=pairs).err.splitlines()[-1]
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines()[-1] == f"simspark: {said.replace('-:3: ', '')}"


@IN_BOTH_WAYS
def test_bad_records(way: tuple[str, ...], simspark: Simspark, tmp_path: Path) -> None:
    bad = [b"{", b"\xff\xfe\r", b"", b'{"id":1.5,"text":"a"}', b'{"id":"x"}', b'{"id":"' + b"\xe2\x80\xa8" + b'"']
    lines = DOCS.read_bytes().splitlines()
    for place, line in enumerate(bad):
        lines.insert(40 * place, line)
    lines.append(lines[-1])
    (tmp_path / "docs").write_bytes(b"\n".join(lines))
    files = "--in", tmp_path / "docs", "--rejects", tmp_path / "bad"
    ran = simspark("canon | shingle | sketch | simjoin", *way, *files)
    assert ran.status == 1
    twice = pipe(lines[-1] + b"\n", "canon", "shingle", "sketch").rstrip(b"\n")
    rejects = [rejects_of(tmp_path / "bad" / name) for name in ("1-canon", "4-simjoin")]
    assert [[line for _, line in some] for some in rejects] == [bad, [twice]]
    there = run("canon --all-messages", tmp_path / "docs").err.splitlines()
    assert [cause for cause, _ in rejects[0]] == [
        said.partition(": ")[2].partition(": ")[2].partition("; this")[0] for said in there
    ]
    assert len(ran.err.splitlines()) == 7
    assert ran.err.splitlines()[-1] == f"simspark: simjoin: {rejects[1][0][0]}"
    assert ran.out == pipe(DOCS.read_bytes(), "canon", "shingle", "sketch", "simjoin")


ONE, TWO, SHINGLE = "0" * 8, "0" * 8 + " 00000001", "0" * 16


@pytest.mark.parametrize("seed", [2, 3])
def test_rejected_or_failed(seed: int, simspark: Simspark, tmp_path: Path) -> None:
    """A few records with faults of all kinds: repeated ids, odd payloads, sizes and recipes that differ."""
    rng = random.Random(seed)
    options = ["simjoin -m 1", "simjoin -t 1", "simjoin --verify -t 1"][seed % 3]
    records = [
        {
            "id": rng.choice([1, 2, 3, 4, 5, "x", None]),
            "sketch": rng.choice(["", *[ONE] * 8, *[TWO] * (seed == 3)]),
            "shingles": rng.choice(["", "bad", *[SHINGLE] * 6]),
            "via": "y" if rng.random() < 0.1 * (seed == 2) else "x",
        }
        for _ in range(9)
    ]
    (tmp_path / "docs").write_bytes(jsonl(*records))
    there, here = (
        run(options, tmp_path / "docs", "--rejects", tmp_path / "r"),
        simspark(options, *IN_PARTS, "--in", tmp_path / "docs", "--rejects", tmp_path / "bad"),
    )
    assert (here.status, here.out) == (there.status, there.out)
    if here.status == 1:
        kept = b"".join(line + b"\n" for _, line in rejects_of(tmp_path / "bad" / "1-simjoin"))
        assert kept == (tmp_path / "r").read_bytes()
    if here.status == 2:
        assert here.err.splitlines()[-1].removeprefix("simspark: simjoin: ") in there.err


@pytest.mark.parametrize(
    ("one", "options"),
    [
        (jsonl({"id": 1, "sketch": ""}, {"id": 1, "sketch": ""}), "simjoin"),
        (b"bad\n", "simjoin --against {}"),
    ],
    ids=["repeated without a signature", "no good record but of the other side"],
)
def test_statuses(one: bytes, options: str, simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(one)
    (tmp_path / "two").write_bytes(jsonl({"id": 1, "sketch": ONE}, {"id": 2, "sketch": ONE}))
    command = options.format(tmp_path / "two")
    there, here = run(command, tmp_path / "one"), simspark(command, *IN_PARTS, "--in", tmp_path / "one")
    assert (here.status, here.out) == (there.status, there.out)


def test_options_that_add_up(simspark: Simspark, tmp_path: Path) -> None:
    """Several files for one option, which are read in the order in which they are named."""

    def on_spark(command: str, source: Path) -> tuple[Ran, bytes]:
        out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        ran = simspark(command, "--in", source, "--out", out)
        return ran, parts_of(out)

    lines = pipe(DOCS.read_bytes(), "canon", "shingle", "sketch").splitlines(keepends=True)
    new, two, one, pairs, *groups = (tmp_path / name for name in ("new", "two", "one", "pairs", "groups", "more"))
    for number, path in enumerate((new, two, one)):
        path.write_bytes(b"".join(lines[number::3]))
    against = f"simjoin -t 0.5 --against {two} --against {one}"
    pairs.write_bytes(pipe(new.read_bytes(), against))
    assert pairs.read_bytes().count(b"\n") > 20
    assert on_spark(against, new)[1] == (of_two_sides := pairs.read_bytes())
    singletons = f"simgroup --singletons {two} --singletons {one}"
    of_one_side = pairs.read_bytes().replace(b',"against":true', b"")
    grouped = pipe(of_one_side, singletons)
    pairs.write_bytes(of_one_side)
    assert on_spark(singletons, pairs)[1] == grouped
    for number, path in enumerate(groups):
        path.write_bytes(b"".join(grouped.splitlines(keepends=True)[number::2]))
    dedup = f"dedup --groups {groups[0]} --groups {groups[1]}"
    assert on_spark(dedup, DOCS)[1] == pipe(DOCS.read_bytes(), dedup)
    ran, written = on_spark(f"{against} --against {two}", new)
    assert (ran.status, written) == (1, of_two_sides)
    assert ran.err.splitlines()[-1] == f"simspark: simjoin: {len(lines[1::3])} records rejected in all"
