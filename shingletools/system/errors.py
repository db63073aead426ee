"""What goes wrong with a record or a run, and how messages show names."""

SHOWN = 200  # characters of a name in a message


class Rejected(Exception):
    """This record is bad; the text says why, and the run goes on without it."""


class IdRepeated(Rejected):
    """But for its id, which was there before, it may be good."""


class Failed(Exception):
    """The run cannot go on; the text says why."""


class Broken(Failed):
    """And it is no record's fault."""


def first_cause(error: BaseException) -> str:
    """What is at the bottom of an error, in a line: libraries wrap it in pages of advice.

    >>> first_cause(OSError(24, "Too many open files", "numpy.py"))
    'numpy.py: Too many open files'
    """
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{printable(str(error.filename))}: {error.strerror}"
    return str(error).partition("\n")[0] or type(error).__name__


def shown(value: str | int) -> str:
    """A name or an id as a message may show it: JSON in ASCII, so that no terminal obeys it, and not too much of it.

    >>> print(shown("a\\x1b[2J"))
    "a\\u001b[2J"
    """
    import json  # which a run without faults does not need

    if isinstance(value, str) and len(value) > SHOWN:
        return f"{json.dumps(value[:SHOWN])}... ({len(value)} characters)"
    return json.dumps(value)


def names_none(option: str) -> str:
    """What to say where the files of an option name no document of the input, and so decide nothing of it."""
    return f'{option} names no document of the input: are their ids the same? 1 and "1" are two ids'


def with_itself(name: str | int) -> str:
    """Why a record is no pair."""
    return f"pairs {shown(name)} with itself"


def seen_before(name: str | int) -> str:
    """Why a record is rejected whose id another has."""
    return f"id {shown(name)} was seen before"


def printable(name: str) -> str:
    """A file's name as a message may show it: as it is, or escaped if a terminal might obey it."""
    return name if name.isprintable() else name.encode("unicode_escape").decode()


def shown_place(name: str, line: int | None) -> str:
    """A place in the input, as messages give it: a file, and a line of it.

    >>> shown_place("docs", 17), shown_place("docs", None)
    ('docs:17', 'docs')
    """
    return printable(name) if line is None else f"{printable(name)}:{line}"
