"""Pairs as lines, as simjoin and simspark write them."""

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial

from shingletools import wire
from shingletools.simjoin.signatures import Signature
from shingletools.simjoin.wanted import Wanted

KEPT = 1 << 16  # of what pairs say: most have figures that others had


class PairLines:
    """Writes the records of pairs whose documents have signatures of one kind."""

    def __init__(self, signature: Signature, wanted: Wanted) -> None:
        self._said = lru_cache(KEPT)(partial(_said, signature, wanted))

    def of(
        self,
        a: Iterable[bytes],
        b: Iterable[bytes],
        agreeing: Iterable[int],
        a_sizes: Iterable[int],
        b_sizes: Iterable[int],
    ) -> Iterator[bytes]:
        r"""One line for each pair: its two ids, as JSON; in how much it agrees; the bytes of its two signatures.

        >>> from shingletools.simjoin.signatures import MINHASHES
        >>> list(PairLines(MINHASHES, Wanted()).of([b'"x"'], [b"7"], [3], [16], [16]))
        [b'{"a":"x","b":7,"similarity":0.75}\n']
        """
        for one, other, *figures in zip(a, b, agreeing, a_sizes, b_sizes, strict=True):
            yield b'{"a":%b,"b":%b,%b' % (one, other, self._said(*figures))


def _said(signature: Signature, wanted: Wanted, agreeing: int, a_size: int, b_size: int) -> bytes:
    """What stands behind the ids, to the end of the line."""
    return wire.format_json(signature.says(wanted, agreeing, a_size, b_size))[1:]
