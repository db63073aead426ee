"""What is wanted of groups."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shingletools.stage import Stage
from shingletools.wire import AGAINST

if TYPE_CHECKING:
    from fractions import Fraction

    from shingletools.simgroup.groups import Groups


class GroupSpec(Stage):
    """The groups that pairs make."""

    id_field: str
    star: bool  # every member has a pair with the first
    least: "Fraction | None"  # the similarity of pairs that count
    against: tuple[str, ...]  # files of documents that are groups of one if no pair has them

    def __init__(
        self, id_field: str, star: bool = False, least: "Fraction | None" = None, against: tuple[str, ...] = ()
    ) -> None:
        super().__init__(id_field=id_field, star=star, least=least, against=against)

    @property
    def beside(self) -> Sequence[tuple[str, str]]:
        return [("--singletons", path) for path in self.against]

    def once(self, side: int, /) -> Sequence[str]:
        if side:
            return (self.id_field,)
        return ("a", "b", AGAINST) if self.least is None else ("a", "b", AGAINST, "similarity")

    def collector(self, _jobs: int, /) -> "Groups":
        from shingletools.simgroup.groups import Groups  # which imports what is wanted

        return Groups(self)
