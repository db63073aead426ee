"""What is wanted of an archive."""

from collections.abc import Sequence

from shingletools.simjoin.wanted import Wanted
from shingletools.stage import Collector, Stage

ADD, LIST, CHECK, MERGE, DROP, DUMP = ACTIONS = ("add", "list", "check", "merge", "drop", "dump")


class IndexSpec(Stage):
    """One action on one archive."""

    action: str
    archive: str  # its folder
    id_field: str
    wanted: Wanted  # the least threshold of a new archive; with unless_known, the threshold
    unless_known: bool
    size: int  # bytes of memory for new records

    def __init__(  # noqa: PLR0913, PLR0917  # each has a name of its own
        self, action: str, archive: str, id_field: str, wanted: Wanted, unless_known: bool, size: int
    ) -> None:
        super().__init__(
            action=action, archive=archive, id_field=id_field, wanted=wanted, unless_known=unless_known, size=size,
            changes=() if action in (LIST, CHECK, DUMP) else (archive,),
        )  # fmt: skip

    def once(self, _side: int, /) -> Sequence[str]:
        return self.id_field, "via", "sketch", "simhash", "shingles"

    def collector(self, _jobs: int, /) -> Collector:
        from shingletools.simindex import acting, adding  # numpy, which --help does not need

        if self.action == ADD:
            return adding.Adding(self)
        return acting.COLLECTORS[self.action](self)
