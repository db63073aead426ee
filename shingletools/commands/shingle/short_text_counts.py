"""Counts of texts that have too few words, or no shingles, to be compared."""

from collections.abc import Mapping

from shingletools.commands.shingle.fingerprints import Rolling, Runs, Shingler

NONE = (0, 0)
EMPTIED = "left without shingles"
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
        return {"shorter than k": brief, EMPTIED: emptied}


def remarks(why: str, counts: Mapping[str, int], records: int) -> list[str]:
    """Returns a message if nearly all documents with words are left without shingles; `why` ends it.

    >>> remarks("no stop word", {EMPTIED: 2}, 2), remarks("no stop word", {EMPTIED: 1}, 2)
    (['2 of 2 documents are left without shingles: no stop word'], [])
    """
    emptied = counts.get(EMPTIED, 0)
    if not emptied or emptied * 100 < records * NEARLY_ALL_PERCENT:
        return []
    return [f"{emptied} of {records} documents are {EMPTIED}: {why}"]
