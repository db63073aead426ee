"""Messages about bad records: the first of each cause, and how many more there are."""

import re
from collections import Counter
from collections.abc import Callable, Collection

from shingletools.record.command_registry import info_of
from shingletools.record.events import Reject
from shingletools.system.errors import SEEN_BEFORE, Failed, printable, shown_place
from shingletools.system.lazy_imports import lazy

MAX_SHOWN = 10  # messages of one cause
MAX_CAUSES = 100  # counted separately; each record may have a cause of its own, such as a recipe
OTHER_CAUSES = ""  # all causes beyond these
# Bytes of bad records with which a file begins that is plainly of another kind: the run stops
MAX_BAD_START_BYTES = 1 << 20
# Strings and numbers of a message belong to its record, except fields, recipes and patterns, which make another cause
VALUE = lazy(
    lambda: re.compile(
        r'((?:field|made by|not by|a table of|--[\w-]+) )?"(?:[^"\\]|\\.)*+"(?:\.\.\. \([0-9]+ characters\))?|-?[0-9]+'
    )
)


def cause_of(message: str) -> str:
    """Returns a message about a record without the names, ids and values of this record.

    >>> cause_of('id "x" was seen before') == cause_of("id 7 was seen before")
    True
    >>> cause_of('field "id" is missing') == cause_of('field "text" is missing')
    False
    """
    return VALUE.sub(lambda found: found[0] if found[1] else "*", message)


def plain(bad: Reject) -> str:
    """Returns the message about a record, without a hint."""
    return f"{shown_place(bad.file, bad.line)}: {bad.cause}"


class BadFileStart:
    """The bad records at the beginning of a file; the first of them says what kind of file it is."""

    def __init__(self, first: Reject, message: str, looks: bool) -> None:
        """message: the message about the first record.

        looks: whether the file has another format; else perhaps only some of its records are of another kind.
        """
        self.file, self.side = first.file, first.side  # a file may be in both
        self.message, self.looks = message, looks
        self.held: list[Reject] = []
        self.size = 0

    def goes_on(self, bad: Reject) -> bool:
        """Returns whether this is the next record of the file."""
        return (bad.file, bad.side, bad.line) == (self.file, self.side, len(self.held) + 1)

    def take(self, bad: Reject) -> None:
        self.held.append(bad)
        self.size += len(bad.record) + 1

    def is_enough(self) -> bool:
        """Returns whether so much is bad that the rest of the file cannot be good."""
        return self.size >= MAX_BAD_START_BYTES and (self.looks or len(self.held) >= MAX_SHOWN)


class RejectMessages:
    """Messages about bad records, in order: at most MAX_SHOWN of one cause, unless all are wanted.

    If a file begins with bad records, and the first says what kind of file it is, their messages wait for a good
    record. If none comes, only the first is reported, and MAX_BAD_START_BYTES of them fail the run.
    """

    def __init__(
        self, command: str, say: Callable[[str], None], every: bool = False, form: str = "", stops: bool = False
    ) -> None:
        """form: the option by which the input is read; empty for JSON lines.

        every: whether all messages are shown. stops: whether bad records may fail the run.
        """
        self.stops = stops and not every
        self.command = command
        self.form = form
        self.opening: BadFileStart | None = None
        self.say = say
        self.every = every
        self.id_field = "id"
        self.sharing: Collection[str] = ()  # files of JSON lines that may use the same ids
        self.hints: set[str] = set()
        self.foreign: set[str] = set()  # files of another format, whose later lines need no encoding
        self.shown_counts: Counter[str] = Counter()  # by cause
        self.hidden_counts: Counter[str] = Counter()
        self.first: dict[str, str] = {}  # message of each cause

    def message(self, bad: Reject) -> str:
        """Returns the message about a record, with a hint that was not shown before, if there is one.

        The first record of a file may show what kind of file that is. No hint is about a record that an earlier command
        has changed.
        """
        from shingletools.record import error_hints  # patterns that a run without faults does not need

        file, begins, cause = printable(bad.file), bad.line in (None, 1), bad.cause
        found = None
        if cause.endswith(SEEN_BEFORE):
            if file in self.sharing and not begins:  # a whole file of them is no file of another kind
                found = error_hints.same_ids_hint(self.id_field)
        elif not bad.made:
            found = error_hints.hint(self.command, cause, bad.record, begins, self.form)
            found = error_hints.own_options(found) if found and (self.form or info_of(self.command).formats) else found
        if found is None or found in self.hints or (found.startswith(error_hints.ICONV) and file in self.foreign):
            return plain(bad)
        self.hints.add(found)
        if found.startswith(error_hints.LOOKS_LIKE):
            self.foreign.add(file)
        return f"{plain(bad)}; {found}"

    def add(self, bad: Reject) -> None:
        """Reports a bad record, unless its message waits or its cause was reported often enough.

        Raises Failed for a file of another kind.
        """
        if self.opening is not None and not self.opening.goes_on(bad):
            self.good(bad.file, bad.side)
        if self.opening is None and bad.line == 1 and not self.form and self.stops:
            message = self.message(bad)
            if message == plain(bad):
                self.add_now(bad, message)
                return
            self.opening = BadFileStart(bad, message, printable(bad.file) in self.foreign)
        if self.opening is not None:
            self.opening.take(bad)
            if self.opening.is_enough():
                message, self.opening = self.opening.message, None
                raise Failed(message)
            return
        self.add_now(bad)

    def good(self, file: str, side: int) -> None:
        """Notes that this file has a good record; a file before it that is still open has none."""
        if self.opening is not None and (self.opening.file, self.opening.side) != (file, side):
            self.close_file()
        elif self.opening is not None:
            opening, self.opening = self.opening, None
            self.add_now(opening.held[0], opening.message)
            for bad in opening.held[1:]:
                self.add_now(bad)

    def close_file(self) -> None:
        """Reports a file without good records: only its first record if it has another format, else each cause."""
        if self.opening is not None:
            opening, self.opening = self.opening, None
            first = opening.held[0]
            self.add_now(first, opening.message)
            for bad in opening.held[1:]:
                kind = cause_of(first.cause if opening.looks else bad.cause)
                if kind in self.first:
                    self.hidden_counts[kind] += 1
                else:
                    self.add_now(bad)

    def add_now(self, bad: Reject, message: str = "") -> None:
        """Reports a bad record, or only counts it if its cause was reported often enough and there is no hint.

        message: the message, if it is already known.
        """
        kind = cause_of(bad.cause)
        if kind not in self.first and len(self.first) >= MAX_CAUSES:
            kind = OTHER_CAUSES
        enough = not self.every and self.shown_counts[kind] >= MAX_SHOWN
        # Then only the first record of a file is searched for a hint: others had theirs among the first ten
        message = message or (plain(bad) if enough and bad.line not in (None, 1) else self.message(bad))
        if enough and message == plain(bad):
            self.hidden_counts[kind] += 1
            return
        self.first.setdefault(kind, plain(bad))
        self.shown_counts[kind] += 1
        self.say(message)

    def close(self) -> None:
        """Reports how many more bad records there are of each cause."""
        if self.opening is not None:
            self.close_file()
        hidden_counts, self.hidden_counts = self.hidden_counts, Counter()
        for kind, count in hidden_counts.items():
            like = "of other causes" if kind == OTHER_CAUSES else f"like {self.first[kind]}"
            self.say(f"{count} more {like} (--all-messages shows all)")
