"""What makes an output that depends on more than one record, and what it is given and gives."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from shingletools.kernel.lines import SignedFields, SignedLines
from shingletools.record.wire import Record

Reads = Callable[[str, str], Iterator[tuple[str, bytes]]]  # of an option and a path: names of files, and whole lines


class Means:
    """What a collector has to work with: workers; whole lines in place of standard input, if they are given; and what
    reads the files of records that options name, if it is not to open them itself.
    """

    def __init__(self, jobs: int = 1, given: Iterator[bytes] | None = None, read: Reads | None = None) -> None:
        self.jobs = jobs
        self.given = given
        self.read = read


ALONE = Means()


class Written(NamedTuple):
    """Whole lines for the output, and what goes to a second file: as lines what was removed, or a page."""

    output: bytes = b""
    removed: bytes = b""

    def __reduce_ex__(self, _protocol: object) -> tuple[object, ...]:
        """From a worker process, they come beside the pickle, as views of what it lends; see serving.Messages."""
        from pickle import PickleBuffer  # which whoever calls this has loaded

        return Written, (PickleBuffer(self.output), PickleBuffer(self.removed))


class Late(NamedTuple):
    """A record that was taken, and turned out to be bad when all were there: its place, why, and its line."""

    file: str
    line: int | None
    cause: str
    document: bytes
    counted: bool = True  # as a good one, when it was taken
    again: bool = False  # its id was there before; the rest of it is good


class Collector(ABC):
    """What makes an output that depends on more than one record; it takes them in order, in one process."""

    reads_ahead = False  # whether it can: see `ahead`
    takes_signed = False  # whether it can: see `take_signed`
    of_all = False  # whether its output says something of all files: there is none if one of them has no good record
    place: tuple[str, int | None] = ("", None)  # the file and the line of the next record that it is to take

    def ahead(self, _lines: bytes, /) -> None:
        """Prepares for taking these lines, in another thread, while those before them are taken."""
        raise TypeError(f"{type(self).__name__} does not read ahead")

    def take_lines(self, _lines: bytes, at: int, _side: int, /) -> tuple[int, int, Written]:
        """Takes all ordinary records from a place in some lines on, as `take` would; raises Failed.

        Returns how many, where the first begins that it leaves to `take`, and what can be written already.
        """
        return 0, at, Written()

    def like(self) -> SignedFields | None:
        """What lines must have of which it takes signatures instead, as soon as that is known."""
        return None

    def take_signed(self, _signed: SignedLines, _side: int, /) -> Mapping[int, str]:
        """Takes signatures in place of lines. Gives the numbers of those that it rejects for their ids, and why."""
        raise TypeError(f"{type(self).__name__} takes lines")

    @abstractmethod
    def take(self, record: Record, line: bytes, side: int, /) -> Written | None:
        """Takes a record and the line that it came on; gives what can be written already.

        Raises Rejected if the record is bad, Failed if it cannot go with those before it.
        """

    def left_out(self) -> None:  # noqa: B027  # most need not know
        """Learns that a document of the input was bad, in the place of the record that it is not."""

    @abstractmethod
    def finish(self) -> Iterator[Written]:
        """The rest."""

    def remarks(self) -> Sequence[str]:
        """What to say on standard error beside its output, after `finish`."""
        return ()

    def told(self) -> Sequence[str]:
        """What -v says at once; it is asked after each part of the rest."""
        return ()

    def late(self) -> Sequence[Late]:
        """Records that turned out to be bad since it was last asked; it is asked after each part of the rest."""
        return ()

    def settle(self) -> None:  # noqa: B027  # most have none
        """Makes the change for which it runs, if that is no output; after the output has its place. Raises Failed."""

    def close(self) -> None:  # noqa: B027  # most hold nothing
        """Lets go of what it holds, however the run ends."""

    def summary(self) -> list[str]:
        """What -v adds to its line, after `finish`."""
        return []
