"""Lines of documents that are kept, and of those that are removed."""

from shingletools.record.document_format import Decision, KeptAndRemoved


class KeptLines:
    """Lines for both outputs. The last line of a file may lack its end; it gets one if another line follows."""

    def __init__(self) -> None:
        self.sides: tuple[list[bytes], list[bytes]] = [], []
        self.ends = [b"\n", b"\n"]  # of the last whole lines
        self.open = [False, False]  # whether the last line lacks its end

    def add(self, decision: Decision, line: bytes) -> None:
        if decision.kept is None:
            return
        side = not decision.kept
        self.sides[side].extend((self.ends[side], line) if self.open[side] else (line,))
        self.open[side] = not line.endswith(b"\n")
        self.ends[side] = end_of(line) or self.ends[side]

    def taken(self) -> KeptAndRemoved:
        """Returns the lines since the last call."""
        kept, removed = map(b"".join, self.sides)
        self.sides = [], []
        return kept, removed


def end_of(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""
