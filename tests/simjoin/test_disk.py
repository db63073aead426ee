"""simjoin -S and --forest: the pairs that brute force finds, from memory and from disk, however they are cut up."""

import json
import mmap
import os
import random
import resource
import signal
import subprocess
import time
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import BIN, DOCS, ENVIRONMENT, Record, collect, finished, has_open, jsonl, pipe, run, run_here
from shingletools.commands.simjoin import join as joining
from shingletools.commands.simjoin.buckets import portions
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.limits import Limits
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.commands.simjoin.stored import Stored
from shingletools.commands.simjoin.table import Candidates, Compared
from shingletools.kernel.types import U64, Index
from shingletools.numbers import sorter as sorting
from shingletools.numbers.payload_store import PayloadStore, portions_of
from shingletools.numbers.sorter import NONE, Sorter, ascending
from shingletools.system.disk_array import DiskArray
from shingletools.system.errors import EnvironmentFailure
from shingletools.system.growing_bytes import LARGE_BYTES, GrowingBytes
from shingletools.system.memory_limit import Memory
from simjoin.all_pairs import ON_DISK, SMALL, brute_force, check_all, ends, joined, lines


def families(rng: random.Random, documents: int) -> list[list[int]]:
    """Sketches of 84 words: copies, near copies and strangers, and some that share a band with all of a crowd."""
    base = [[rng.getrandbits(32) for _ in range(84)] for _ in range(documents // 8)]
    words = []
    for _ in range(documents):
        row = list(rng.choice(base))
        for place in rng.sample(range(84), rng.choice([0, 0, 1, 5, 16, 17, 30])):
            row[place] = rng.getrandbits(32)
        if rng.random() < 0.3:
            row[:5] = [7] * 5
        words.append(row)
    return words


@pytest.mark.slow
@pytest.mark.parametrize("side", [None, 15])
def test_families(side: int | None) -> None:
    words = families(random.Random(4), 28)
    wanted = JoinOptions(similarity=Fraction("0.8"))
    expected = brute_force(words, wanted, side)
    assert len(expected) > 8
    check_all(lines(words), wanted, expected, side)


def with_sketches(sets: list[set[int]], words: list[list[int]]) -> list[bytes]:
    both = zip(lines(sets), lines(words), strict=True)
    return [jsonl(json.loads(one) | json.loads(two)) for one, two in both]


@pytest.mark.slow
@pytest.mark.parametrize("side", [None, 25])
def test_verified(side: int | None) -> None:
    """Sketches of one component, which all have, propose all pairs, so that the sets alone decide; others differ."""
    rng = random.Random(9)
    base = [set(rng.sample(range(1000), rng.randrange(5, 60))) for _ in range(8)]
    sets = [{token for token in rng.choice(base) if rng.random() < 0.95} or {1} for _ in range(50)]
    wanted = JoinOptions(similarity=Fraction("0.8"), verify=True)
    expected = brute_force(sets, wanted, side)
    assert len(expected) > 40
    check_all(with_sketches(sets, [[1, 2]] * 50), wanted, expected, side)


def test_verified_where_sketches_of_equal_sets_differ() -> None:
    """As they may if they are not ours: pairs are those that both propose and decide, from memory and from disk."""
    rng = random.Random(2)
    sets = [set(range(start, start + 9)) for start in rng.choices(range(3), k=60)]
    words = [[rng.randrange(6) for _ in range(5)] for _ in sets]
    wanted = JoinOptions(similarity=Fraction("0.7"), verify=True)
    proposed, every = ends(brute_force(words, JoinOptions(agreeing=1))), brute_force(sets, wanted)
    expected = [pair for pair in every if (pair["a"], pair["b"]) in proposed]
    assert len(expected) < len(every)
    check_all(with_sketches(sets, words), wanted, expected)


def test_simhashes() -> None:
    rng = random.Random(1)
    base = [rng.getrandbits(64) for _ in range(10)]
    bits = [rng.choice(base) ^ sum(1 << place for place in rng.sample(range(64), rng.randrange(5))) for _ in range(150)]
    expected = [
        {"a": a, "b": b, "similarity": round(1 - distance / 64, 6), "distance": distance}
        for a, b in combinations(range(150), 2)
        if (distance := (bits[a] ^ bits[b]).bit_count()) <= 3
    ]
    assert len(expected) > 100
    records = [jsonl({"id": number, "simhash": f"{word:016x}"}) for number, word in enumerate(bits)]
    check_all(records, JoinOptions(distance=3), expected)


def test_a_crowd_of_near_copies_is_connected_in_few_comparisons() -> None:
    """3,000 different sketches, each like the others: all pairs are four and a half million."""
    rng = np.random.default_rng(3)
    rows = np.tile(rng.integers(0, 2**32, 84, dtype=np.uint32), (3000, 1))
    rows[np.arange(3000), rng.integers(40, 84, 3000)] = np.arange(3000)
    join = JoinCollector(JoinSpec("id", JoinOptions(forest=True)))
    collect(join, b"".join(lines(rows.tolist())))
    found = finished(join).splitlines()
    assert len(found) == 2999
    assert join.candidates < 2 * 3000


@pytest.mark.slow
def test_a_chain_is_connected() -> None:
    """Each sketch is like the next only, and all share a band, so that comparisons with the first bring little."""
    rows = [[0] * 5 + [1000 * place + min(i, i // 3 if place % 2 else i) for place in range(79)] for i in range(18)]
    expected = brute_force(rows, JoinOptions(agreeing=40))
    assert 12 < len(expected) < 40
    check_all(lines(rows), JoinOptions(agreeing=40), expected)


@pytest.mark.parametrize("jobs", [1, 2])
@given(blocks=st.lists(st.lists(st.integers(0, 6) | st.just(2**64 - 1), max_size=9), max_size=6))
def test_sorter(jobs: int, blocks: list[list[int]]) -> None:
    """Entries of one key come in the order in which they were added, whoever writes runs."""
    with patch.object(sorting, "SMALL_RUN", 1):
        sorter = Sorter(ON_DISK._replace(jobs=jobs), 1, SMALL)
        entries = [(key, place) for place, key in enumerate(key for block in blocks for key in block)]
        place = 0
        for block in blocks:
            sorter.add(np.array(block, np.uint64), np.arange(place, place + len(block)))
            place += len(block)
        found = [
            entry for keys, values in sorter.sorted() for entry in zip(keys.tolist(), values.tolist(), strict=True)
        ]
    assert found == sorted(entries)


def test_a_run_that_another_thread_cannot_write_fails() -> None:
    sorter = Sorter(ON_DISK._replace(jobs=2), 1, SMALL)
    sorter.add(np.zeros(sorting.SMALL_RUN, np.uint64), np.arange(sorting.SMALL_RUN))
    sorter.most = sorting.SMALL_RUN  # one run, in another thread
    with patch.object(DiskArray, "append", side_effect=EnvironmentFailure("full")):
        sorter.add(np.zeros(sorting.SMALL_RUN, np.uint64), np.arange(sorting.SMALL_RUN))
        with pytest.raises(EnvironmentFailure, match="full"):
            next(sorter.sorted())


@pytest.mark.parametrize("edges", [[2, 4], [4, 7, 8], [7]])
def test_blocks_do_not_change_portions(edges: list[int]) -> None:
    """The pairs that connect a bucket depend on the portions."""
    keys, rows, limits = np.array([1, 1, 2, 2, 3, 3, 3, 4, 5, 5], np.uint64), np.arange(10), Limits(portion=3)
    blocks = zip(np.split(keys, edges), np.split(rows, edges), strict=True)
    found = [(portion.bucket.tolist(), portion.row.tolist()) for portion in portions(blocks, limits)]
    assert found == [([0, 0, 1, 1], [0, 1, 2, 3]), ([0, 0, 0], [4, 5, 6]), ([0, 0], [8, 9])]


@given(st.lists(st.integers(0, 6) | st.integers(2**64 - 4, 2**64 - 1) | st.integers(0, 2**40), max_size=40))
def test_ascending(keys: list[int]) -> None:
    assert ascending(np.array(keys, np.uint64)).tolist() == sorted(range(len(keys)), key=keys.__getitem__)


@pytest.mark.parametrize("memory", [None, ON_DISK])
@given(st.lists(st.lists(st.integers(0, 30), max_size=9), max_size=6))
def test_sorter_of_keys_alone(memory: Memory | None, blocks: list[list[int]]) -> None:
    every, distinct = Sorter(memory, 1, SMALL, columns=0), Sorter(memory, 1, SMALL, columns=0)
    for block in blocks:
        every.add(np.array(block, np.uint64))
        distinct.add(np.array(block, np.uint64))
    assert [key for keys, _ in every.sorted() for key in keys.tolist()] == sorted(
        key for block in blocks for key in block
    )
    parts = [keys.tolist() for keys, _ in distinct.distinct(3)]
    assert [key for part in parts for key in part] == sorted({key for block in blocks for key in block})
    assert all(len(part) <= 3 for part in parts)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.sampled_from([1, 8]), st.data())
def test_payloads(sizes: list[int], unit: int, data: st.DataObject) -> None:
    """Whatever rows are loaded, also those that happen to have the mean size, or one size."""
    payloads = [bytes([number]) * unit * size for number, size in enumerate(sizes)]
    rows = data.draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1).map(sorted))
    column = PayloadStore(ON_DISK, unit, SMALL)
    for payload in payloads:
        column.append(payload)
    loaded, lengths = column.load(np.array(rows))
    assert loaded.tobytes() == b"".join(payloads[row] for row in rows)
    assert lengths.tolist() == [len(payloads[row]) for row in rows]
    parts = [column.load(part)[0].tobytes() for part in portions_of([column], 20, SMALL)]
    assert b"".join(parts) == b"".join(payloads)


@pytest.mark.parametrize("large", [False, True])
def test_bytes_that_grow(large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over several large pages, also where the system has none."""
    if not large:
        monkeypatch.delattr(mmap, "MADV_HUGEPAGE", raising=False)
    data, expected = GrowingBytes(), b""
    for number, size in enumerate((0, 5, LARGE_BYTES, 3, 5 * LARGE_BYTES)):
        data.extend(bytes([number]) * size)
        expected += bytes([number]) * size
        assert data.view().tobytes() == expected


def test_candidates_on_disk_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any two of ten sketches agree in three of five bands or more."""
    compared = list[int]()
    compare = Stored.compare

    def counting(table: Stored, some: Candidates, band: int = 0) -> Compared:
        compared.append(len(some.left))
        return compare(table, some, band)

    monkeypatch.setattr(Stored, "compare", counting)
    sketches = [[number * (place == 2 * number) for place in range(20)] for number in range(10)]
    assert len(joined(lines(sketches), JoinOptions(Fraction(4, 5)), memory=ON_DISK)) == sum(compared) == 45


def test_copies_across_are_not_paired_with_each_other() -> None:
    """3,000 copies on one side: their four million pairs are not even thought of."""
    wanted = JoinOptions(similarity=Fraction(1))
    join = JoinCollector(JoinSpec("id", wanted, ("other",), ON_DISK))
    for number in range(3001):
        collect(join, jsonl({"id": number, "sketch": "00000001 00000002"}), int(number == 3000))
    added: list[int] = []

    class Counting(Sorter):
        def add(self, keys: U64, values: Index = NONE) -> None:
            added.append(len(keys))
            super().add(keys, values)

    with pytest.MonkeyPatch.context() as patch:
        for module in joining, sorting:
            patch.setattr(module, "Sorter", Counting)
        found = finished(join).splitlines()
    assert len(found) == 3000
    assert sum(added) == 2 * 2999 + 2  # copies twice, a candidate, and the pair of originals


REAL = [
    ("shingle -k 10", "sketch -n 84", "-t 0.8"),
    ("shingle -k 10", "sketch -n 84", "-t 0.3"),
    ("shingle -k 3", "sketch --super 14", "-m 1"),
    ("shingle -k 3", "sketch --simhash", "-d 6"),
    ("shingle -k 3", "sketch --keep", "--verify -t 0.6"),
    ("shingle -k 3", "sort", "-t 0.5"),
    ("shingle -k 3", "sort", "--measure containment -t 0.5"),
]


@cache
def shingled(shingle: str) -> bytes:
    return pipe(DOCS.read_bytes(), "canon", shingle)


@pytest.mark.slow
@pytest.mark.parametrize(("shingle", "sketch", "options"), REAL)
def test_real_data(shingle: str, sketch: str, options: str, tmp_path: Path) -> None:
    stdin = pipe(shingled(shingle), sketch)
    half = stdin.splitlines(keepends=True)
    (tmp_path / "old").write_bytes(b"".join(half[:150]))
    for against in ([], ["--against", str(tmp_path / "old")]):
        arguments = ["simjoin", *options.split(), *against]
        given = b"".join(half[150:]) if against else stdin
        every = run_here(*arguments, stdin=given, cwd=tmp_path).good()
        assert every
        for limit in ("1K", "1G" if against else "3%"):
            assert run(*arguments, "-S", limit, "-T", tmp_path, "-j", "2", stdin=given).good() == every
        connected = run_here(*arguments, "--forest", stdin=given, cwd=tmp_path).good()
        assert run(*arguments, "--forest", "-S", "1K", stdin=given).good() == connected
        assert set(connected.splitlines()) <= set(every.splitlines())
        if not against:
            groups = [run_here("simgroup", stdin=pairs, cwd=tmp_path).records() for pairs in (every, connected)]
            members = [{frozenset(record["members"]) for record in records} for records in groups]
            assert members[0] == members[1]


def test_ids_of_all_kinds(tmp_path: Path) -> None:
    ids = [1, "1", 2**64 - 1, -(2**63), "", "é\n\u2028", "x" * 5000, "0", 0]
    stdin = jsonl(*({"id": name, "sketch": "00000001"} for name in ids))
    every = run("simjoin", stdin=stdin).good()
    assert len(every.splitlines()) == 36
    assert run("simjoin", "-S", "1K", "-T", tmp_path, stdin=stdin).good() == every
    (tmp_path / "old").write_bytes(stdin)
    ran = run("simjoin", "-S", "1K", "--against", tmp_path / "old", stdin=stdin)
    assert ran.good() == run("simjoin", "--against", tmp_path / "old", stdin=stdin).good()


def test_an_id_seen_before() -> None:
    stdin = jsonl(*({"id": name, "sketch": "00000001"} for name in ("a", 1, "1", "a", 1)))
    ran = run("simjoin", "-S", "1M", stdin=stdin)
    assert (ran.status, len(ran.out.splitlines())) == (1, 3)
    assert ran.err == 'simjoin: -:4: id "a" was seen before\nsimjoin: -:5: id 1 was seen before\n'


def test_nothing() -> None:
    assert run("simjoin", "-S", "1M").good() == b""
    assert run("simjoin", "--forest").good() == b""
    for option in ("--forest", "-S1M"):
        assert run("simjoin", option, stdin=jsonl({"id": 1, "sketch": "00000001"})).good() == b""
        assert run("simjoin", option, stdin=jsonl({"id": 1, "sketch": ""}, {"id": 2, "sketch": ""})).good() == b""


@pytest.mark.parametrize("size", ["", "x", "-1", "1.5G", "1 G", "G", "1KB", "١K"])
def test_no_size(size: str) -> None:
    ran = run("simjoin", f"-S={size}" if size.startswith("-") else f"--buffer-size={size}")
    assert (ran.status, ran.out) == (2, b"")
    assert "argument -S/--buffer-size: not a size such as 500M, 2G or 50%: " in ran.err


@pytest.mark.parametrize(("folder", "cause"), [("no", "No such file or directory"), ("file", "Not a directory")])
def test_no_folder(folder: str, cause: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    ran = run("simjoin", "-S", "1M", "-T", folder, "-o", "out", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"simjoin: {folder}: {cause}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("limit", [8192, 100_000])
def test_a_full_disk(limit: int, tmp_path: Path) -> None:
    """As on a full disk, files cannot grow; the output is a pipe."""
    scratch_files = tmp_path / "scratch"
    scratch_files.mkdir()
    (tmp_path / "in").write_bytes(jsonl(*of_sketches_with_ids(3000)))
    ran = subprocess.run(
        [BIN / "simjoin", "-S", "1M", "-T", scratch_files, tmp_path / "in"],
        capture_output=True,
        check=False,
        env=ENVIRONMENT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode() == f"simjoin: {scratch_files}: File too large\n"
    assert not list(scratch_files.iterdir())


def of_sketches_with_ids(documents: int) -> list[Record]:
    rng = random.Random(2)
    words = [[rng.getrandbits(32) for _ in range(84)] for _ in range(documents)]
    return [json.loads(line) | {"id": f"document {i}"} for i, line in enumerate(lines(words))]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_behind(number: signal.Signals, tmp_path: Path) -> None:
    # A job that a script put into the background ignores Ctrl-C, and so would what it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    arguments = [str(BIN / "simjoin"), "-S", "1M", "-T", str(tmp_path)]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    assert process.stdin is not None
    process.stdin.write(jsonl(*of_sketches_with_ids(3000)))
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not has_open(process.pid, tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not list(tmp_path.iterdir())
    process.send_signal(number)
    assert process.wait(60) == -number
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("free", [47_999, 60_000, 10_000_000])
def test_too_little_scratch_space(free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before copies are looked for, 16 bytes a document; before bands are sorted, 16 for each entry that has company.

    All 3,000 documents share their first band, which takes 48,000 bytes, and by accident some others.
    """
    records = of_sketches_with_ids(3000)
    for record in records:
        record["sketch"] = "00000000 " * 4 + str(record["sketch"])[36:]
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=free, f_frsize=1))
    ran = run_here("simjoin", "-S", "1M", "-T", str(tmp_path), "-v", stdin=jsonl(*records), cwd=tmp_path)
    assert (ran.status, ran.out) == (0 if free > 1_000_000 else 2, b"")
    refused = f"simjoin: {tmp_path}: 1 MB of scratch space needed, 0 MB free\n"
    assert (refused in ran.err) == (free < 1_000_000)
    assert ("simjoin: scratch files: 2 MB of documents, at most 1 MB to sort\n" in ran.err) == (free > 47_999)
    assert not list(tmp_path.iterdir())
