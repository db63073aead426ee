"""The specification of --together."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from shingletools.record.stage import IN_ONE_PROCESS, Stage
from shingletools.system.errors import Failed, shown

PART_FIELDS = ("of", "part", "place", "before", "behind", "via")  # fields of a part other than its id and its text


def check_names(names: Sequence[str]) -> None:
    """Raises Failed if a field has a name that parts need, or two fields have one name."""
    for place, name in enumerate(names):
        if name in (*PART_FIELDS, *names[:place]):
            raise Failed(f"the id, the text and each --carry need fields of their own, not {shown(name)}")


class TogetherSpec(Stage):
    """Documents from the parts of them that are left."""

    id_field: str
    text_field: str = "text"

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field}

    def once(self, _side: int, /) -> Sequence[str]:
        return (*PART_FIELDS, self.id_field, self.text_field)

    def check_fields(self, id_field: str, /) -> None:
        check_names((id_field, self.text_field))

    def single_process_reason(self) -> str:
        return IN_ONE_PROCESS
