"""What is wanted of parts that are to be put together."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from shingletools.errors import Failed, shown
from shingletools.stage import IN_ONE_PROCESS, Stage

if TYPE_CHECKING:
    from shingletools.parts.together import Together

OWN = ("of", "part", "place", "before", "behind", "via")  # fields of a part beside its id and its text


def check_names(names: Sequence[str]) -> None:
    """Raises Failed if a field that is asked for is one that parts have anyway, or two are one."""
    for place, name in enumerate(names):
        if name in (*OWN, *names[:place]):
            raise Failed(f"the id, the text and what is carried need fields of their own, not {shown(name)}")


class TogetherSpec(Stage):
    """Documents of what is left of their parts."""

    id_field: str
    text_field: str

    def __init__(self, id_field: str, text_field: str = "text") -> None:
        super().__init__(id_field=id_field, text_field=text_field)

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field}

    def once(self, _side: int, /) -> Sequence[str]:
        return (*OWN, self.id_field, self.text_field)

    def check_fields(self, id_field: str, /) -> None:
        check_names((id_field, self.text_field))

    def alone(self) -> str:
        return IN_ONE_PROCESS

    def collector(self, _jobs: int, /) -> "Together":
        from shingletools.parts.together import Together  # which imports what is wanted

        return Together(self)
