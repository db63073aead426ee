"""The commands by name, and the COMMAND_INFO that the command.py of each declares.

To get the COMMAND_INFO of a command loads its module. So a plain run, which needs no other command, gets none.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

# In the order of a pipeline; then the commands outside pipelines
STAGES = tuple(
    "parts canon shingle sketch simjoin simgroup simcheck dedup repeats simshow simscore simtune simindex".split()
)
COMMANDS = (*STAGES, "simspark")
PAIRS, GROUPS, COUNTS, FIGURES = "pairs", "groups", "document frequencies", "figures"  # kinds; others are commands


class Product(NamedTuple):
    """A kind of records that a command writes."""

    name: str
    then: str  # what to do with them next, for hints
    fields: tuple[str, ...] = ()  # that identify them; if there are none, their recipe does


class CommandInfo(NamedTuple):
    """What others need to know about a command."""

    example: tuple[str, ...]  # lines for the shell in a copy of tests/data, at the end of its --help
    makes: tuple[Product, ...] = ()
    takes: tuple[str, ...] = ()  # kinds of records, perhaps with other field names
    after: str = ""  # the commands that documents need before it
    text: bool = False  # whether it has the option --text
    spark: bool = False  # whether simspark runs it
    formats: bool = False  # whether it has canon's options for formats, for files beside the input
    # Returns the files of documents, by the options; their first record may name the fields
    documents: Callable[[Any], Sequence[str]] = attrgetter("files")


def command_of(command: str) -> Any:
    """Returns the module of a command."""
    room = f"commands.{command}" if command in STAGES else "spark"
    return importlib.import_module(f"shingletools.{room}.command")


def info_of(command: str) -> CommandInfo:
    info: CommandInfo = command_of(command).COMMAND_INFO
    return info


@cache
def record_kinds() -> tuple[Product, ...]:
    """Returns all kinds of records that commands make, the last command of a pipeline first.

    The last comes first because a record may keep fields from the commands before it.
    """
    return tuple(made for command in reversed(STAGES) for made in info_of(command).makes)


def spark_commands() -> Iterator[str]:
    """Returns the commands that simspark runs."""
    return (command for command in STAGES if info_of(command).spark)
