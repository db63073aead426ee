"""The specification of a join: what makes a pair, which documents, how much memory."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import TYPE_CHECKING

from shingletools.archive.archive_files import manifest_in
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.record.stage import Stage
from shingletools.record.wire import shown_recipe
from shingletools.system.errors import Failed, printable

if TYPE_CHECKING:
    from shingletools.reading.shingle_weights import WeightTable
    from shingletools.system.memory_limit import Memory


MAX_LABELS = 8  # fields of --within and --across


class JoinSpec(Stage):
    """The pairs of the input, or of the input with other files and archives."""

    id_field: str
    wanted: JoinOptions
    against: tuple[str, ...] = ()
    memory: "Memory | None" = None  # a limit, beyond which scratch files are used
    archives: tuple[tuple[int, str], ...] = ()  # the number of files of `against` before each archive, and its folder
    weights: "WeightTable | None" = None  # the weights of shingles, if a table has them
    reads: tuple[str, ...] = ()  # that table, and the manifest of each archive
    other_id: str | None = None  # the field of ids in the files of `against`, if it may be another one

    distinct_ids = True

    def derived(self) -> Mapping[str, object]:
        for option, asked in (
            ("--forest", self.wanted.forest),
            ("--recall", self.wanted.recall < 1),
            ("--verify", self.wanted.verify),
            ("--weights", self.wanted.weights is not None),
        ):
            if self.archives and asked:
                raise Failed(f"{option} cannot be combined with an archive; name the file that simindex dump writes")
        scope = self.wanted.scope
        if both := set(scope.within) & set(scope.across):
            field = printable(min(both))
            raise Failed(f"--within {field} cannot be combined with --across {field}: no pair has both")
        if len(scope.fields) > MAX_LABELS:
            raise Failed(
                f"--within and --across name {len(scope.fields)} fields, but at most {MAX_LABELS} are possible"
            )
        if self.wanted.best is not None and self.wanted.forest:
            raise Failed("--best cannot be combined with --forest, which leaves out pairs of any similarity")
        for conflict, reason in (
            (self.wanted.forest, "--forest, which has one pair for each copy already"),
            (self.wanted.best is not None, "--best, which chooses among all pairs"),
            (scope.across, "--across, since copies may have equal values"),
            (self.against or self.archives, "--against, where copies are on two sides"),
        ):
            if conflict and self.wanted.copies_once:
                raise Failed(f"--copies once cannot be combined with {reason}")
        return {"reads": (*self.reads, *(manifest_in(folder) for _, folder in self.archives))}

    def single_process_reason(self) -> str:
        return "" if self.wanted.weights is None else "--weights needs one process; run it in the shell"

    def check_weights(self, digits: int, via: str) -> None:
        """Raises Failed unless the table is of shingles with so many digits, made by this recipe."""
        if self.weights is None:
            return
        weights, label, after = self.weights
        if weights.digits != digits:
            raise Failed(f"--weights {label}: shingles of {weights.digits} hex digits, but the records have {digits}")
        if after not in (None, via):
            raise Failed(f"--weights {label}: made by {shown_recipe(after or '')}, the records by {shown_recipe(via)}")

    @property
    def sides(self) -> Sequence[Sequence[str]]:
        """Returns the files of `against`: those before the first archive, those between it and the next, and so on."""
        edges = sorted({0, *(count for count, _ in self.archives if count), len(self.against)})
        return [self.against[start:stop] for start, stop in pairwise(edges)] or [()]

    @property
    def side_files(self) -> Sequence[tuple[str, str]]:
        return [("--against", path) for path in self.against]

    @property
    def fields(self) -> AbstractSet[str]:
        return {*self.once(0), *self.once(1)}

    def id_of(self, side: int) -> str:
        """Returns the field of ids in records of a side."""
        return self.other_id if side and self.other_id is not None else self.id_field

    def once(self, side: int, /) -> Sequence[str]:
        return self.id_of(side), "via", "sketch", "simhash", "shingles", *self.wanted.scope.fields

    @property
    def texts(self) -> AbstractSet[str]:
        return frozenset(self.wanted.scope.fields)
