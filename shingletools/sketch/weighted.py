"""SimHash with weights: numpy, which those without do not need."""

import numpy as np

from shingletools import errors, kernel, wire
from shingletools.errors import Failed, Rejected
from shingletools.kernel import arrays, strings
from shingletools.sketch.minhash import NO_SHINGLES

DIGITS = (8, 16)  # of a fingerprint: 32 bits (a CRC) or 64
UNIT = 1 << 16  # a weight of 1: sums of whole numbers do not depend on their order
MOST = 1 << 16  # a weight


class WeightedSimHash:
    """`simhash` of shingles that count with their weights, in units.

    Bit i is set iff the weights of the shingles that have bit i add up to more than those of the others. What the table
    does not have weighs as much as its heaviest.

    >>> WeightedSimHash({0xFF: UNIT, 0xF0: UNIT, 0xF << 56: 3 * UNIT})("00000000000000ff 0f00000000000000")
    '0f00000000000000'
    """

    def __init__(self, weights: dict[int, int]) -> None:
        self.weights = weights
        self.heaviest = max(weights.values())

    def __call__(self, payload: str) -> str:
        if not payload:
            return ""
        shingles = strings.take_shingles(payload)
        if shingles is None:
            raise Rejected(NO_SHINGLES)
        weight = np.array([self.weights.get(shingle, self.heaviest) for shingle in shingles.tolist()], np.int64)
        spread = arrays.fmix64(shingles) if strings.digits_of(payload) == strings.NARROW else shingles
        return np.packbits(arrays.bit_sums(spread, weight) > 0).tobytes().hex()


def read_weights(path: str) -> tuple[dict[int, int], str]:
    """A table of lines {"shingle": hex, "weight": number}, its weights in units; and how a recipe names it.

    Raises Failed for what is no such table.
    """
    content = wire.read_file("--weights", path)
    weights = {}
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), 1):
        try:
            record = wire.parse_json(line)
            weights[take_shingle(record)] = take_weight(record)
        except Rejected as error:
            raise Failed(f"{errors.printable(path)}:{number}: {error}") from None
    return weights, wire.file_label(path, content)


def take_shingle(record: wire.Record) -> int:
    """Raises Rejected unless the record's shingle is one."""
    shingle = wire.take_string(record, "shingle")
    data = kernel.payload_to_bytes(shingle, len(shingle)) if len(shingle) in DIGITS else None
    if data is None:
        raise Rejected('field "shingle" is not a group of 8 or 16 hex digits')
    return int.from_bytes(data, "big")


def take_weight(record: wire.Record) -> int:
    """Raises Rejected unless the record's weight is a number from 0 to MOST."""
    weight = record.get("weight")
    if not isinstance(weight, int | float) or isinstance(weight, bool) or not 0 <= weight <= MOST:
        raise Rejected(f'field "weight" is not a number from 0 to {MOST}')
    return round(weight * UNIT)
