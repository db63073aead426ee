"""Signatures of shingles with weights, in C against their definitions."""

import random
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.commands.shingle.fingerprints import word_fingerprint
from shingletools.commands.sketch.minhash import Supershingles
from shingletools.commands.sketch.weighted_signatures import WeightedMinHash, WeightedSimHash
from shingletools.kernel import _kernel
from shingletools.kernel.lines import FilterFields, Link
from shingletools.kernel.weighted_minhash_times import waiting_times, weighted_minhash
from shingletools.numbers.inverse_document_frequency import UNIT
from shingletools.reading.shingle_tables import MAX_WEIGHT as MOST
from shingletools.reading.shingle_weights import Weights

FIELDS = FilterFields(b"id", b"x", b"x", False, b"r")
MAX_WEIGHT = MOST * UNIT
KINDS: dict[str, Callable[[random.Random], int]] = {  # of weights
    "any": lambda rng: rng.randint(0, MAX_WEIGHT),
    "small": lambda rng: rng.randrange(4),  # many that are equal, and some that are nothing
    "apart": lambda rng: rng.choice([0, 1, UNIT, UNIT + 1, MAX_WEIGHT]),
    "ordinary": lambda rng: rng.randrange(16 * UNIT),
}


def payloads_by(link: Link, payloads: Sequence[str]) -> list[str]:
    """What the kernel makes of them."""
    lines = b"".join(b'{"id":1,"x":"%b"}\n' % payload.encode() for payload in payloads)
    made, count, _, error = _kernel.linked_lines((link,), FIELDS, lines, 0)
    assert isinstance(made, bytes)
    assert (count, error) == (len(payloads), None)
    return [line.split(b'"')[5].decode() for line in made.splitlines()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("digits", [8, 16])
def test_signatures(kind: str, digits: int) -> None:
    """Of few shingles and of many, with repeats and without, of one weight and of many, known and unknown."""
    rng = random.Random(f"{kind} {digits}")
    for shingles in (1, 2, 3, 15, 16, 17, 60, 300):
        pool = [rng.getrandbits(4 * digits) for _ in range(shingles)]
        known = {each: KINDS[kind](rng) for each in pool[: rng.randint(1, shingles)]}
        weights = Weights(known | {0: 7}, digits)
        payloads = [
            " ".join(f"{rng.choice(pool):0{digits}x}" for _ in range(count)) for count in (1, shingles, 3 * shingles)
        ]
        payloads += ["", " ".join(f"{each:0{digits}x}" for each in pool)]
        for n in (1, 16, 33, 84):
            sketch = WeightedMinHash(n, "0", weights)
            assert payloads_by(sketch.link(), payloads) == [*map(sketch, payloads)]
        for pairs in (False, True):
            supers = Supershingles(sketch, 14, pairs)
            assert payloads_by(supers.link(), payloads) == [*map(supers, payloads)]
        simhash = WeightedSimHash(weights)
        assert payloads_by(simhash.link(), payloads) == [*map(simhash, payloads)]


@given(
    st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20),
    st.lists(st.integers(1, MAX_WEIGHT), min_size=20, max_size=20),
    st.integers(0, 2**32 - 1),
)
def test_any_hashes(hashes: list[int], weights: list[int], summand: int) -> None:
    """Hashes that are chosen: by a function that takes 32 digits to them, from the soonest to the latest."""
    shingles = [unmixed(each << 32) for each in hashes]
    table = dict(zip(shingles, weights, strict=False))
    a, b = struct.pack("=I", 1), struct.pack("=I", summand)
    link = _kernel.link_weighted_minima(a, b, 0, False, Weights(table).weighed)
    found = [table[each] for each in shingles]
    arrays = np.array(shingles, np.uint64), np.array(found, np.float64)
    (first,) = weighted_minhash(*arrays, *(np.frombuffer(each, np.uint32) for each in (a, b))).tolist()
    assert payloads_by(link, [" ".join(f"{each:016x}" for each in shingles)]) == [f"{first:08x}"]
    values = [(each + summand) % 2**32 for each in hashes]
    times = (waiting_times(np.array(values, np.uint32)) / arrays[1]).tolist()
    assert first == min(zip(times, values, strict=True))[1]


@pytest.mark.parametrize("apart", [1, 2, 3, 100, 1 << 12])
def test_close_finishes(apart: int) -> None:
    """Two shingles whose times differ by less than single precision knows: of twice the weight, the later half."""
    rng = random.Random(apart)
    differ = 0
    for _ in range(300):
        early = rng.randrange(1 << 28, 1 << 31)
        (time,) = waiting_times(np.array([early], np.uint32)).tolist()
        late = int(2**32 * (1 - np.exp(-2 * time / 2**33))) + rng.randint(-apart, apart)
        table = {unmixed(early << 32): UNIT, unmixed(late << 32): 2 * UNIT}
        one = struct.pack("=I", 1), struct.pack("=I", 0)
        link = _kernel.link_weighted_minima(*one, 0, False, Weights(table).weighed)
        (made,) = payloads_by(link, [" ".join(f"{each:016x}" for each in table)])
        times = waiting_times(np.array([early, late], np.uint32)) / [1, 2]
        assert int(made, 16) == (early if times[0] <= times[1] else late)
        differ += int(made, 16) == late
    assert 60 < differ < 240


def unmixed(value: int) -> int:
    """What MurmurHash3's finalizer takes to a value."""
    mask = (1 << 64) - 1
    for factor in (0xC4CEB9FE1A85EC53, 0xFF51AFD7ED558CCD):
        value ^= value >> 33
        value = value * pow(factor, -1, 1 << 64) & mask
    return value ^ value >> 33


@pytest.mark.parametrize("digits", [8, 16])
def test_other_digits_are_left_to_the_definition(digits: int) -> None:
    weights = Weights({1: 5}, digits)
    chained = _kernel.FingerprintMemo(word_fingerprint, 1, b"").link(1, 0, 1, ())
    for link in (WeightedMinHash(4, "0", weights).link(), WeightedSimHash(weights).link()):
        for other in (8, 16):
            line = b'{"id":1,"x":"%0*x"}\n' % (other, 7)
            assert _kernel.linked_lines((link,), FIELDS, line, 0)[1] == (other == digits)
        assert _kernel.linked_lines((chained, link), FIELDS, b'{"id":1,"x":"a"}\n', 0)[1] == (digits == 16)


def test_the_order_of_functions_and_shingles_does_not_matter() -> None:
    rng = random.Random(3)
    table = {rng.getrandbits(64): rng.randrange(1, 20) * UNIT for _ in range(200)}
    sketch = WeightedMinHash(84, "0", Weights(table))
    groups = [f"{each:016x}" for each in table]
    one, two = payloads_by(sketch.link(), [" ".join(groups), " ".join(reversed(groups))])
    assert one == two == sketch(" ".join(groups))


@pytest.mark.parametrize(
    ("function", "arguments", "error"),
    [
        (_kernel.weigh_fingerprints, (b"00000000", b"0000000", 1), ValueError),
        (_kernel.weigh_fingerprints, (b"0000", b"0000", 1), ValueError),
        (_kernel.weigh_fingerprints, (b"00000000", b"00000000", 2), ValueError),
        (_kernel.weigh_fingerprints, ("00000000", b"00000000", 1), TypeError),
        (_kernel.link_weighted_simhash, ((1, b"", 1, 16),), ValueError),
        (_kernel.link_weighted_simhash, ((1, bytes(48), 1, 16),), ValueError),
        (_kernel.link_weighted_simhash, (1,), TypeError),
        (_kernel.link_weighted_minima, (b"0000", b"", 0, False, (1, bytes(32), 1, 16)), ValueError),
        (_kernel.link_weighted_minima, (b"0000", b"0000", 2, False, (1, bytes(32), 1, 16)), ValueError),
        (_kernel.link_weighted_minima, (b"0000", b"0000", 0, False, None), TypeError),
    ],
)
def test_wrong_arguments(function: Callable[..., Any], arguments: tuple[object, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        link = function(*arguments)
        _kernel.linked_lines((link,), FIELDS, b'{"id":1,"x":""}', 0)  # what a link is made of is checked there
