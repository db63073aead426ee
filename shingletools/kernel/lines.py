"""Lines in bytes: the definition. Each is ended by a line feed but perhaps the last; a carriage return ends none."""

# What the kernel does with the lines of filters; see splice.h
Link = tuple[object, ...]  # a filter that is written in C; empty if it is not
# id, consumed, produced, kept, recipe, between, placed
Fields = tuple[bytes, bytes, bytes, bool, bytes, tuple[bytes, ...], bool]
Done = tuple[bytes, int, int, Exception | None]  # lines, their number, where the next begins, its exception


def leave(*arguments: object) -> Done:
    """Does nothing with lines from a place on, the last argument, and leaves them to the definition in records.py."""
    at = arguments[-1]
    assert isinstance(at, int)
    return b"", 0, at, None


def unlinked(*_arguments: object) -> Link:
    """That of a filter that is not written in C."""
    return ()


def count_lines(data: bytes, /) -> int:
    """How many there are.

    >>> count_lines(b"one\\ntwo"), count_lines(b"one\\n\\n"), count_lines(b"")
    (2, 2, 0)
    """
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def split_lines(data: bytes, /) -> list[bytes]:
    """The lines without their line feeds.

    >>> split_lines(b"one\\r\\n\\ntwo"), split_lines(b"")
    ([b'one\\r', b'', b'two'], [])
    """
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines
