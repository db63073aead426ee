"""What comes out of simspark is what comes out of the shell, byte for byte."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from harness import DOCS, Ran, Record, jsonl, pipe, run
from spark.packing import parts_of

Simspark = Callable[..., Ran]
TO_SKETCHES = ("canon", "shingle -k 3", "sketch -n 84")
IN_PARTS = ("--at-once", "0")  # as what is large is joined
IN_BOTH_WAYS = pytest.mark.parametrize("way", [(), IN_PARTS], ids=["at once", "in parts"])


@pytest.mark.parametrize(
    "commands",
    [
        [*TO_SKETCHES, "simjoin -t 0.2 --recall 0.9 --interval"],
        [*TO_SKETCHES, "simjoin -t 0.5 --measure dice", "simgroup -t 0.7"],
        ["canon", "shingle -k 3", "sketch --bits 8", "simjoin -t 0.5"],
        ["canon", "shingle -k 3", "sketch --super 14", "simjoin"],
        ["canon --stop en", "shingle -k 5 --chars", "sketch --simhash", "simjoin -d 12"],
        ["canon", "shingle -k 3", "sketch --keep", "simjoin --verify -t 0.5"],
        ["canon --offsets --stem en", "shingle -k 3", "sketch -n 5"],
        ["canon", "shingle -k 2", "simjoin --measure overlap -t 1/3"],
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
        [*TO_SKETCHES, "simjoin -t 0.2 --recall 0.9 --interval", "simgroup"],
        [*TO_SKETCHES, "simjoin -t 0.3", "simgroup --star -t 0.4"],
        ["canon", "shingle -k 3", "sketch --keep", "simjoin --verify -t 0.5"],
        ["canon", "shingle -k 3", "simjoin -t 0.5"],
    ],
    ids=lambda commands: commands[3 if len(commands) > 3 else 2],
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


@pytest.mark.parametrize(("seed", "against"), [(0, False), (1, True), (2, False), (2, True)])
def test_random_sketches(
    seed: int, against: bool, simspark: Simspark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one seed at once; with one where numbers are too many to come at once."""

    from shingletools.spark import join_in_parts, number_sets

    monkeypatch.setattr(join_in_parts, "BLOCK_ROWS", 7)
    if seed == 1:
        monkeypatch.setattr(number_sets, "AT_ONCE", 0)
    rng = random.Random(seed)
    records = families(rng, 300, rng.choice([3, 1000]))
    (tmp_path / "one").write_bytes(jsonl(*records[:200]))
    (tmp_path / "two").write_bytes(jsonl(*records[200:]))
    t = rng.choice(["0.6", "0.8", "1"])
    if against:
        options = f"simjoin -t {t} --against {tmp_path / 'two'}"
        expected = pipe((tmp_path / "one").read_bytes(), options)
        inputs = ["--in", tmp_path / "one"]
    else:
        options = f"simjoin -t {t}"
        expected = pipe(jsonl(*records), options)
        inputs = ["--in", tmp_path / "one", "--in", tmp_path / "two"]
    way = () if seed == 2 else IN_PARTS
    assert simspark(options, *way, *inputs).good() == expected


def grouped(pairs: bytes) -> set[frozenset[object]]:
    """Of pairs whose sides, if they are of two, have no id in common."""
    of_one_side = pairs.replace(b',"against":true', b"")
    return {frozenset(json.loads(line)["members"]) for line in pipe(of_one_side, "simgroup").splitlines()}


SETS = "-t 0.5 --measure containment", "-m 7"


@pytest.mark.parametrize(
    ("case", "against"),
    [
        ((SETS[0], " --forest", IN_PARTS), True),
        ((SETS[1], "", IN_PARTS), False),
        ((SETS[0], "", ()), True),
        ((SETS[1], "", ()), False),
    ],
)
def test_sets_within_larger_ones(
    case: tuple[str, str, tuple[str, ...]],
    against: bool,
    simspark: Simspark,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:

    from shingletools.spark import join_in_parts

    monkeypatch.setattr(join_in_parts, "BLOCK_ROWS", 7)
    rng = random.Random(4)
    sets = [{int(rng.paretovariate(0.4)) % 300 for _ in range(rng.choice([1, 4, 40, 150]))} for _ in range(120)]
    sets += [set(rng.sample(sorted(one), 1 + len(one) // 2)) for one in sets]
    payloads = [" ".join(f"{token:016x}" for token in one) for one in sets]
    records = [{"id": number, "shingles": payload} for number, payload in enumerate(payloads)]
    for name, some in (("one", records[:150]), ("two", records[150:])):
        (tmp_path / name).write_bytes(jsonl(*some))
    wanted, forest, way = case
    options = f"simjoin {wanted}" + (f" --against {tmp_path / 'two'}" if against else "")
    inputs = ["--in", tmp_path / "one"] if against else ["--in", tmp_path / "one", "--in", tmp_path / "two"]
    expected = pipe((tmp_path / "one").read_bytes() if against else jsonl(*records), options)
    if not forest:
        assert simspark(options, *way, *inputs).good() == expected
        return
    connecting = simspark(options + forest, *way, *inputs).good()
    assert set(connecting.splitlines()) <= set(expected.splitlines())
    assert grouped(connecting) == grouped(expected)


@pytest.mark.parametrize(("alphabet", "against"), [(3, True), (1000, False)])
def test_a_forest_connects_the_same(
    alphabet: int, against: bool, simspark: Simspark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    from shingletools.spark import join_in_parts

    monkeypatch.setattr(join_in_parts, "BLOCK_ROWS", 7)
    records = families(random.Random(5), 300, alphabet)
    (tmp_path / "one").write_bytes(jsonl(*records[:200]))
    (tmp_path / "two").write_bytes(jsonl(*({**record, "id": f"b{record['id']}"} for record in records[200:])))
    options = "simjoin -t 0.6"
    inputs = ["--in", tmp_path / "one"]
    if against:
        options += f" --against {tmp_path / 'two'}"
    else:
        inputs += ["--in", tmp_path / "two"]
    given = b"".join(path.read_bytes() for path in inputs[1::2] if isinstance(path, Path))
    every = set(pipe(given, options).splitlines())
    ran = simspark(f"{options} --forest", *IN_PARTS, *inputs)
    assert set(ran.good().splitlines()) <= every
    assert grouped(ran.out) == grouped(b"".join(line + b"\n" for line in sorted(every)))
    at_once = simspark(f"{options} --forest", *inputs, "--out", tmp_path / "at once")
    written = parts_of(tmp_path / "at once")
    assert (at_once.status, written) == (0, pipe(given, f"{options} --forest"))


def test_groups_of_pairs_that_come_in_many_parts(
    simspark: Simspark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which a task reads in no order. Documents that --star leaves alone stand before others that no pair has."""
    monkeypatch.setattr("shingletools.spark.join_in_parts.PAIR_BYTES", 8_000)
    monkeypatch.setattr("shingletools.spark.exchange.TASK_BYTES", 300_000)
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number} for number in range(5))))
    commands = [*TO_SKETCHES, "simjoin -t 0.3", f"simgroup --star --singletons {tmp_path / 'docs'}"]
    expected = pipe(DOCS.read_bytes(), *commands)
    assert simspark(" | ".join(commands), *IN_PARTS, "--in", DOCS).good() == expected
    assert expected.count(b"\n") > 10


@IN_BOTH_WAYS
def test_pairs_of_two_sides_are_refused(way: tuple[str, ...], simspark: Simspark, tmp_path: Path) -> None:
    """The first of them is named, wherever it stands."""
    good = jsonl({"a": 1, "b": 2})
    (tmp_path / "pairs").write_bytes(good + b"{\n" + good + 2 * jsonl({"a": 3, "b": 3, "against": True}))
    (tmp_path / "more").write_bytes(jsonl({"a": 5, "b": 6, "against": True}))
    ran = simspark("simgroup", *way, "--in", tmp_path / "pairs", "--in", tmp_path / "more")
    (alone,) = run("simgroup", stdin=jsonl({"a": 3, "b": 3, "against": True})).err.splitlines()
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines()[-1] == f"simspark: {alone.replace('-:1', f'file:{tmp_path}/pairs:4')}"


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
    said = ran.err.splitlines()
    hint = "this looks like a record on several lines: jq -c . writes each on one"
    assert said[0] == f"simspark: canon: file:{tmp_path}/docs:1: not JSON (column 2); {hint}"
    wide = "this looks like UTF-16: iconv -f UTF-16 -t UTF-8 makes UTF-8 of it"
    assert said[1] == f"simspark: canon: file:{tmp_path}/docs:41: not UTF-8 (byte 1); {wide}"
    assert said[-1].endswith("was seen before")
    kept = [parts_of(tmp_path / "bad" / name)
            for name in ("1-canon", "4-simjoin")]  # fmt: skip
    assert kept == [b"".join(line + b"\n" for line in bad), pipe(lines[-1] + b"\n", "canon", "shingle", "sketch")]
    assert ran.out == pipe(DOCS.read_bytes(), "canon", "shingle", "sketch", "simjoin")


def test_one_command_rejects_for_several_reasons(simspark: Simspark, tmp_path: Path) -> None:
    """In one order, whatever the reasons; also what no file holds."""
    sketch = " ".join(3 * ["0" * 8])
    lines = [b'{"id":1,"sketch":"%b"}' % sketch.encode(), b'{"id":2}', b'{"id":1,"sketch":"%b"}' % sketch.encode()]
    (tmp_path / "one").write_bytes(b"\n".join(lines))
    (tmp_path / "two").write_bytes(lines[0])
    command = f"simjoin -t 1 --against {tmp_path / 'two'}"
    ran = simspark(command, "--in", tmp_path / "one", "--rejects", tmp_path / "bad")
    assert ran.status == 1
    assert ran.err.splitlines() == [
        f'simspark: simjoin: file:{tmp_path}/one:2: field "sketch" is missing',
        f"simspark: simjoin: file:{tmp_path}/one:3: id 1 was seen before",
    ]
    assert parts_of(tmp_path / "bad" / "1-simjoin") == lines[1] + b"\n" + lines[2] + b"\n"
    assert ran.out == run(*command.split(), stdin=lines[0]).out


ONE, TWO, SHINGLE = "0" * 8, "0" * 8 + " 00000001", "0" * 16


def as_in_the_shell(
    simspark: Simspark, options: str, records: list[Record], folder: Path, way: tuple[str, ...] = ()
) -> Ran:
    """What both say of a file of these records, and write; the shell's."""
    (folder / "docs").write_bytes(jsonl(*records))
    there, here = run(options, folder / "docs"), simspark(options, *way, "--in", folder / "docs")
    said = there.err.replace(f"simjoin: {folder}", f"simspark: simjoin: file:{folder}")
    assert (here.status, here.out) == (there.status, there.out)
    if here.status == 2:  # what is rejected behind the record that fails the run is told, too
        assert here.err.splitlines()[-1] == said.splitlines()[-1]
    else:
        assert here.err == said
    return there


@IN_BOTH_WAYS
@pytest.mark.parametrize(
    "case",
    [
        ("--verify", [{"id": 1, "sketch": TWO, "shingles": "x", "via": "other"}], 1),
        ("", [{"id": 0, "sketch": "", "via": "mine"}, {"id": 0, "sketch": TWO, "via": "mine"}], 1),
        ("-m 2", [{"id": 0, "sketch": ""}, {"id": 0, "sketch": ONE}], 2),
    ],
)
def test_what_is_rejected_leaves_no_trace(
    case: tuple[str, list[Record], int], way: tuple[str, ...], simspark: Simspark, tmp_path: Path
) -> None:
    options, records, status = case
    pair = [{"id": number, "sketch": ONE, "shingles": SHINGLE, "via": "mine"} for number in (1, 2)]
    ran = as_in_the_shell(simspark, f"simjoin {options}", records + pair, tmp_path, way)
    assert (ran.status, ran.out.count(b"similarity")) == (status, status % 2)


@pytest.mark.parametrize(("seed", "way"), [(0, IN_PARTS), (1, IN_PARTS), (4, IN_PARTS), (6, ()), (8, ())])
def test_rejected_or_failed(seed: int, way: tuple[str, ...], simspark: Simspark, tmp_path: Path) -> None:
    """A few records with faults of all kinds: these seeds have a pair, a size that differs, and a recipe that does."""
    rng = random.Random(seed)
    records = [
        {
            "id": rng.choice([1, 2, 3, "x", None]),
            "sketch": rng.choice(["", *[ONE] * 4, TWO]),
            "shingles": rng.choice(["", "bad", *[SHINGLE] * 3]),
            **rng.choice([{}, *[{"via": "x"}] * 5]),
        }
        for _ in range(6)
    ]
    options = rng.choice(["simjoin -m 1", "simjoin -t 1", "simjoin --verify -t 1", "simjoin --verify -t 1"])
    as_in_the_shell(simspark, options, records, tmp_path, way)


def test_what_is_rejected_leaves_no_trace_in_groups(simspark: Simspark, tmp_path: Path) -> None:
    """Neither of a group whose first document is rejected."""
    twice = b'{"id":"a","text":"long","duplicate_of":"x","duplicate_of":"y"}\n'
    deep = b'{"id":"c","text":"cc","duplicate_of" : "x","x":' + b"[" * 600 + b"]" * 600 + b"}\n"
    (tmp_path / "groups").write_bytes(jsonl({"members": ["a", "b", "c"]}))
    (tmp_path / "docs").write_bytes(twice + jsonl({"id": "b", "text": ""}, {"id": "a", "text": "a"}) + deep + twice)
    for keep in ("first", "longest"):
        options = f"dedup --groups {tmp_path / 'groups'} --keep {keep} --annotate"
        there = run(options, tmp_path / "docs")
        here = simspark(options, "--in", tmp_path / "docs", "--out", tmp_path / keep)
        out = parts_of(tmp_path / keep)
        assert (here.status, out) == (there.status, there.out)
        assert here.err == there.err.replace(f"dedup: {tmp_path}", f"simspark: dedup: file:{tmp_path}")


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
    ran, _ = on_spark(f"{dedup} --groups {groups[0]}", DOCS)
    assert ran.status == 2
    assert ran.err.endswith(" is in two groups\n")
    ran, written = on_spark(f"{against} --against {two}", new)
    assert (ran.status, written) == (1, of_two_sides)
    assert ran.err.splitlines()[-1] == f"simspark: simjoin: {len(lines[1::3])} records rejected in all"
