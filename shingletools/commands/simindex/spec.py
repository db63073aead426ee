"""The specification of an action on an archive."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from shingletools.archive.archive_files import manifest_in
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.record.stage import Stage, check_fields_apart
from shingletools.record.wire import AT, SOURCE
from shingletools.system.errors import Failed

ADD, LIST, CHECK, MERGE, DROP, DUMP = ACTIONS = ("add", "list", "check", "merge", "drop", "dump")

BAD, REPLACE, KEEP_OLD = "bad", "replace", "keep-old"  # actions on a different record with an id of the archive

DEFAULT_BYTES = 1 << 29  # bytes, by default


class IndexSpec(Stage):
    """One action on one archive."""

    action: str
    archive: str  # the folder
    id_field: str
    wanted: JoinOptions  # the least threshold that a new archive answers; with unless_known, the threshold of the pairs
    unless_known: bool
    size: int  # bytes of memory for new records
    edited: str
    named: str | None  # the name of this addition; a new run with the same name repeats it
    run: int | None  # the least words of passages, for an archive of these; None for one of signatures
    text_field: str  # of the words

    def derived(self) -> Mapping[str, object]:
        if self.run is not None and (self.unless_known or self.wanted.threshold()):
            raise Failed("-k cannot be combined with -t, -m, -d or --unless-known, which compare signatures")
        changes = () if self.action in (LIST, CHECK, DUMP) else (self.archive,)
        return {"changes": changes, "reads": (manifest_in(self.archive),)}

    @property
    def texts(self) -> AbstractSet[str]:
        return frozenset() if self.run is None else {self.text_field}

    def check_fields(self, id_field: str, /) -> None:
        if self.run is not None:
            check_fields_apart(id_field, self.text_field, ("via", SOURCE, AT))

    def once(self, _side: int, /) -> Sequence[str]:
        own = ("sketch", "simhash", "shingles") if self.run is None else (self.text_field, SOURCE, AT)
        return self.id_field, "via", *own
