"""Texts that cannot be compared well: shorter than k, left without shingles, or not made by canon."""

import contextlib
import re
from collections.abc import Mapping

from shingletools.commands.shingle.fingerprints import Rolling, Runs, Shingler
from shingletools.record import wire
from shingletools.record.stage import FEWEST_REMARKED
from shingletools.system.errors import Rejected

NONE = (0, 0)
BRIEF, EMPTIED = "shorter than k", "left without shingles"
NEARLY_ALL_PERCENT = 99  # percent
LOOKED_AT = 100  # records
UNLIKE = re.compile(r"[A-Z]|\w[.,;:!?](?:\s|$)")
ADVICE = '"Cat", "cat" and "cat," are three words here, because via names no canon, which makes one of them'


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
    messages = []
    every = 1 < records == brief  # then it is told of few documents, too: none is compared in parts
    if k and (every or (records >= FEWEST_REMARKED and brief * 2 > records)):
        short = f"{brief} of {records} documents are shorter than -k {k}"
        messages.append(f"{short}, and are compared as a whole: a smaller -k compares parts of them")
    if why is not None and emptied and emptied * 100 >= records * NEARLY_ALL_PERCENT:
        messages.append(f"{emptied} of {records} documents are {EMPTIED}: {why}")
    return messages


def advice(text_field: str, lines: bytes) -> str | None:
    """Returns advice if the first records were made without canon, and most texts have capitals or punctuation.

    Other programs may have made the words, and mean it so: then it is to be ignored.

    >>> advice("text", 10 * b'{"text":"The cat"}\\n') == ADVICE
    True
    """
    texts, first = [], lines.split(b"\n", LOOKED_AT)[:LOOKED_AT]
    for line in first if len(first) >= FEWEST_REMARKED else ():  # a few records need not be parsed
        with contextlib.suppress(Rejected):
            record = wire.parse_json(line)
            if any(wire.stage_of(step) == "canon" for step in str(record.get("via", "")).split("|")):
                return None
            texts.append(record.get(text_field))
    unlike = sum(isinstance(text, str) and UNLIKE.search(text) is not None for text in texts)
    return ADVICE if len(texts) >= FEWEST_REMARKED and unlike * 2 > len(texts) else None
