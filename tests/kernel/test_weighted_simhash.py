"""Simhashes of shingles with weights, in C against their definition."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from shingletools.commands.shingle.fingerprints import word_fingerprint
from shingletools.commands.sketch.weighted_simhash import WeightedSimHash
from shingletools.kernel import _kernel
from shingletools.kernel.lines import FilterFields, Link
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
        simhash = WeightedSimHash(weights)
        assert payloads_by(simhash.link(), payloads) == [*map(simhash, payloads)]


@pytest.mark.parametrize("digits", [8, 16])
def test_other_digits_are_left_to_the_definition(digits: int) -> None:
    weights = Weights({1: 5}, digits)
    chained = _kernel.FingerprintMemo(word_fingerprint, 1, b"").link(1, 0, 1, ())
    link = WeightedSimHash(weights).link()
    for other in (8, 16):
        line = b'{"id":1,"x":"%0*x"}\n' % (other, 7)
        assert _kernel.linked_lines((link,), FIELDS, line, 0)[1] == (other == digits)
    assert _kernel.linked_lines((chained, link), FIELDS, b'{"id":1,"x":"a"}\n', 0)[1] == (digits == 16)


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
    ],
)
def test_wrong_arguments(function: Callable[..., Any], arguments: tuple[object, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        link = function(*arguments)
        _kernel.linked_lines((link,), FIELDS, b'{"id":1,"x":""}', 0)  # what a link is made of is checked there
