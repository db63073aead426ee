"""A pipeline as a value: its steps, parsed once by the own parsers of commands. How it is run is for others to say."""

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, cast

from shingletools.cli.options import make_parser
from shingletools.record.stage import Command, Stage
from shingletools.system import errors, signals
from shingletools.system.errors import Failed


class Step(NamedTuple):
    """One command of a pipeline."""

    name: str
    options: argparse.Namespace
    stage: Stage

    @property
    def id_field(self) -> str:
        field: str = self.options.id
        return field


Look = Callable[[argparse.Namespace], None]  # at a command's options, before its stage is built; raises Failed


def step_of(name: str, argv: Sequence[str], look: Look = lambda _: None) -> Step:
    """A command with these arguments; this may read tables. Raises Failed or Printed."""
    command = cast(Command, signals.load(f"shingletools.commands.{name}.command"))
    options = make_parser(name, command.__doc__ or "", command.add_options).parse(argv)
    look(options)
    return Step(name, options, command.build(options))


def split(text: str) -> Iterator[str]:
    """The commands of a pipeline: the text is cut at bars that are not quoted.

    >>> list(split("canon --delete '[|]' | shingle"))
    ["canon --delete '[|]' ", ' shingle']
    """
    start, quote, place = 0, "", 0
    while place < len(text):
        letter = text[place]
        if letter == "\\" and quote != "'":
            place += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "|":
            yield text[start:place]
            start = place + 1
        place += 1
    yield text[start:]


def words_of(command: str, names: Sequence[str]) -> tuple[str, list[str]]:
    """The name of a command of a pipeline, one of these, and its arguments. Raises Failed."""
    try:
        name, *argv = shlex.split(command) or [""]
    except ValueError as error:
        raise Failed(f"the pipeline: {str(error).lower()}") from None
    if name not in names:
        raise Failed(f"the pipeline: {errors.shown(name)} is none of {', '.join(names)}")
    return name, argv
