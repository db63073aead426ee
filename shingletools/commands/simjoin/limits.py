"""How much of a join is worked on at once. Limits do not change which pairs a join finds, or what a forest connects."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Each is at least 1. One item, such as a bucket or the pairs of one document, may exceed its limit.

    >>> Limits(candidates=4).candidates, Limits().candidates
    (4, 262144)
    """

    # Bytes of a share of the memory, at least: with less, nearly all work would be overhead
    least_share: int = 1 << 20
    # Entries on disk for each key kept in memory, which tell how many entries are below a key: 8 bytes for 4,096
    sampled: int = 1 << 8
    # Keys by which all sorted runs are split at once: each time, all runs are searched, and memory of files is released
    splits: int = 1 << 6
    # Bytes that the system maps to read one byte of a file: each scattered row counts as so many
    touched: int = 1 << 16
    # Rows whose sizes are looked up together: 8 bytes each
    sizes: int = 1 << 16
    # Documents whose pairs are looked up together, before they are cut into stretches of `candidates`
    documents: int = 1 << 13
    # Rows in buckets that are worked on together, plus the rest of the last bucket
    portion: int = 1 << 18
    # Candidates compared together, and pairs written together: they take about 50 MB
    candidates: int = 1 << 18
    # Candidates sorted together, so that those met in several buckets are compared once: in memory, and with a limit
    # of memory, where most are on disk
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
