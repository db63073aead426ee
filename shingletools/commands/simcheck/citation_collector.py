"""Takes pairs, then citations, and adds to each pair which fields each side has of its own."""

from collections.abc import Sequence

import orjson

from shingletools.commands.simcheck.check_collector import CheckCollector, PairRows
from shingletools.commands.simcheck.citation_verdicts import SAME, CitationVerdict, citation_verdict
from shingletools.commands.simcheck.citations import Citation
from shingletools.commands.simcheck.spec import CheckSpec
from shingletools.commands.simcheck.verdicts import DIFFERENT, DOUBTFUL
from shingletools.record.events import Event, written

MOST_CITATIONS = 1 << 16  # that are prepared: some 5 kB each
SHOWN_FIELDS = 5


class CitationCollector(CheckCollector):
    """Compares citations, which are the values of their fields as JSON. A pair that comes again is left out."""

    def __init__(self, spec: CheckSpec) -> None:
        super().__init__(spec)
        self.known: set[tuple[int, int]] = set()  # pairs: the numbers of their texts
        self.citations: dict[int, Citation] = {}

    def text_of(self, values: Sequence[bytes]) -> bytes:
        *others, abstract = values
        there = b"" if abstract == b'""' else abstract and b"1"  # it counts that it is there
        return b"[%b]" % b",".join(value or b"null" for value in (*others, there))

    def checked(self, pairs: PairRows) -> list[Event]:
        output, doubtful = list[bytes](), list[bytes]()
        places, texts = pairs.heads.places.tolist(), pairs.texts.tolist()
        for (start, end), (one, other), is_copy in zip(places, texts, pairs.copies.tolist(), strict=True):
            if (one, other) in self.known:
                continue
            self.known.add((one, other))
            found = SAME if is_copy else citation_verdict(self.citation(one), self.citation(other))
            if self.spec.covering and found.answer == DOUBTFUL:
                found = found._replace(covers="both")
            self.counts[found.answer] += 1
            line = pairs.heads.data[start:end] + rest_of_line(found)
            if not self.spec.drops or found.answer != DIFFERENT:
                output.append(line)
            if found.answer == DOUBTFUL:
                doubtful.append(line)
        return written(b"".join(output), b"" if self.spec.doubtful is None else b"".join(doubtful))

    def citation(self, number: int) -> Citation:
        """Returns a citation that is prepared to be compared."""
        if number not in self.citations:
            if len(self.citations) >= MOST_CITATIONS:
                self.citations.clear()
            self.citations[number] = Citation(self.texts[number])
        return self.citations[number]


def rest_of_line(found: CitationVerdict) -> bytes:
    """Returns what is added to the line of a pair, with its end.

    >>> rest_of_line(SAME)[-33:-1]
    b'"covers":"both","answer":"copy"}'
    """
    own = (
        b'"%b":{"words":%d,"run":0,"first":%b}' % (side, len(each), orjson.dumps(" ".join(each[:SHOWN_FIELDS])))
        for side, each in ((b"a", found.a), (b"b", found.b))
    )
    return b',"own":{%b},"covers":"%b","answer":"%b"}\n' % (
        b",".join(own),
        found.covers.encode(),
        found.answer.encode(),
    )
