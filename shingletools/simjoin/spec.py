"""What is wanted of a join, beside which pairs: of which documents, and with how much memory."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from shingletools.errors import Failed
from shingletools.simjoin.wanted import Wanted
from shingletools.stage import Stage

if TYPE_CHECKING:
    from shingletools.simjoin.collector import JoinCollector
    from shingletools.simjoin.memory import Memory


class JoinSpec(Stage):
    """The pairs of the input, or of the input with the records of other files."""

    id_field: str
    wanted: Wanted
    against: tuple[str, ...]
    memory: "Memory | None"  # a limit, beyond which scratch files are used
    archives: tuple[tuple[int, str], ...]  # on disk, and before each so many files of `against`

    def __init__(
        self, id_field: str, wanted: Wanted, against: tuple[str, ...] = (), memory: "Memory | None" = None,
        archives: tuple[tuple[int, str], ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(id_field=id_field, wanted=wanted, against=against, memory=memory, archives=archives)
        for option, asked in (
            ("--forest", wanted.forest), ("--recall", wanted.recall < 1), ("--verify", wanted.verify),
        ):  # fmt: skip
            if archives and asked:
                raise Failed(f"{option}: not with an archive on disk; join with the file that simindex dump writes")

    @property
    def sides(self) -> Sequence[Sequence[str]]:
        """The files of `against` before the first archive, between this and the next, and so on."""
        edges = sorted({0, *(count for count, _ in self.archives if count), len(self.against)})
        return [self.against[start:stop] for start, stop in pairwise(edges)] or [()]

    def alone(self) -> str:
        return "an archive on disk is asked in one process; run it in the shell" if self.archives else ""

    @property
    def beside(self) -> Sequence[tuple[str, str]]:
        return [("--against", path) for path in self.against]

    def once(self, _side: int, /) -> Sequence[str]:
        return self.id_field, "via", "sketch", "simhash", "shingles"

    def collector(self, jobs: int, /) -> "JoinCollector":
        from shingletools.simjoin.collector import JoinCollector  # numpy, which --help does not need

        return JoinCollector(self, jobs)


def shapes_differ(here: str, before: str) -> str:
    """Why signatures of these shapes cannot be compared."""
    return f"{here}, after {before}"
