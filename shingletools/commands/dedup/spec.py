"""The specification of dedup: documents, and the pairs or groups that decide which of them are kept."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from shingletools.record.document_format import Format
from shingletools.record.stage import IN_ONE_PROCESS, Stage
from shingletools.system.errors import Failed, shown

if TYPE_CHECKING:
    from fractions import Fraction

DUPLICATE_OF = "duplicate_of"  # a field: the document that is kept in this one's place, perhaps in an archive
DUPLICATE_BY = "duplicate_by"  # a field: the rule that decided it
FIRST, LONGEST, SHORTEST, NONE = "first", "longest", "shortest", "none"
LEAST, MOST = "min:", "max:"  # followed by the name of a field
OF_FILES = {"oldest": "min:modified", "newest": "max:modified", "shortest-name": "min:name length"}  # rules for files
KNOWN = "known"  # the rule of --known
NUMBER, TEXT, DATED = "number", "text", "date:"  # forms of values; the last is followed by a format of strptime
UNMARKED = (
    "",
    "--encoding",
    "--arrow",
    "--lines",
    "--array",
    "--ris",
    "--warc",
)  # formats in which documents get no marks
STORED = ("--parquet", "--arrow", "--warc")  # formats that are written as they are stored, and not compressed once more


class DedupSpec(Stage):
    """Documents of which no two are a pair, or one of each group, or none; and none that an archive has.

    Raises Failed for options that cannot be combined.
    """

    id_field: str
    pairs: tuple[str, ...] = ()  # files of pairs, which decide which documents are kept
    groups: tuple[str, ...] = ()  # or files of groups
    known: tuple[str, ...] = ()  # files of pairs, whose documents a are removed
    keep: str = FIRST
    least: "Fraction | None" = None  # similarity that a pair needs to count
    larger_than: int | None = None  # groups of so many documents or fewer are left alone
    of: str = "of"  # the field that distinguishes a group's documents; without it, the id does
    text_field: str = "text"  # its length may count
    removed: str | None = None
    annotate: bool = False  # mark duplicates instead of removing them
    dry: bool = False
    as_form: str = ""  # how to read values: text, number, or date: with a format of strptime
    format: Format | None = None  # of the documents, if not JSON lines
    files: tuple[str, ...] = ()  # of the documents in that format; they are read twice
    without: tuple[str, ...] = ()  # files of documents that are removed, whatever they resemble
    unwanted: Format | None = None  # the format of these, if they are not JSON lines, either
    marks_alone: bool = False  # with annotate: write records of marks, not documents
    unwanted_id: str | None = None  # the field of ids in the files of `without`, if it may be another one
    into: str | None = None  # the folder into which each file is written under its name

    # What follows from these
    measured: str | None = None  # the field whose length counts, if any
    valued: str | None = None  # the field whose value counts, if any
    greatest: bool = False  # whether the greatest value is preferred
    counted: str | None = None  # the field whose different values count for the size of a group, if any
    marks: tuple[str, ...] = ()  # the fields of marks that this run writes
    # Whether documents are decided only when all have come. The first one of a group is known when it comes. So is
    # whether a document has a pair with an earlier one, but not which of its partners is the most similar one.
    waits: bool = False

    rewrites = True

    def derived(self) -> Mapping[str, object]:
        removals = self.pairs or self.groups or self.known or self.without
        unmarked = self.format is not None and self.input_option in UNMARKED
        conflicts = (
            (not removals, "--pairs, --groups, --known or --without is needed to say which documents are duplicates"),
            (
                self.without and (self.known or self.annotate),
                "--without cannot be combined with --known or --annotate, which say what a document repeats",
            ),
            (self.groups and self.pairs, "--groups cannot be combined with --pairs, which decides without groups"),
            (self.keep == NONE and not self.groups, "--keep none needs --groups"),
            (self.larger_than is not None and not self.groups, "--larger-than needs --groups"),
            (self.as_form and not self.keep.startswith((LEAST, MOST)), "--as needs --keep min:FIELD or max:FIELD"),
            (self.least is not None and not self.pairs, "-t needs --pairs"),
            (
                self.annotate and self.removed is not None,
                "--removed cannot be combined with --annotate, which removes nothing",
            ),
            (
                self.annotate and self.keep == NONE,
                "--annotate cannot be combined with --keep none, which keeps no document for it to name",
            ),
            (
                self.annotate and unmarked and not self.marks_alone,
                f"--annotate cannot be combined with {self.input_option or '--number'}, which cannot hold marks",
            ),
            (
                self.into is not None and (self.removed is not None or self.marks_alone or self.dry),
                "--into cannot be combined with --removed, --marks or --dry-run",
            ),
            (
                self.into is not None and self.input_option in ("--whole", "--recursive"),
                f"--into writes files with several documents, which {self.input_option} does not read",
            ),
        )
        for conflict, message in conflicts:
            if conflict:
                raise Failed(message)
        rule = OF_FILES.get(self.keep, self.keep)  # for files, by a field that their records have for it
        counted = None if self.larger_than is None else self.of
        return {
            "measured": self.text_field if rule in (LONGEST, SHORTEST) else None,
            "valued": rule.partition(":")[2] if rule.startswith((LEAST, MOST)) else None,
            "greatest": rule.startswith(MOST),
            "counted": counted,
            "marks": (DUPLICATE_OF, DUPLICATE_BY) if self.annotate or (self.known and self.removed is not None) else (),
            "waits": bool(self.annotate and self.pairs) or rule not in (FIRST, NONE) or counted is not None,
            "reads": [path for _, path in self.side_files],
            "stored": self.input_option in STORED and not self.marks_alone,
            "changes": () if self.into is None else (self.into,),
        }

    def check_fields(self, id_field: str, /) -> None:
        for field in self.marks:
            if f"{id_field}.".startswith(f"{field}."):
                option = "--annotate" if self.annotate else "--removed, with --known,"
                raise Failed(f"{option} needs the field {shown(field)} for itself")

    @property
    def side_files(self) -> Sequence[tuple[str, str]]:
        named = ("--groups", self.groups), ("--pairs", self.pairs), ("--known", self.known), ("--without", self.without)
        return [(option, path) for option, paths in named for path in paths]

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field, *filter(None, (self.valued, self.counted))}

    def single_process_reason(self) -> str:
        if self.without or self.marks_alone:
            return f"{'--without' if self.without else '--marks'}: {IN_ONE_PROCESS}"
        if self.format is None:
            return ""
        return f"{self.input_option or '--number'} reads and writes files in one process; run it in the shell"

    def once(self, _side: int, /) -> Sequence[str]:
        fields = filter(None, (self.id_field, self.measured, self.valued, self.counted))
        return *dict.fromkeys(fields), *self.marks


def in_two_groups(name: str | int) -> str:
    return f"id {shown(name)} is in two groups"


def doubtful_side(name: str | int) -> str:
    """Returns the message for a document that is b in a pair of --known, which does not say that b is in an archive."""
    return (
        f'id {shown(name)} is b in a pair of --known without "against":true: if these are pairs of the input with '
        'itself, give them to --pairs; if an archive uses the same ids, add "against":true'
    )
