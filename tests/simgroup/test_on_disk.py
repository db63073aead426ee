"""Ids on disk against Python's own dictionaries; simgroup -S gives what it gives from memory."""

import random
import resource
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import BIN, ENVIRONMENT, jsonl, run
from shingletools.kernel.ids import Buffer, each_id
from shingletools.numbers.ids_on_disk import Hashes, IdsOnDisk, KeyedHashes
from shingletools.numbers.payload_store import DiskLimits
from shingletools.system.memory_limit import Memory

FEW = DiskLimits(least_share=1024, sampled=2, splits=3, touched=100, sizes=3)  # six ids make a portion


class Alike(KeyedHashes):
    """Most ids share the first hash."""

    def hash(self, ids: bytes | bytearray, sizes: Buffer) -> Hashes:
        one, two = super().hash(ids, sizes)
        return one % np.uint64(2), two


@pytest.mark.parametrize("hashes", [KeyedHashes, Alike])
@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 300), max_size=12)), max_size=40))
def test_ids_are_numbered_by_their_first_mention(
    hashes: type[KeyedHashes], steps: list[tuple[bool, list[int]]]
) -> None:
    ids = IdsOnDisk(Memory(0, "/tmp"), FEW)
    ids.hashes = hashes()
    expected: dict[bytes, int] = {}
    mentions: list[int] = []
    for wanted, numbers in steps:
        names = [b"%d" % number for number in numbers]
        for name in names:
            expected.setdefault(name, len(expected))
        found = ids.number(b"".join(names), np.array([*map(len, names)], np.int64))
        ids.mention(found if wanted else found[:0])
        mentions += [expected[name] for name in names] * wanted
    assert [number for some in ids.numbers() for number in some.tolist()] == mentions
    assert len(ids) == len(expected)
    some = np.array([*reversed(range(len(expected))), *range(0, len(expected), 2)], np.int64)
    assert [*each_id(ids.names(some))] == [[*expected][number] for number in some.tolist()]


def pairs_of_all_kinds(folder: Path) -> bytes:
    """Pairs whose ids take several portions; ids that look alike, lines with escapes, and bad ones."""
    rng = random.Random(5)
    kinds = (str, lambda n: n, lambda n: f'"{n}\\\n', lambda n: f"é{n}", lambda n: -n)
    lines = []
    for _ in range(24_000):
        one, two = (rng.choice(kinds)(rng.randrange(rng.choice([50, 40_000, 40_000, 40_000]))) for _ in range(2))
        lines.append(jsonl({"a": one, "b": two, "similarity": rng.randrange(700, 1000) / 1000}))
        if rng.random() < 0.01:
            lines.append(rng.choice([b"{}\n", b'{"a":1,"b":1}\n', lines[-1].replace(b'"a"', b'"\\u0061"')]))
    (folder / "docs").write_bytes(jsonl(*({"id": rng.choice(kinds)(n)} for n in range(15_000)), {"id": None}))
    return b"".join(lines)


def test_the_same_as_from_memory(tmp_path: Path) -> None:
    stdin = pairs_of_all_kinds(tmp_path)
    for options in ("-t 0.95", "--star", "-t 0.9 --singletons docs --rejects bad", "--star --singletons docs"):
        ran = [
            run(f"simgroup {options} --all-messages {more}", stdin=stdin, cwd=tmp_path) for more in ("", "-S1M -T .")
        ]
        assert ran[0].status == 1
        assert ran[0].out.count(b"\n") > 100
        assert (ran[0].status, ran[0].out, ran[0].err) == (ran[1].status, ran[1].out, ran[1].err)
    figures = [run(f"simgroup {more} -v docs", stdin=stdin).err.partition("B/s, ")[2] for more in ("", "-S1M")]
    assert figures[0] == figures[1]


def test_a_folder_that_is_missing_or_full(tmp_path: Path) -> None:
    ran = run("simgroup -S1M -T no -o out", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "simgroup: no: No such file or directory\n")
    limited = subprocess.run(
        [BIN / "simgroup", "-S1M", "-T", tmp_path],
        capture_output=True,
        check=False,
        env=ENVIRONMENT,
        input=pairs_of_all_kinds(tmp_path),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )
    assert (limited.returncode, limited.stdout) == (2, b"")
    assert limited.stderr.decode().splitlines()[-1] == f"simgroup: {tmp_path}: File too large"
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]
