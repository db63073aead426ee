"""A step of a pipeline: a command, parsed by its own parser. Other modules run it."""

import argparse
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from shingletools.cli.options import make_parser
from shingletools.reading.streams import first_line
from shingletools.record.command_registry import command_of
from shingletools.record.field_names import DEFAULT_NAMES, Names, all_names, names_on_line
from shingletools.record.stage import Command, Stage
from shingletools.record.wire import field_after

GetNames = Callable[[], Names]


class CommandLine(NamedTuple):
    """A command and its arguments, as they are typed."""

    name: str
    words: Sequence[str] = ()

    def as_text(self) -> str:
        """Returns the line for a shell.

        >>> CommandLine("canon", ["my docs"]).as_text()
        "canon 'my docs'"
        """
        return shlex.join([self.name, *self.words])


class Step:
    """One command of a pipeline. It is never changed."""

    def __init__(self, name: str, options: argparse.Namespace, stage: Stage, names: Names = DEFAULT_NAMES) -> None:
        """names: of the fields of the records that it writes, as they carry them."""
        self.name = name
        self.options = options
        self.stage = stage
        self.id_field: str = options.id
        self.names = names


class NameOptions(NamedTuple):
    """The field names that a run sets for all of its commands."""

    id: str | None = None
    text: Sequence[str] = ()


NO_NAME_OPTIONS = NameOptions()


def options_of(line: CommandLine) -> argparse.Namespace:
    """Returns the options of a command. Raises Failed or Printed."""
    command: Command = command_of(line.name)
    parser = make_parser(line.name, command.__doc__ or "", command.add_options, command.COMMAND_INFO.example)
    return parser.parse(line.words)


def step_of(
    name: str,
    options: argparse.Namespace,
    given: GetNames = lambda: DEFAULT_NAMES,
    name_options: NameOptions = NO_NAME_OPTIONS,
) -> Step:
    """Returns the step of a command with these options. Raises Failed.

    It may read tables, and the first line of its input. given: returns the names that records on standard input carry.
    """
    command: Command = command_of(name)
    options.carried = carried = names_in(command.COMMAND_INFO.documents(options), given)
    name_fields(options, name_options, carried)
    options.names_of = partial(names_of_side, options, name_options, given)
    stage = command.build(options)
    del options.names_of  # which cannot be sent to another process
    filter_stage = stage.record_by_record
    # A collector that makes another kind of records does not
    passes = filter_stage is not None or not command.COMMAND_INFO.makes
    named = None if filter_stage is None else filter_stage.named
    return Step(name, options, stage, named or (carried if passes else DEFAULT_NAMES))


def names_in(files: Sequence[str], given: GetNames, otherwise: Names = DEFAULT_NAMES) -> Names:
    """Returns the names that the first record carries, in the first file that has a record and can be read twice."""
    for file in files:
        if file == "-":
            return given()
        if line := first_line(file):
            return names_on_line(line)
    return otherwise


def names_of_side(
    options: argparse.Namespace, name_options: NameOptions, given: GetNames, files: Sequence[str]
) -> Names:
    """Returns the names in other files than those of the input: those that are set for all, or that records carry."""
    own, set_for_all = names_in(files, given, options.carried), all_names(options)
    return Names(
        set_for_all.id if "id" in options.given else own.id,
        set_for_all.text if name_options.text or "text" in options.given else own.text,
    )


def name_fields(options: argparse.Namespace, name_options: NameOptions, carried: Names) -> None:
    """Sets field names that the command's options do not set: to those of the run, or those that the records carry."""
    if "id" not in options.given:
        options.id = carried.id if name_options.id is None else name_options.id
        options.given |= {"id"} if name_options.id is not None else set()
    if "text" in options and "text" not in options.given:
        text = name_options.text or (carried.text,)
        options.text = text if isinstance(options.text, tuple) else field_after(text)
