"""dedup --pairs -S: what it gives, says and refuses is what it does from memory."""

import random
import re
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import collect, jsonl, run_here
from shingletools.commands.dedup import dedup_on_disk
from shingletools.commands.dedup.dedup_collector import DedupCollector, chooser
from shingletools.commands.dedup.dedup_on_disk import DedupOnDisk
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.numbers.payload_store import DiskLimits
from shingletools.record.collector import ONE_PROCESS, Written
from shingletools.system.memory_limit import Memory

FEW = DiskLimits(least_share=1024, sampled=2, splits=3, touched=100, sizes=3)
KINDS = (str, lambda n: n, lambda n: f'"{n}\\\n', lambda n: f"é{n}")
Pair = tuple[object, object, dict[str, float]]
ids = st.builds(lambda kind, n: kind(n), st.sampled_from(KINDS), st.integers(0, 8))
similarities = st.sampled_from([{}, {"similarity": 0.5}, {"similarity": 0.75}, {"similarity": 1}])
pairs = st.lists(st.tuples(ids, ids, similarities).filter(lambda pair: pair[0] != pair[1]), max_size=50)


def chosen(dedup: DedupCollector, documents: list[object]) -> tuple[list[Written], list[str], list[str]]:
    """What it writes, says and counts."""
    written = [Written()]
    for place, name in enumerate(documents):
        record = {"id": name, "text": "x" * (place % 3), "n": place % 5}
        line = jsonl(record)
        written.append(collect(dedup, line if place % 4 else line.replace(b'"id"', b'"i\\u0064"')).written)
    written += dedup.finish()
    output, removed = (b"".join(parts) for parts in zip(*written, strict=True))
    return [Written(output, removed)], dedup.remarks(), dedup.summary()


@settings(max_examples=30)
@given(
    pairs,
    st.lists(ids, unique_by=repr, max_size=30),
    st.tuples(st.sampled_from(["first", "longest", "min:n"]), st.booleans(), st.booleans()),
)
def test_in_many_portions(some: list[Pair], documents: list[object], wishes: tuple[str, bool, bool]) -> None:
    keep, annotate, bounded = wishes
    said = [{"a": a, "b": b, **({"similarity": 0.8} if bounded else {}), **rest} for a, b, rest in some]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(dedup_on_disk, "READ_ENTRIES", 3)
        (path := Path(folder, "pairs")).write_bytes(jsonl(*said))
        specs = [
            DedupSpec(
                "id",
                (str(path),),
                keep=keep,
                annotate=annotate,
                memory=memory,
                least=Fraction("0.7") if bounded else None,
            )
            for memory in (None, Memory(0, folder))
        ]
        expected = chosen(chooser(specs[0], ONE_PROCESS), documents)
        assert chosen(DedupOnDisk(specs[1], Memory(0, folder), ONE_PROCESS, FEW), documents) == expected


def test_the_same_as_from_memory(tmp_path: Path) -> None:
    """Portions of ids, bad documents, ids that come again, escapes."""
    rng = random.Random(3)
    names = [rng.choice(KINDS)(n) for n in range(7000)]
    some = ({"a": a, "b": b, "similarity": rng.choice([0.7, 0.8, 1])} for a, b in (rng.sample(names, 2) for _ in names))
    (tmp_path / "pairs").write_bytes(jsonl(*some).replace(b'"a":7', b'"\\u0061":7'))
    documents = [{"id": name, "text": "x" * rng.randrange(9)} for name in rng.sample(names, 3500)]
    bad = [{}, {"id": None, "text": ""}, documents[0], documents[9]]
    (tmp_path / "docs").write_bytes(
        b"".join(
            jsonl(document).replace(b'"id":8', b'"\\u0069d":8') + jsonl(*rng.choices(bad, k=not place % 50))
            for place, document in enumerate(documents)
        )
    )
    for options in ("-t 0.75 --rejects bad --removed gone", "--keep longest --annotate", "--dry-run"):
        ran = []
        for more in ("", " -S1M -T ."):
            found = run_here(f"dedup --pairs pairs --all-messages -v {options}{more} docs", cwd=tmp_path)
            files = [(tmp_path / name).read_bytes() for name in ("bad", "gone") if (tmp_path / name).exists()]
            ran.append((found.status, found.out, re.sub(r"[0-9.]+ s, [0-9.]+ MB/s", "", found.err), files))
        assert ran[0] == ran[1]
        assert ran[0][0] == 1


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ("--groups g -S1M", "-S needs --pairs"),
        ("--pairs p -T .", "-T says where -S puts its scratch files, so it needs -S"),
        ("--pairs p --known k -S1M", "-S cannot be combined with --known, which works in memory"),
        ("--pairs p --without k -S1M", "-S cannot be combined with --without, which works in memory"),
        ("--pairs p --csv -S1M", "-S cannot be combined with --csv, which works in memory"),
        ("--pairs p -S1M -T no", "no: No such file or directory"),
    ],
)
def test_what_is_refused(options: str, cause: str, tmp_path: Path) -> None:
    for name in ("p", "k", "docs"):
        (tmp_path / name).write_bytes(b"")
    ran = run_here(f"dedup {options} docs", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines()[0].removesuffix(" (see dedup --help)") == f"dedup: {cause}"


def test_a_run_gives_memory_to_those_that_take_it(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl({"id": 1, "text": "a b"}, {"id": 2, "text": "a b"}))
    for last in ("dedup --pairs - docs", "simgroup | dedup --groups - docs"):
        pipeline = f"canon docs | shingle -k 2 | simjoin | {last}"
        ran = run_here("shingletools", "run", "-S1M", pipeline, cwd=tmp_path)
        assert ran.records() == [{"id": 1, "text": "a b"}]
