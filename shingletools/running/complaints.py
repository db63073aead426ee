"""What is said of bad records: some of each cause, and how many more there are."""

import re
from collections import Counter
from collections.abc import Callable

from shingletools.system.deferred import later

SHOWN = 10  # messages of one cause
CAUSES = 100  # that are told apart, since each record may have one of its own, such as a recipe
OTHERS = ""  # all causes beyond these
# In a message, strings and numbers are of the one record; but a field, a recipe or a pattern is another problem
VALUE = later(
    lambda: re.compile(
        r'((?:field|made by|not by|a table of|--[\w-]+) )?"(?:[^"\\]|\\.)*+"(?:\.\.\. \([0-9]+ characters\))?|-?[0-9]+'
    )
)


def cause_of(message: str) -> str:
    """What remains of a message about a record without the names, ids and values of this one.

    >>> cause_of('id "x" was seen before') == cause_of("id 7 was seen before")
    True
    >>> cause_of('field "id" is missing') == cause_of('field "text" is missing')
    False
    """
    return VALUE.sub(lambda found: found[0] if found[1] else "*", message)


class Complaints:
    """Messages about bad records, in their order: at most SHOWN of one cause, unless all are wanted."""

    def __init__(self, command: str, say: Callable[[str], None], every: bool = False, form: str = "") -> None:
        """`form` is the option by which the input is read; none is for JSON lines."""
        self.command = command
        self.form = form
        self.say = say
        self.every = every
        self.hints: set[str] = set()
        self.foreign: set[str] = set()  # files of another format, whose later lines need no encoding
        self.said: Counter[str] = Counter()  # by cause
        self.unsaid: Counter[str] = Counter()
        self.first: dict[str, str] = {}  # message of each cause

    def message(self, place: str, begins: bool, cause: str, document: bytes) -> str:
        """What to say of a document; with a hint, if there is one that was not given yet.

        A document that `begins` its file may tell what kind of file that is.
        """
        from shingletools.record.hints import ICONV, LOOKS, hint  # patterns that a run without faults does not need

        found = hint(self.command, cause, document, begins, self.form)
        file = place.rpartition(":")[0]
        if found is None or found in self.hints or (found.startswith(ICONV) and file in self.foreign):
            return f"{place}: {cause}"
        self.hints.add(found)
        if found.startswith(LOOKS):
            self.foreign.add(file)
        return f"{place}: {cause}; {found}"

    def add(self, place: str, begins: bool, cause: str, document: bytes) -> None:
        """Says it; or counts it, if enough was said of its cause and there is no hint that is new."""
        kind = cause_of(cause)
        if kind not in self.first and len(self.first) >= CAUSES:
            kind = OTHERS
        plain = f"{place}: {cause}"
        enough = not self.every and self.said[kind] >= SHOWN
        # Then only what begins a file is looked at: that costs something, and others have a hint by their tenth
        message = plain if enough and not begins else self.message(place, begins, cause, document)
        if enough and message == plain:
            self.unsaid[kind] += 1
            return
        self.first.setdefault(kind, plain)
        self.said[kind] += 1
        self.say(message)

    def close(self) -> None:
        """Says how many more there are of each cause."""
        unsaid, self.unsaid = self.unsaid, Counter()
        for kind, count in unsaid.items():
            like = "of other causes" if kind == OTHERS else f"like {self.first[kind]}"
            self.say(f"{count} more {like} (--all-messages shows all)")
