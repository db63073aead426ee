"""Numbered ids, pairs and groups of them as lines, and what pairs connect: both kernels, against dictionaries."""

import random
from collections.abc import Callable
from itertools import accumulate
from types import ModuleType

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.kernel import _kernel, compiled_arrays, groups, ids
from shingletools.kernel.ids import Ids, SelectedIds

KINDS: list[Callable[[bytes], Ids]] = [_kernel.Ids, Ids]
KEY = bytes(16)
names = st.lists(
    st.sampled_from([b"1", b'"1"', b"-1", b'""', b'"\xc3\xa9"', b"0" * 9, b'"a long one, longer than eight"'])
)


def sizes_of(several: list[bytes]) -> bytes:
    return np.array([*map(len, several)], np.int64).tobytes()


def numbers_of(data: bytes) -> list[int]:
    return [int(number) for number in np.frombuffer(data, np.int64)]


@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.tuples(st.sampled_from(["number", "find"]), names)))
def test_ids_against_a_dictionary(kind: Callable[[bytes], Ids], steps: list[tuple[str, list[bytes]]]) -> None:
    made, known = kind(KEY), dict[bytes, int]()
    for method, several in steps:
        given_ids = b"".join(several), sizes_of(several)
        if method == "number":
            for name in several:
                known.setdefault(name, len(known))
            assert numbers_of(made.number(*given_ids)) == [known[name] for name in several]
        else:
            assert numbers_of(made.find(*given_ids)) == [known.get(name, -1) for name in several]
        assert len(made) == len(known)
        assert bytes(made.data) == b"".join(known)
        assert numbers_of(bytes(made.ends)) == list(accumulate(map(len, known)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_grows(kind: Callable[[bytes], Ids]) -> None:
    """Over the first slots, several times; half of them are full at most, so that some share their slots."""
    made = kind(KEY)
    several = [b"%d" % number for number in range(5000)]
    for start in range(0, len(several), 700):
        part = several[start : start + 700]
        assert numbers_of(made.number(b"".join(part), sizes_of(part))) == [*range(start, start + len(part))]
        known = several[: start + 700]
        assert numbers_of(made.find(b"".join(known), sizes_of(known))) == list(range(len(known)))
    absent = [b"-%d" % number for number in range(1, 5000)]
    assert set(numbers_of(made.find(b"".join(absent), sizes_of(absent)))) == {-1}
    assert numbers_of(made.number(b"7", sizes_of([b"7"]))) == [7]


@pytest.mark.parametrize("kind", KINDS)
def test_ids_that_repeat_the_one_before(kind: Callable[[bytes], Ids]) -> None:
    """The kernel looks up 64 ids at a time, and an id that repeats the one before not at all."""
    for run in (1, 2, 63, 64, 65, 200):
        given = [b'"%d"' % number for number in (*range(30), *range(40)) for _ in range(run)]
        made = kind(KEY)
        numbers = numbers_of(made.number(b"".join(given), sizes_of(given)))
        assert numbers == [int(each[1:-1]) for each in given]
        assert numbers_of(made.find(b"".join(given), sizes_of(given))) == numbers
        assert numbers_of(kind(KEY).find(b"".join(given), sizes_of(given))) == [-1] * len(given)
    likes = [b"1", b"11", b"1", b"1", b"", b"", b"1"]  # of other sizes, and of none
    assert numbers_of(kind(KEY).number(b"".join(likes), sizes_of(likes))) == [0, 1, 0, 0, 2, 2, 0]


def test_ids_that_meet_in_one_slot() -> None:
    """Of a table that has 1024: all begin at its last slot, so that those behind it come first."""
    names = [b"%d" % number for number in range(70_000)]
    made = _kernel.Ids(KEY)
    hashes = np.frombuffer(made.hashes(b"".join(names), sizes_of(names)), np.uint64)
    several = [names[number] for number in np.flatnonzero(hashes % np.uint64(1024) == 1023).tolist()]
    assert len(several) > 50
    assert numbers_of(made.number(b"".join(several), sizes_of(several))) == [*range(len(several))]
    order = random.Random(1).sample(range(len(several)), len(several))
    shuffled = [several[i] for i in order]
    assert numbers_of(made.find(b"".join(shuffled), sizes_of(shuffled))) == order
    assert numbers_of(made.number(b"".join(shuffled), sizes_of(shuffled))) == order


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [[1], [3], [-1, 3], [2, 1], [1, 2, -1]])
def test_sizes_of_other_ids(kind: Callable[[bytes], Ids], sizes: list[int]) -> None:
    made = kind(KEY)
    for method in (made.number, made.find):
        with pytest.raises(ValueError, match="the sizes are not those of the ids"):
            method(b"12", np.array(sizes))
    assert not made.data


def test_what_is_no_key_and_no_sizes() -> None:
    with pytest.raises(ValueError, match="a key has 16 bytes"):
        _kernel.Ids(bytes(15))
    with pytest.raises(ValueError, match="the sizes are not those of the ids"):
        _kernel.Ids(KEY).number(b"1", bytes(7))
    for place in (-1, 3):
        with pytest.raises(ValueError, match="no place in the lines"):
            _kernel.read_columns(b"{}", place, ())


values = st.one_of(st.integers(-(2**63), 2**64 - 1), st.text(max_size=9))


@given(st.lists(values, min_size=1, max_size=9), st.data())
def test_lines_of_pairs_and_groups(several: list[int | str], data: st.DataObject) -> None:
    spelled = [orjson.dumps(name) for name in several]
    ends = np.cumsum([len(name) for name in spelled])
    numbers = st.lists(st.integers(0, len(several) - 1), min_size=1, max_size=9)
    a, b = data.draw(numbers), data.draw(numbers)
    a, b = a[: len(b)], b[: len(a)]
    rests = [b"1}\n", b'"distance":3}\n']
    which = [i % 2 for i in range(len(a))]
    one, two = (SelectedIds(b"".join(spelled), ends, np.array(part)) for part in (a, b))
    lines = compiled_arrays.pair_lines(one, two, rests, np.array(which))
    assert lines == ids.pair_lines(one, two, rests, np.array(which))
    expected = [b'{"a":%b,"b":%b,%b' % (spelled[x], spelled[y], rests[i]) for x, y, i in zip(a, b, which, strict=True)]
    assert lines == b"".join(expected)

    cut = data.draw(st.integers(1, len(a)))
    sizes = np.array([size for size in (cut, len(a) - cut) if size])
    lines = compiled_arrays.group_lines(one, sizes)
    assert lines == groups.group_lines(one, sizes)
    parts = [part for part in ([several[x] for x in a[:cut]], [several[x] for x in a[cut:]]) if part]
    records = [{"group": part[0], "size": len(part), "members": part} for part in parts]
    assert lines == b"".join(orjson.dumps(record) + b"\n" for record in records)


@pytest.mark.parametrize("kernel", [compiled_arrays, groups])
def test_sizes_of_other_groups(kernel: ModuleType) -> None:
    members = SelectedIds(b"1", np.array([1]), np.array([0, 0]))
    for sizes in ([1], [3], [2, 0], [3, -1]):
        with pytest.raises(ValueError, match="the sizes are not those of the groups"):
            kernel.group_lines(members, np.array(sizes))


@pytest.mark.parametrize("kernel", [compiled_arrays, groups])
@pytest.mark.parametrize("number", [-1, 2])
def test_groups_of_other_ids(kernel: ModuleType, number: int) -> None:
    members = SelectedIds(b"12", np.array([1, 2]), np.array([0, number]))
    with pytest.raises(ValueError, match="no ids of these numbers"):
        kernel.group_lines(members, np.array([2]))


@pytest.mark.parametrize("kernel", [compiled_arrays, ids])
@pytest.mark.parametrize("number", [-1, 2])
def test_pairs_of_other_ids(kernel: ModuleType, number: int) -> None:
    good = SelectedIds(b"12", np.array([1, 2]), np.array([0, 1]))
    bad = good._replace(numbers=np.array([0, number]))
    for a, b in ((good, bad), (bad, good)):
        with pytest.raises(ValueError, match="no ids of these numbers"):
            kernel.pair_lines(a, b, [b"\n"], np.array([0, 0]))
    with pytest.raises(IndexError):
        kernel.pair_lines(good, good, [b"\n"], np.array([0, 1]))


def test_ids_that_end_elsewhere() -> None:
    for ends in ([1, 3], [2, 1], [-1, 2]):
        with pytest.raises(ValueError, match="no ids of these numbers"):
            compiled_arrays.group_lines(SelectedIds(b"12", np.array(ends), np.array([1])), np.array([1]))
    one = SelectedIds(b"1", np.array([1]), np.array([0]))
    with pytest.raises(ValueError, match="no ids of these numbers"):
        compiled_arrays.pair_lines(one, one, [b"\n"], np.array([0, 0]))


pairs = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=40)


@given(pairs, st.integers(0, 40))
def test_connect(edges: list[tuple[int, int]], cut: int) -> None:
    """Against sets that are merged, in two calls; both kernels leave the same parents."""
    parents = np.arange(21, dtype=np.int32), np.arange(21, dtype=np.int32)
    sets = {number: {number} for number in range(21)}
    for part in (edges[:cut], edges[cut:]):
        left, right = (np.array([edge[side] for edge in part], np.int64) for side in (0, 1))
        news = np.zeros(len(part), np.uint8), np.zeros(len(part), np.uint8)
        for kernel, parent, new in zip((compiled_arrays, groups), parents, news, strict=True):
            kernel.connect(parent, left, right, new)
        assert parents[0].tolist() == parents[1].tolist()
        expected = []
        for a, b in part:
            expected.append(sets[a] is not sets[b])
            if expected[-1]:
                sets[a] |= sets[b]
                for number in sets[a]:
                    sets[number] = sets[a]
        assert [news[0].tolist(), news[1].tolist()] == [expected, expected]
    for number, above in enumerate(parents[0].tolist()):
        assert above <= number
        assert above in sets[number]
        assert (above == number) == (number == min(sets[number]))


@pytest.mark.parametrize("kernel", [compiled_arrays, groups])
@pytest.mark.parametrize(("left", "right"), [([0], [3]), ([-1], [0]), ([0, 1], [1, 2])])
def test_pairs_of_other_numbers(kernel: ModuleType, left: list[int], right: list[int]) -> None:
    parent = np.arange(3, dtype=np.int32)
    with pytest.raises(ValueError, match="no pairs of these numbers"):
        kernel.connect(parent, np.array(left), np.array(right), np.zeros(1, np.uint8))
    assert parent.tolist() == [0, 1, 2]


def test_ids_are_kept_as_copies() -> None:
    """What orjson makes takes a kilobyte, however short it is: a million of them took two gigabytes."""
    name = orjson.dumps("a")
    made = Ids()
    made.number(name, sizes_of([name]))
    assert all(kept == name and kept is not name for kept in made.numbers)


@pytest.mark.parametrize("kind", KINDS)
def test_hashes(kind: Callable[[bytes], Ids]) -> None:
    several = [
        b"1",
        b"2",
        b"1",
        b"a longer one, which differs at its end 1",
        b"a longer one, which differs at its end 2",
    ]
    one, other, another = (
        np.frombuffer(kind(key).hashes(b"".join(several), sizes_of(several)), np.uint64).tolist()
        for key in (KEY, KEY, b"\1" * 16)
    )
    assert one == other
    assert one[0] == one[2]
    assert len({*one, *another}) == 8
    with pytest.raises(ValueError, match="the sizes are not those of the ids"):
        kind(KEY).hashes(b"12", sizes_of([b"1"]))
