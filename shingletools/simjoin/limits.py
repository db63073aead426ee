"""How much of a join is worked on at once. No limit changes which pairs a join finds, or what a forest connects."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Each at least 1. What is one item in itself, such as a bucket or the pairs of a document, may go beyond it.

    >>> Limits(candidates=4).candidates, Limits().candidates
    (4, 262144)
    """

    # Bytes. Of a share of the memory, however little is allowed: with less, the work would be all overhead
    least_share: int = 1 << 20
    # Entries on disk for each key of theirs that stays in memory, to tell how many are below a key: 8 bytes of 4,096
    sampled: int = 1 << 8
    # Keys by which all sorted runs are split at once: each time, all runs are searched, and what was read is let go
    splits: int = 1 << 6
    # Bytes. What the system maps where one byte of a file is read: so much is counted for each row that lies alone
    touched: int = 1 << 16
    # Rows whose sizes are looked up together: 8 bytes each
    sizes: int = 1 << 16
    # Documents whose pairs are looked up together, before they are cut into stretches of `candidates`
    documents: int = 1 << 13
    # Rows in buckets that are worked on together; and what is left of the last bucket
    portion: int = 1 << 18
    # Candidates compared together, and pairs written together: they need some 50 MB at work
    candidates: int = 1 << 18
    # Candidates sorted together, so that those met in several buckets are compared once: with all of them in memory,
    # and with a limit of memory, where most of them are on disk
    sorted_in_memory: int = 1 << 22
    sorted_on_disk: int = 1 << 26
    # Meetings of sets that are counted together: 24 bytes for each that is a pair
    meetings: int = 1 << 20
    # Candidates of a forest, chosen by what is connected so far: more of them spare choices, fewer spare comparisons
    compared: int = 1 << 20
    # Candidates of a bucket that may well be compared: only where there are more is it cut again
    large: int = 1 << 19


DEFAULT = Limits()
