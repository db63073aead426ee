"""The specification of an action on an archive."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shingletools.commands.simjoin.wanted import Wanted
from shingletools.record.stage import Stage

ADD, LIST, CHECK, MERGE, DROP, DUMP = ACTIONS = ("add", "list", "check", "merge", "drop", "dump")

BAD, REPLACE, KEEP_OLD = "bad", "replace", "keep-old"  # what becomes of another record with an id of the archive

MEMORY = 1 << 29  # bytes, by default


class Addition(NamedTuple):
    """How records are added."""

    wanted: Wanted
    unless_known: bool = False
    size: int = MEMORY
    edited: str = BAD
    named: str | None = None


class IndexSpec(Stage):
    """One action on one archive."""

    action: str
    archive: str  # the folder
    id_field: str
    wanted: Wanted  # the least threshold that a new archive answers; with unless_known, that of known documents
    unless_known: bool
    size: int  # bytes of memory for new records
    edited: str
    named: str | None  # the name of this addition; one that has it already is this one, given again

    def __init__(self, action: str, archive: str, id_field: str, adding: Addition) -> None:
        super().__init__(action, archive, id_field, **adding._asdict())

    def derived(self) -> Mapping[str, object]:
        return {"changes": () if self.action in (LIST, CHECK, DUMP) else (self.archive,)}

    def once(self, _side: int, /) -> Sequence[str]:
        return self.id_field, "via", "sketch", "simhash", "shingles"
