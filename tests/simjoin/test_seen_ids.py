"""Ids on disk: which have come, against Python's own sets, however few fit in memory, and whatever their hashes are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.commands.simjoin.limits import Limits
from shingletools.kernel.types import Index
from shingletools.numbers.seen_ids import Hashes, SeenIds
from shingletools.system.memory_limit import Memory

HERE = Memory(0, "/tmp")
FEW = Limits(least_share=512, sampled=2, splits=3)  # four ids in memory, 32 words

batches = st.lists(st.tuples(st.integers(0, 1), st.booleans(), st.lists(st.integers(0, 90), max_size=8)), max_size=25)


class Alike(SeenIds):
    """Most ids share the first hash, some both words and bits of the filter."""

    def _hashes(self, side: int, ids: bytes, sizes: Index) -> Hashes:
        ends = np.cumsum(sizes)
        numbers = [int(ids[end - size : end]) for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]
        return np.array([number % 3 for number in numbers], np.uint64), np.array(numbers, np.int64) << 40 | side


@pytest.mark.parametrize("kind", [SeenIds, Alike])
@given(batches)
def test_against_sets(kind: type[SeenIds], steps: list[tuple[int, bool, list[int]]]) -> None:
    claimed = kind(HERE, FEW)
    known: list[set[int]] = [set(), set()]
    for side, claims, numbers in steps:
        names = [b"%d" % number for number in numbers]
        given_ids = b"".join(names), np.array([*map(len, names)], np.int64)
        if claims:
            expected = [number not in known[side] | set(numbers[:place]) for place, number in enumerate(numbers)]
            assert claimed.claim(side, *given_ids).tolist() == expected
            known[side] |= set(numbers)
        else:
            assert claimed.has(side, *given_ids).tolist() == [number in known[side] for number in numbers]


def test_many_runs_are_merged() -> None:
    claimed = SeenIds(HERE, FEW)
    names = [b"%d" % number for number in range(2000)]
    for start in range(0, 2000, 5):
        some = names[start : start + 5]
        assert claimed.claim(0, b"".join(some), np.array([*map(len, some)])).all()
    assert len(claimed.runs) < 8 * 4
    assert sum(len(run.keys) for _, run in claimed.runs) + sum(len(one) for one, _ in claimed.held) == 2000
    assert claimed.has(0, b"".join(names), np.array([*map(len, names)])).all()
    assert not claimed.has(1, b"".join(names), np.array([*map(len, names)])).any()
