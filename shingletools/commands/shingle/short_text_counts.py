"""Counts of texts that have too few words, or no shingles, to be compared."""

from collections.abc import Mapping

from shingletools.commands.shingle.fingerprints import Rolling, Runs, Shingler
from shingletools.record.stage import FEWEST_REMARKED

NONE = (0, 0)
BRIEF, EMPTIED = "shorter than k", "left without shingles"
NEARLY_ALL_PERCENT = 99  # percent


class CountingShingler:
    """A shingler that also counts texts of fewer than k units, and texts that are left without shingles."""

    def __init__(self, shingler: Shingler, runs: Runs, rolling: Rolling | None = None) -> None:
        """rolling: the shingler whose links count in the kernel, if there is one."""
        self.shingler = shingler
        self.runs = runs
        self.rolling = rolling
        self.brief = self.emptied = 0

    def __call__(self, text: str) -> str | list[str]:
        shingles = self.shingler(text)
        if units := len(self.runs.units(text)):
            self.brief += units < self.runs.k
            self.emptied += not shingles
        return shingles

    def tally(self) -> Mapping[str, int]:
        """Returns both counts since the last call, including those of links."""
        brief, emptied = NONE if self.rolling is None else self.rolling.words.take_counts()
        brief, emptied = brief + self.brief, emptied + self.emptied
        self.brief = self.emptied = 0
        return {BRIEF: brief, EMPTIED: emptied}


def remarks(k: int, why: str | None, counts: Mapping[str, int], records: int) -> list[str]:
    """Returns messages if most documents are shorter than k, or nearly all of those with words have no shingles.

    k: 0 if texts may well be shorter. why: ends the second message; None if shingles are not left out.

    >>> remarks(5, "no stop word", {EMPTIED: 2}, 2), remarks(5, "no stop word", {EMPTIED: 1}, 2)
    (['2 of 2 documents are left without shingles: no stop word'], [])
    >>> remarks(5, None, {BRIEF: 1}, 1), remarks(5, None, {BRIEF: 8}, 9), len(remarks(5, None, {BRIEF: 2}, 2))
    ([], [], 1)
    >>> remarks(5, None, {BRIEF: 7}, 12)
    ['7 of 12 documents are shorter than -k 5, and are compared as a whole: a smaller -k compares parts of them']
    """
    brief, emptied = counts.get(BRIEF, 0), counts.get(EMPTIED, 0)
    found = []
    every = 1 < records == brief  # then it is told of few documents, too: none is compared in parts
    if k and (every or (records >= FEWEST_REMARKED and brief * 2 > records)):
        some = f"{brief} of {records} documents are shorter than -k {k}"
        found.append(f"{some}, and are compared as a whole: a smaller -k compares parts of them")
    if why is not None and emptied and emptied * 100 >= records * NEARLY_ALL_PERCENT:
        found.append(f"{emptied} of {records} documents are {EMPTIED}: {why}")
    return found
