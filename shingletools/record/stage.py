"""The interface of a command: a Stage, made from its options.

A command is a module with a docstring of one line, a COMMAND_INFO, `add_options(parser)` and `build(options)`, which
returns a Stage: a frozen value of the options, checked when it is made. The driver and Spark run stages by this
interface alone. Stages raise Rejected and Failed; they never print, exit or touch a stream.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self, dataclass_transform

from shingletools.kernel.lines import Link, no_link
from shingletools.record.collector import ONE_PROCESS, Collector, CollectorContext
from shingletools.record.command_registry import CommandInfo
from shingletools.record.document_format import Format
from shingletools.record.field_names import Names
from shingletools.record.wire import AT, NAMED, SOURCE
from shingletools.system.errors import Failed, shown

if TYPE_CHECKING:
    import argparse  # which workers do not need

    from shingletools.record.text_fields import TextFields

MakeLink = Callable[[], Link]  # makes a filter's link, in the process that uses it
Tally = Callable[[], Mapping[str, int]]
Remarks = Callable[[Mapping[str, int], int], Sequence[str]]  # takes the counts, and the number of good records
MakeFirstPass = Callable[[], "FirstPass"]

FEWEST_REMARKED = 10  # documents; with fewer, no remark says what most of them are
MOST_UNNAMED = 4  # values of fields without their names
IN_ONE_PROCESS = "this form of its output is made in one process; run it in the shell"


def check_fields_apart(id_field: str, text_field: str, own: Sequence[str]) -> None:
    """Raises Failed if the id or the text is in a field with another use, or both are in one."""
    for field in (id_field, text_field):
        if field.partition(".")[0] in own or id_field == text_field:
            raise Failed(f"the id and the text need fields of their own, not {shown(field)}")


class LineSplitter(Protocol):
    """A function that makes several lines of one line."""

    carried: Sequence[str]  # fields that the lines take over, other than those that the filter reads

    def __call__(self, id_field: str, line: bytes, /) -> bytes: ...

    def summary(self, lines: int, /) -> list[str]:
        """Returns figures for -v about the number of lines that were made."""


class FirstPass(Protocol):
    """Takes all of the input, and then makes the filter that reads the input again."""

    def take(self, lines: bytes, /) -> None:
        """Takes whole lines of a file; the last line may lack its line feed."""

    def filter(self) -> "Filter": ...


@dataclass_transform()
class Stage:
    """The settings of one run of a command; it is frozen.

    The names that a subclass annotates are its fields, in their order; those with a value are optional. Type checkers
    know this as a dataclass. It is none, because dataclasses load inspect, which --help and most filters do not need.
    """

    against: Sequence[str] = ()  # files read after the others
    reads: Sequence[str] = ()  # files that shape the output, and are read before it begins
    removed: str | None = None  # the file of removed documents
    format: Format | None = None  # the format of the input; None for JSON lines
    stored: bool = False  # whether its output is compressed only if its input is, whatever its name
    rewrites: bool = False  # whether its output has the format of its input
    changes: Sequence[str] = ()  # files that a collector's `settle` changes
    first: MakeFirstPass | None = None  # makes the object that takes the whole input first
    dry: bool = False  # whether only the figures of -v are wanted, and no output
    distinct_ids: bool = False  # whether no two records may have one id, in whichever files they are
    read: Sequence[str] = ()  # fields that hold what a filter consumes
    adds: Sequence[str] = ()  # fields that a filter writes, other than the payload and via

    def __init__(self, *values: object, **named: object) -> None:
        """Sets and checks the fields, of which at most four may be given without their names.

        Raises Failed for values that do not go together, and TypeError for wrong or missing fields.
        """
        own = type(self)
        fields = list(own.__annotations__)
        given = dict(zip(fields, values, strict=False))
        wrong = [
            *values[min(len(fields), MOST_UNNAMED) :],
            *(name for name in named if name in given or name not in fields),
        ]
        lacking = [name for name in fields if name not in given | named | vars(own)]
        if wrong or lacking:
            raise TypeError(f"{own.__name__} has no {wrong} and needs {lacking}")
        vars(self).update({name: vars(own).get(name) for name in fields} | given | named)
        vars(self).update(self.derived())

    def derived(self) -> Mapping[str, object]:
        """Returns fields of Stage that follow from the others. Raises Failed for values that do not go together."""
        return {}

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    @property
    def sides(self) -> Sequence[Sequence[str]]:
        """Returns the files that are read after the others; their records belong to side 1, 2 and so on."""
        return (self.against,)

    @property
    def order(self) -> Sequence[int]:
        """Returns the order in which a collector takes the input, which is side 0, and the other sides."""
        return range(len(self.sides) + 1)

    @property
    def second(self) -> tuple[str, str] | None:
        """Returns the option that names a second output file, and its path; None without one."""
        return None if self.removed is None else ("--removed", self.removed)

    @property
    def side_files(self) -> Sequence[tuple[str, str]]:
        """Returns options, each with a file of records that it names."""
        return ()

    @property
    def texts(self) -> AbstractSet[str]:
        """Returns fields that this stage reads as text, in addition to those that every stage reads."""
        return frozenset()

    @property
    def fields(self) -> AbstractSet[str] | None:
        """Returns the fields of a collector's records that decide its output; None if any field may."""
        return None

    def once(self, _side: int, /) -> Sequence[str]:
        """Returns the fields that may not occur twice in a record of a side: 0 for the input, 1 for `against`."""
        return ()

    def format_of(self, side: int, /) -> Format | None:
        """Returns the format of a side's files; None for JSON lines."""
        return None if side else self.format

    def check_fields(self, id_field: str, /) -> None:
        """Raises Failed if one field would have two uses."""

    def single_process_reason(self) -> str:
        """Returns why only one process can run it; empty if several can."""
        return ""

    @property
    def input_option(self) -> str:
        """Returns the option that chooses the format of its input; empty for JSON lines."""
        return "" if self.format is None else self.format.option

    @property
    def record_by_record(self) -> "Filter | None":
        """Returns the stage itself if it is a filter; None if it has a collector."""
        return None

    def with_maker(self, maker: Callable[[Self, CollectorContext], Collector]) -> Self:
        """Returns a copy of the stage with the function that makes its collector.

        A command passes the function, because a stage does not import the code that runs it.
        """
        same = object.__new__(type(self))
        vars(same).update(vars(self), maker=maker)
        return same

    def collector(self, context: CollectorContext = ONE_PROCESS, /) -> Collector:
        """Returns a new collector of all records. Raises Failed."""
        made: Collector = vars(self)["maker"](self, context)
        made.once = self.once
        return made


class Filter(Stage):
    """A stage that turns one payload into another, record by record; worker processes get it by pickle.

    The field `produces` replaces the field `consumes`, in its place, unless `keep` is set. `recipe` is appended to the
    field via. Every other byte of the line stays.

    function: makes the new payload; it may raise Rejected. link: returns the function that makes the same payloads in
    C, if there is one; it may raise the same. format: the format of the input, None for JSON lines. plain: the filter
    for plain text, in a format that also has HTML. listed: whether the payload is a list of strings. placed: whether
    the consumed value is kept in the field SOURCE, and `function` returns a Placed: the payload, and the value of the
    field AT. named: the names for the field NAMED, if it is written. made_of: the fields whose joined texts are
    consumed instead of the field `consumes`. advice: returns a message about the first lines of the input, if these are
    records, and this filter the first one. after: the recipe that records must have, None for any. tally: returns the
    counts, by description, since its last call in this process, for -v. remarks: returns messages for the end, from all
    counts and the number of good records. first: makes the object that takes the whole input first, and then makes the
    filter that runs. lines: for a filter that makes several lines of one, makes them from the name of the field of ids
    and a line; `function` then returns their places in the payload.
    """

    consumes: str
    produces: str
    recipe: str
    function: Callable[[str], Any]
    keep: bool = False
    link: MakeLink = no_link
    format: Format | None = None
    plain: "Filter | None" = None
    reads: tuple[str, ...] = ()
    listed: bool = False
    placed: bool = False
    named: Names | None = None
    lines: LineSplitter | None = None
    made_of: "TextFields | None" = None
    after: str | None = None
    tally: Tally | None = None
    remarks: Remarks | None = None
    advice: Callable[[bytes], str | None] | None = None
    first: MakeFirstPass | None = None

    def derived(self) -> Mapping[str, object]:
        return {
            "read": self.made_of.fields if self.made_of else (self.consumes,),
            "adds": (*((SOURCE, AT) if self.placed else ()), *((NAMED,) if self.named else ())),
        }

    @property
    def texts(self) -> AbstractSet[str]:
        return {*self.read}

    def check_fields(self, id_field: str, /) -> None:
        own = ("via", *self.adds)
        payloads = (*self.read, self.consumes, self.produces)
        for payload in payloads:
            if payload in (id_field, *own) or id_field in own:
                names = ", ".join(map(shown, dict.fromkeys((id_field, *payloads, *own))))
                if self.placed:
                    raise Failed(f"the id, the text, {SOURCE}, {AT} and via need fields of their own, not {names}")
                raise Failed(f"the id, the payload and via need fields of their own, not {names}")

    def single_process_reason(self) -> str:
        return "--in holds records: what says how to read files is for the shell" if self.format is not None else ""

    @property
    def record_by_record(self) -> "Filter":
        return self


class Command(Protocol):
    """The interface of a command's module."""

    __doc__: str | None
    COMMAND_INFO: CommandInfo

    def add_options(self, parser: "argparse.ArgumentParser") -> None: ...

    def build(self, options: "argparse.Namespace") -> Stage:
        """Returns the stage. Raises Failed for options that do not go together."""
