"""How much of a join is worked on at once. Limits do not change which pairs a join finds, or what a forest connects."""

from dataclasses import dataclass
from typing import NamedTuple

from shingletools.numbers.payload_store import DiskLimits
from shingletools.system.memory_limit import Memory


@dataclass(frozen=True)
class Limits(DiskLimits):
    """Each is at least 1. One item, such as a bucket or the pairs of one document, may exceed its limit.

    >>> Limits(candidates=4).candidates, Limits().candidates
    (4, 262144)
    """

    # Documents whose pairs are looked up together, before they are cut into stretches of `candidates`
    documents: int = 1 << 16
    # Rows in buckets that are worked on together, plus the rest of the last bucket
    portion: int = 1 << 18
    # Candidates compared together, and pairs written together: they take about 50 MB
    candidates: int = 1 << 18
    # Candidates of an archive sorted together, so that those met in several bands are compared once: in memory, and
    # with a limit of memory, where most are on disk
    sorted_in_memory: int = 1 << 22
    sorted_on_disk: int = 1 << 26
    # Meetings of sets that are counted together: 24 bytes for each pair
    meetings: int = 1 << 20
    # Candidates of a forest that are chosen together, by what is connected so far: more save time to choose, fewer save
    # comparisons
    compared: int = 1 << 20
    # Candidates of a bucket: if there are more, the bucket is cut again
    large: int = 1 << 19


DEFAULT = Limits()


class Resources(NamedTuple):
    """What the work may use."""

    memory: Memory | None  # a limit, beyond which scratch files are used
    limits: Limits
    jobs: int  # workers
