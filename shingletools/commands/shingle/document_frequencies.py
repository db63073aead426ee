"""Document frequencies of shingles, and inverse document frequencies (Spärck Jones 1972)."""

from collections.abc import Iterator

from shingletools.commands.shingle.fingerprints import Hashing, Runs
from shingletools.commands.shingle.frequency_limits import FrequencyLimit
from shingletools.commands.shingle.string_counts import StringCounts
from shingletools.numbers.inverse_document_frequency import inverse_frequency
from shingletools.reading.shingle_tables import Header, cut_off, take_header, take_number
from shingletools.record import wire
from shingletools.record.collector import CollectorContext, RecordCollector
from shingletools.record.events import Event, Lines, written
from shingletools.record.stage import IN_ONE_PROCESS, Stage
from shingletools.record.wire import Record
from shingletools.system.errors import EnvironmentFailure, Failed, Rejected
from shingletools.system.memory_limit import Memory


class CountSpec(Stage):
    """The document frequencies of shingles: counted in texts, or added up from tables."""

    text_field: str
    runs: Runs
    hashing: Hashing
    recipe: str
    memory: Memory | None
    least: FrequencyLimit  # document frequency that a shingle needs to be written
    reads: tuple[str, ...] = ()
    header: bool = False
    merge: bool = False
    sampled: bool = False  # some shingles have no fingerprint

    def single_process_reason(self) -> str:
        return IN_ONE_PROCESS

    def once(self, _side: int, /) -> tuple[str, ...]:
        if self.merge:
            return "documents", "via", "words", "df"
        return (self.text_field, "via") if self.header else (self.text_field,)


class Frequencies(RecordCollector):
    """Counts shingles in texts; then writes a line for each shingle, in the order of its words.

    A header comes first if one is wanted. Memory: that of its StringCounts.
    """

    def __init__(self, spec: CountSpec) -> None:
        self.spec = spec
        self.documents = 0
        self.via: str | None = None  # of the records
        self.counts = StringCounts(spec.memory)
        self.shingles = 0

    def take_record(self, record: Record, _line: bytes, _side: int, /) -> None:
        runs = self.spec.runs(wire.take_string(record, self.spec.text_field))
        if self.spec.header:
            self.take_recipe(wire.take_recipe(record))
        self.counts.add(set(runs))
        self.documents += 1

    def take_recipe(self, via: str) -> None:
        """Takes a record's recipe. Raises Failed if an earlier one had another, since a table has one."""
        if self.via is None:
            self.via = via
        if via != self.via:
            raise Failed(wire.recipes_differ(via, self.via))

    def finish(self) -> Iterator[Event]:
        least = self.spec.least.least(self.documents)
        if self.spec.header:
            number = sum(1 for words, df in self.counts if df >= least and self.is_kept(words))
            yield from written(Header(self.documents, number, least, self.whole_recipe()).line())
        lines = (self.line(words, df) for words, df in self.counts if df >= least)
        yield from map(Lines, wire.joined_lines(filter(None, lines)))

    def is_kept(self, words: str) -> bool:
        return not self.spec.sampled or bool(self.spec.hashing(words))

    def whole_recipe(self) -> str:
        return f"{self.via} | {self.spec.recipe}" if self.via else self.spec.recipe

    def line(self, words: str, df: int) -> bytes:
        """Returns the line of a shingle; empty if --mod leaves it out."""
        self.shingles += 1
        shingle = self.spec.hashing(words)
        if not shingle:
            return b""
        weight = inverse_frequency(self.documents, df)
        return wire.format_json({"words": words, "shingle": shingle, "df": df, "weight": weight})

    def summary(self) -> list[str]:
        return [f"{self.shingles} shingles"]


class MergedTables(Frequencies):
    """Takes tables with headers, one after the other; then writes the table of all their documents."""

    def __init__(self, spec: CountSpec) -> None:
        super().__init__(spec)
        self.header: Header | None = None
        self.at: tuple[str, int | None] = ("", None)  # file and line of the table's last line so far
        self.left = 0  # lines of the table that are still to come
        self.last = ""  # words of the line before

    def take_record(self, record: Record, _line: bytes, _side: int, /) -> None:
        try:
            if not self.left or self.place[0] != self.at[0]:
                self.begin(record)
            else:
                self.take_line(record)
            self.at = self.place
        except Rejected as error:
            raise Failed(str(error)) from None  # a table without one of its lines would be wrong

    def begin(self, record: Record) -> None:
        """Takes a table's header. Raises Failed and Rejected."""
        self.end()
        header = take_header(record)
        header.check(self.spec.recipe)
        if header.min_df > 1:
            raise Rejected(f"the table lacks shingles in fewer than {header.min_df} documents, and cannot be merged")
        if header.documents:
            self.take_recipe(header.via.removesuffix(self.spec.recipe).removesuffix(" | "))
        self.documents += header.documents
        self.header, self.left, self.last = header, header.shingles, ""

    def end(self) -> None:
        """Raises EnvironmentFailure, for the table's last line, if it has fewer lines than its header says."""
        if self.header is not None and self.left:
            file, line = self.at
            assert line is not None  # only records of whole files have no line
            raise EnvironmentFailure(cut_off(file, line, self.header.shingles))

    def take_line(self, record: Record) -> None:
        """Takes a line of a table. Raises Rejected."""
        assert self.header is not None
        words = wire.take_string(record, "words")
        if not words or self.spec.runs(words) != [words]:
            raise Rejected(f'field "words" is not a shingle of at most {self.spec.runs.k} words')
        if words <= self.last:
            raise Rejected('field "words" is not in ascending order')
        self.counts.add_many(words, take_number(record, "df", 1, self.header.documents))
        self.left -= 1
        self.last = words

    def finish(self) -> Iterator[Event]:
        self.end()
        yield from super().finish()


def collector_of(spec: CountSpec, _: CollectorContext) -> Frequencies:
    return (MergedTables if spec.merge else Frequencies)(spec)
