"""Messages about bad records: the first of each cause, and how many more there are."""

import re
from collections import Counter
from collections.abc import Callable

from shingletools.record.command_registry import info_of
from shingletools.running.outcomes import BadRecord
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


def described(bad: BadRecord) -> tuple[str, bool, str, bytes]:
    """Returns the place of a bad record, whether it begins its file, its cause, and its line."""
    file, line, cause, document = bad
    return shown_place(file, line), line in (None, 1), cause, document


class BadFileStart:
    """The bad records at the beginning of a file; the first of them says what kind of file it is."""

    def __init__(self, file: str, message: str, looks: bool) -> None:
        """message: the message about the first record.

        looks: whether the file has another format; else perhaps only some of its records are of another kind.
        """
        self.file, self.message, self.looks = file, message, looks
        self.held: list[BadRecord] = []
        self.size = 0

    def goes_on(self, bad: BadRecord) -> bool:
        """Returns whether this is the next record of the file."""
        return bad[0] == self.file and bad[1] == len(self.held) + 1

    def take(self, bad: BadRecord) -> None:
        self.held.append(bad)
        self.size += len(bad[3]) + 1

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
        self.id_field, self.sharing = "id", frozenset[str]()  # files of JSON lines that may use the same ids
        self.hints: set[str] = set()
        self.foreign: set[str] = set()  # files of another format, whose later lines need no encoding
        self.shown_counts: Counter[str] = Counter()  # by cause
        self.hidden_counts: Counter[str] = Counter()
        self.first: dict[str, str] = {}  # message of each cause

    def message(self, place: str, begins: bool, cause: str, document: bytes) -> str:
        """Returns the message about a document, with a hint that was not shown before, if there is one.

        begins: whether the document begins its file, and so may show what kind of file that is.
        """
        from shingletools.record import error_hints  # patterns that a run without faults does not need

        file = place.rpartition(":")[0]
        if not cause.endswith(SEEN_BEFORE):
            found = error_hints.hint(self.command, cause, document, begins, self.form)
            found = error_hints.own_options(found) if found and (self.form or info_of(self.command).formats) else found
        elif self.form in error_hints.TABLES:
            found = error_hints.NUMBERS_ADVICE
        elif file in self.sharing and not begins:  # a whole file of them is no file of another kind
            found = error_hints.same_ids_hint(self.id_field)
        else:
            found = None
        if found is None or found in self.hints or (found.startswith(error_hints.ICONV) and file in self.foreign):
            return f"{place}: {cause}"
        self.hints.add(found)
        if found.startswith(error_hints.LOOKS_LIKE):
            self.foreign.add(file)
        return f"{place}: {cause}; {found}"

    def add(self, bad: BadRecord) -> None:
        """Reports a bad record, unless its message waits or its cause was reported often enough.

        Raises Failed for a file of another kind.
        """
        if self.opening is not None and not self.opening.goes_on(bad):
            self.good(bad[0])
        if self.opening is None and bad[1] == 1 and not self.form and self.stops:
            place, _, cause, _ = described(bad)
            message = self.message(*described(bad))
            if message == f"{place}: {cause}":
                self.add_now(bad, message)
                return
            self.opening = BadFileStart(bad[0], message, printable(bad[0]) in self.foreign)
        if self.opening is not None:
            self.opening.take(bad)
            if self.opening.is_enough():
                message, self.opening = self.opening.message, None
                raise Failed(message)
            return
        self.add_now(bad)

    def good(self, file: str) -> None:
        """Notes that this file has a good record; a file before it that is still open has none."""
        if self.opening is not None and self.opening.file != file:
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
                kind = cause_of(first[2] if opening.looks else bad[2])
                if kind in self.first:
                    self.hidden_counts[kind] += 1
                else:
                    self.add_now(bad)

    def add_now(self, bad: BadRecord, message: str = "") -> None:
        """Reports a bad record, or only counts it if its cause was reported often enough and there is no hint.

        message: the message, if it is already known.
        """
        place, begins, cause, document = described(bad)
        kind = cause_of(cause)
        if kind not in self.first and len(self.first) >= MAX_CAUSES:
            kind = OTHER_CAUSES
        plain = f"{place}: {cause}"
        enough = not self.every and self.shown_counts[kind] >= MAX_SHOWN
        # Then only the first record of a file is searched for a hint: others had theirs among the first ten
        message = message or (plain if enough and not begins else self.message(place, begins, cause, document))
        if enough and message == plain:
            self.hidden_counts[kind] += 1
            return
        self.first.setdefault(kind, plain)
        self.shown_counts[kind] += 1
        self.say(message)

    def close(self) -> None:
        """Reports how many more bad records there are of each cause."""
        self.close_file()
        hidden_counts, self.hidden_counts = self.hidden_counts, Counter()
        for kind, count in hidden_counts.items():
            like = "of other causes" if kind == OTHER_CAUSES else f"like {self.first[kind]}"
            self.say(f"{count} more {like} (--all-messages shows all)")
