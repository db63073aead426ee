"""What is wanted of a join, beside which pairs: of which documents, and with how much memory."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

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

    def __init__(
        self, id_field: str, wanted: Wanted, against: tuple[str, ...] = (), memory: "Memory | None" = None
    ) -> None:
        super().__init__(id_field=id_field, wanted=wanted, against=against, memory=memory)

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
