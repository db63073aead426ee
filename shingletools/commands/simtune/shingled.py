"""A sample's sets of shingles, made as shingle itself makes them; documents that cannot be told apart are one row."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import blake3
import numpy as np

from shingletools.cli.options import make_parser
from shingletools.kernel.types import U64, Flags, Index
from shingletools.numbers.ratios import choose_two
from shingletools.record.faces import command_of
from shingletools.record.stage import Command

NO_ROW = -1


class ShingleUnits(NamedTuple):
    """What a shingle is made of: so many words, or characters."""

    k: int
    chars: bool = False

    @property
    def options(self) -> str:
        """As shingle has them.

        >>> ShingleUnits(5, chars=True).options
        '--chars -k 5'
        """
        return f"{'--chars ' if self.chars else ''}-k {self.k}"


class Shingled(NamedTuple):
    """Sets of numbered shingles, none of them empty; each stands for some documents.

    Shapes: (entries,) for the numbers of all sets; (sets,); (sampled,) for the documents; (shingles,). All int64.
    """

    numbers: Index  # (entries,): of one set after the other, each rising by fingerprint
    sizes: Index  # (sets,): entries of each, 1 at least
    documents: Index  # (sets,): for how many documents each stands, 1 at least
    first: Index  # (sets,): and the first of them, its place in the sample
    rows: Index  # (sampled,): the set of each document, or NO_ROW
    frequencies: Index  # (shingles,): by number, in how many documents each is
    repeated: int  # shingles of all documents, repeats within one counted

    @property
    def owners(self) -> Index:
        """The set of each of `numbers`. Shape (entries,), not falling."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def copies(self) -> int:
        """Pairs of documents of one row."""
        return choose_two(self.documents)

    def without(self, gone: Flags) -> "Shingled":
        """The same without some of the shingles; sets of which nothing is left are none.

        gone: shape (shingles,). The shingles keep their numbers, and all sets that are left their order.
        """
        kept = ~gone[self.numbers]
        sizes = np.bincount(self.owners[kept], minlength=len(self.sizes))
        left = sizes > 0
        renumbered = np.append(np.where(left, np.cumsum(left) - 1, NO_ROW), NO_ROW)
        repeated = int((sizes * self.documents).sum())
        return Shingled(
            self.numbers[kept], sizes[left], self.documents[left], self.first[left], renumbered[self.rows],
            self.frequencies, repeated,
        )  # fmt: skip


def shingler(units: ShingleUnits) -> Callable[[str], str]:
    """What makes the payload of a text: shingle's own function, asked for by the command's name."""
    command: Command = command_of("shingle")
    parser = make_parser("shingle", "", command.add_options)
    stage = command.build(parser.parse(units.options.split())).record_by_record
    assert stage is not None
    return stage.function


def shingled(texts: Sequence[str], units: ShingleUnits, kinds: Index) -> Shingled:
    """The sets of some texts, of which those that are equal, and of one kind, become one, in the order of the first.

    kinds: shape (texts,), int64. Shingles are numbered by rising fingerprint. Memory: 60 bytes for each entry of a set.
    """
    function = shingler(units)
    tokens: list[U64] = []
    known: dict[bytes, int] = {}
    rows: list[int] = []
    documents: list[int] = []
    first: list[int] = []
    repeated = 0
    for number, (text, kind) in enumerate(zip(texts, kinds.tolist(), strict=True)):
        fingerprints = np.frombuffer(bytes.fromhex(function(text)), ">u8").astype(np.uint64)
        repeated += len(fingerprints)
        tokens_of = np.unique(fingerprints)
        if not len(tokens_of):
            rows.append(NO_ROW)
            continue
        key = blake3.blake3(kind.to_bytes(8, "little", signed=True) + tokens_of.tobytes()).digest()
        row = known.setdefault(key, len(known))
        rows.append(row)
        if row == len(documents):
            tokens.append(tokens_of)
            documents.append(0)
            first.append(number)
        documents[row] += 1
    together = np.concatenate([np.empty(0, np.uint64), *tokens])
    sizes = np.array([*map(len, tokens)], np.int64)
    order = np.argsort(together, kind="stable")
    ordered = together[order]
    new = np.append(ordered[:1] == ordered[:1], ordered[1:] != ordered[:-1])[: len(ordered)]
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(new) - 1
    weights = np.repeat(np.array(documents, np.int64), sizes)
    frequencies = np.bincount(numbers, weights, minlength=0).astype(np.int64)
    return Shingled(
        numbers, sizes, np.array(documents, np.int64), np.array(first, np.int64), np.array(rows, np.int64), frequencies,
        repeated,
    )  # fmt: skip
