"""The names that simgroup and dedup take from files besides their input, by option."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from shingletools.commands.dedup.pairs import Similarities, check_two_sides, doubles_of, take_similar
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.kernel import arrays as kernel
from shingletools.record import wire
from shingletools.record.json_members import parse
from shingletools.record.stage import Stage
from shingletools.spark.mentions import Mentions, One, PairNames, Ranked, Singles, Taken, members, mentions
from shingletools.spark.packed_names import Named, interleaved, numbers_of


@dataclass(frozen=True)
class SimilarPairs:
    """Takes pairs: two names each; the figure is the similarity, as the bits of a double."""

    archived: bool  # pairs of documents with those of an archive, else of documents with each other

    def __call__(self, lines: bytes) -> Mentions:
        return mentions(lines, self.some, self.one)

    def some(self, lines: bytes, at: int) -> Taken:
        read = kernel.read_similarities(lines, at)
        count, end = read.lines, read.end
        against = np.frombuffer(read.against, np.bool_)
        if not self.archived and against.any():  # the definition fails the run for the first of these
            count = int(np.argmax(against))
            ends = np.flatnonzero(np.frombuffer(lines, np.uint8, end - at, at) == ord("\n"))
            end = at + int(ends[count - 1]) + 1 if count else at
        sides = Named(read.ids, numbers_of(read.id_sizes)), Named(read.others, numbers_of(read.other_sizes))
        named = interleaved(*(each.at(np.arange(count)) for each in sides))
        similarity = doubles_of(np.frombuffer(read.similarities, np.int64)[:count])
        return count, end, named.names, named.sizes.tobytes(), similarity.tobytes()

    def one(self, line: bytes) -> One:
        record = parse(line, Similarities.once)
        a, b, similarity = take_similar(record)
        (check_two_sides if self.archived else wire.check_one_side)(record)
        return [a, b], np.array([similarity]).view(np.int64).tolist()


Mentioning = Callable[[bytes], Mentions]


def of_stage(stage: Stage) -> tuple[Mentioning, Mapping[str, Mentioning]]:
    """How simgroup or dedup takes names from its input, and from other files, by the option that names these."""
    if isinstance(stage, GroupSpec):
        return PairNames(stage.least, stage.once(0)), {"--singletons": Singles(stage.id_field)}
    beside: dict[str, Mentioning] = {
        "--groups": members,
        "--pairs": SimilarPairs(archived=False),
        "--known": SimilarPairs(archived=True),
    }
    return Ranked(cast(DedupSpec, stage)), beside
