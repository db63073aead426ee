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
        self.command, self.say, self.every, self.form = command, say, every, form
        self.stops = stops and not every
        self.id_field = "id"
        self.sharing: Collection[str] = ()  # files of JSON lines that may use the same ids
        self.held: list[Reject] = []  # bad records with which a file begins
        self.held_bytes = 0
        self.first_message = ""  # about the first of them
        self.looks = False  # whether that says that the file has another format; else its records are of another kind
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
        if self.held:
            first = self.held[0]
            if (bad.file, bad.side, bad.line) != (first.file, first.side, len(self.held) + 1):
                self.good(bad.file, bad.side)
        if not self.held:
            begins = bad.line == 1 and not self.form and self.stops
            self.first_message = self.message(bad) if begins else ""
            if self.first_message in ("", plain(bad)):
                self.add_now(bad, self.first_message)
                return
            self.looks, self.held_bytes = printable(bad.file) in self.foreign, 0
        self.held.append(bad)
        self.held_bytes += len(bad.record) + 1
        if self.held_bytes >= MAX_BAD_START_BYTES and (self.looks or len(self.held) >= MAX_SHOWN):
            self.held = []
            raise Failed(self.first_message)

    def good(self, file: str, side: int) -> None:
        """Notes that this file has a good record; a file before it whose messages wait has none."""
        if self.held:
            self.release((file, side) == (self.held[0].file, self.held[0].side))

    def release(self, good: bool) -> None:
        """Reports the records that wait.

        good: whether the file has a good record, too. Else only the first one is reported if the file has another
        format, and otherwise one of each cause.
        """
        held, self.held = self.held, []
        self.add_now(held[0], self.first_message)
        for bad in held[1:]:
            kind = cause_of((held[0] if self.looks else bad).cause)
            if not good and kind in self.first:
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
        if self.held:
            self.release(good=False)
        hidden_counts, self.hidden_counts = self.hidden_counts, Counter()
        for kind, count in hidden_counts.items():
            like = "of other causes" if kind == OTHER_CAUSES else f"like {self.first[kind]}"
            self.say(f"{count} more {like} (--all-messages shows all)")
