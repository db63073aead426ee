"""Writes documents with runs: marked, cut, or to another file."""

from collections import Counter
from collections.abc import Mapping, Sequence

from shingletools.commands.repeats.run_spans import Span, covered, gaps, words_in
from shingletools.commands.repeats.spec import Treatment
from shingletools.record import wire
from shingletools.record.json_members import member_of, members
from shingletools.record.tokenized_text import TokenizedText, tokenized_text
from shingletools.record.wire import AT, REPEATS, SOURCE, Record
from shingletools.record.word_offsets import Places

DECADES = (1, 10, 100, 1000, 10000)  # runs are counted by these numbers of words

KeptAndLeft = tuple[bytes, bytes]  # lines of the output, and of the file of --removed
Marks = Sequence[Mapping[str, object]]  # for each run, the further members of its mark


class Marking:
    """Writes documents, and counts them and their runs."""

    def __init__(self, treatment: Treatment) -> None:
        self.treatment = treatment
        self.counted = Counter[str]()
        self.count([], left_out=False)

    def count(self, runs: Sequence[Span], *, left_out: bool) -> None:
        """Counts a document, except its words."""
        self.counted["words"] += 0
        self.counted["of them in runs"] += words_in(runs)
        self.counted["documents with runs"] += bool(runs)
        self.counted["runs"] += len(runs)
        for least, above in zip(DECADES, (*DECADES[1:], None), strict=True):
            title = f"of {least} to {above - 1} words" if above else f"of {least} words or more"
            self.counted[title] += sum(last - first >= least for first, last in runs)
            if above:
                self.counted[title] -= sum(last - first >= above for first, last in runs)
        if self.treatment.drop is not None:
            self.counted["documents left out"] += left_out

    def figures(self) -> list[str]:
        """Returns the counts for -v."""
        return [f"{count} {what}" for what, count in self.counted.items()]

    def tally(self) -> Mapping[str, int]:
        """Returns the counts since the last call."""
        counted, self.counted = self.counted, Counter()
        self.count([], left_out=False)
        return counted

    def write(self, line: bytes, runs: Sequence[Span], marks: Marks) -> KeptAndLeft:
        """Writes a document. The line has no line feed."""
        if not runs and not self.treatment.cut:
            return with_member(line, REPEATS, b"[]") + b"\n", b""
        record = wire.parse_json(line)
        text = tokenized_text(record, self.treatment.text_field)
        left_out = self.treatment.drop is not None and words_in(runs) > self.treatment.drop * text.number
        self.count(runs, left_out=left_out)
        if self.treatment.cut and not left_out:
            return self.cut(line, record, text, runs) + b"\n", line + b"\n" if runs else b""
        spans = ((run, *text.place(*run), more) for run, more in zip(runs, marks, strict=True))
        value = [{"from": start, "to": end, "words": last - first, **more} for (first, last), start, end, more in spans]
        marked = with_member(line, REPEATS, wire.json_of(value)) + b"\n"
        return (b"", marked) if left_out else (marked, b"")

    def cut(self, line: bytes, record: Record, text: TokenizedText, runs: Sequence[Span]) -> bytes:
        """Returns the line without the runs. With places, the cut source replaces the words, to be canonized again."""
        every = members(line)
        field = member_of(line, every, self.treatment.text_field)
        assert field is not None
        gone, values = {REPEATS}, {}  # marks of an earlier use of repeats no longer fit the words
        if text.places is None or SOURCE not in record:
            left = wire.json_of(cut_words(text.text, runs))
            if REPEATS not in record:
                return line[: field.value] + left + line[field.end :]
        else:
            source = wire.take_string(record, SOURCE)
            original = next(member for member in every if member.name == SOURCE)
            left = wire.json_of(cut_source(source, covered(places_of(runs, text.places, source))))
            left = left if runs else line[original.value : original.end]
            gone |= {SOURCE, AT}
            via, _, step = wire.take_recipe(record).rpartition(" | ")
            if wire.stage_of(step) == "canon":
                values = {member: wire.json_of(via) for member in every if member.name == "via"}
                gone |= set() if via else {"via"}
        whole = next(each for each in every if each.start <= field.start < each.end)  # the field, or what has it inside
        values[whole] = line[whole.value : field.value] + left + line[field.end : whole.end]
        kept = [member for member in every if member.name not in gone]
        rest = (line[each.start : each.value] + values.get(each, line[each.value : each.end]) for each in kept)
        return b"{%b}" % b",".join(rest)


def with_member(line: bytes, name: str, value: bytes) -> bytes:
    """Adds a member to the line of a record, or replaces its value.

    >>> with_member(b'{"id":1} ', "a", b"2"), with_member(b'{"a":[],"id":1}', "a", b"2")
    (b'{"id":1,"a":2} ', b'{"a":2,"id":1}')
    """
    if b'"%b"' % name.encode() in line or b"\\u" in line:
        for member in members(line):
            if member.name == name:
                return line[: member.value] + value + line[member.end :]
    end = line.rindex(b"}")
    return line[:end] + b',"%b":%b' % (name.encode(), value) + line[end:]


def cut_words(text: str, runs: Sequence[Span]) -> str:
    """Returns the words outside the runs.

    >>> cut_words("a b c d e", [(1, 3)])
    'a d e'
    """
    words = text.split(" ")
    return " ".join(word for first, last in gaps(runs, len(words)) for word in words[first:last])


def cut_source(source: str, places: Sequence[Span]) -> str:
    """Returns a source without some places, which ascend.

    The white space on both sides of a place becomes one piece, that with more line feeds; a blank if there is none.

    >>> cut_source("One two.\\n\\nThree four.\\n\\nFive", [(10, 21)])
    'One two.\\n\\nFive'
    >>> cut_source("one-two three", [(3, 4)]), cut_source("one two ", [(4, 7)])
    ('one two three', 'one')
    """
    pieces: list[str] = []
    blanks, start = "", 0
    for first, last in [*places, (len(source), len(source))]:
        piece = source[start:first]
        text = piece.strip()
        before = piece[: len(piece) - len(piece.lstrip())]
        blanks = stronger(blanks, before)
        if text:
            pieces.append(blanks or " " if pieces else before if not start else "")
            pieces.append(text)
            blanks = piece[len(piece.rstrip()) :]
        start = last
    keeps_last_word = not places or source[places[-1][1] :].strip()
    return "".join(pieces) + (blanks if source[-1:].isspace() and pieces and keeps_last_word else "")


def stronger(one: str, other: str) -> str:
    """Returns the piece of white space with more line feeds, or the longer one."""
    return max(one, other, key=lambda blanks: (blanks.count("\n"), len(blanks)))


def places_of(runs: Sequence[Span], places: Places, source: str) -> list[Span]:
    """Returns the places of runs in their source, each with the punctuation that follows it."""
    spans = []
    for first, last in runs:
        start, end = int(places.starts[first:last].min()), int(places.ends[first:last].max())
        most = int(places.starts[last]) if last < len(places.starts) else len(source)
        while end < most and not source[end].isspace():
            end += 1
        spans.append((start, end))
    return spans
