"""Exceptions for bad records and failed runs, and how messages show names."""

MAX_SHOWN_CHARS = 200  # characters of a name in a message
SEEN_BEFORE = " was seen before"  # how the message about a repeated id ends


class Rejected(Exception):
    """A record is bad, for the reason in the text; the run goes on without it."""


class IdRepeated(Rejected):
    """A record is bad because an earlier one has its id; it may be good otherwise."""


class JudgedDifferent(Exception):
    """A pair says that its documents do not belong together: it is left out, but is not bad."""


class Failed(Exception):
    """The run cannot go on, for the reason in the text."""


class EnvironmentFailure(Failed):
    """The run cannot go on, and no record is to blame."""


class RecordFailed(Failed):
    """The run cannot go on because of a record."""

    def __init__(self, cause: str, file: str, line: int | None) -> None:
        super().__init__(f"{shown_place(file, line)}: {cause}")
        self.cause = cause


def first_cause(error: BaseException) -> str:
    """Returns the innermost cause of an error in one line: libraries wrap it in pages of advice.

    >>> first_cause(OSError(24, "Too many open files", "numpy.py"))
    'numpy.py: Too many open files'
    """
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{printable(str(error.filename))}: {error.strerror}"
    return str(error).partition("\n")[0] or type(error).__name__


def shown(value: str | int) -> str:
    """Returns a name or an id as JSON for a message: shortened, and with escapes for what terminals obey or hide.

    >>> print(shown("текст\\x1b[2J\\u202e"), shown(7))
    "текст\\u001b[2J\\u202e" 7
    """
    import json  # late: only faults need it

    if not isinstance(value, str):
        return json.dumps(value)
    spelled = json.dumps(value[:MAX_SHOWN_CHARS], ensure_ascii=False)
    spelled = "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in spelled)
    spelled = spelled.replace("\x7f", "\\u007f")  # the one control character that JSON leaves
    return spelled if len(value) <= MAX_SHOWN_CHARS else f"{spelled}... ({len(value)} characters)"


def names_none(option: str) -> str:
    """Returns the message about an option whose files name no document of the input."""
    same = 'are their ids the same? --id names their field; 1 and "1" are two ids'
    return f"{option} names no document of the input: {same}"


def float_ids(field: str) -> str:
    """Returns the message about a column of ids that are floats."""
    made = 'pandas makes them of integers beside missing ones, unless their type is "Int64"'
    return f"the column {shown(field)} has floats, which cannot be ids; {made}"


def with_itself(name: str | int) -> str:
    """Returns the message about a pair of a document with itself."""
    return f"pairs {shown(name)} with itself"


def seen_before(name: str | int) -> str:
    """Returns the message about a record whose id an earlier one has."""
    return f"id {shown(name)}{SEEN_BEFORE}"


def printable(name: str) -> str:
    """Returns a file's name for a message, with escapes for characters that terminals obey or hide.

    >>> print(printable("текст\\x1b[2J"))
    текст\\x1b[2J
    """
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in name)


def shown_place(name: str, line: int | None) -> str:
    """Returns a place in the input for a message: a file and a line.

    >>> shown_place("docs", 17), shown_place("docs", None)
    ('docs:17', 'docs')
    """
    return printable(name) if line is None else f"{printable(name)}:{line}"
