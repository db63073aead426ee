"""A step of a pipeline: a command, parsed by its own parser. How it is run is for others to say."""

import argparse
from collections.abc import Callable, Sequence

from shingletools.cli.options import make_parser
from shingletools.record.faces import command_of
from shingletools.record.stage import Command, Stage


class Step:
    """One command of a pipeline. It is not changed."""

    def __init__(self, name: str, options: argparse.Namespace, stage: Stage) -> None:
        self.name = name
        self.options = options
        self.stage = stage
        self.id_field: str = options.id


Look = Callable[[argparse.Namespace], None]  # at a command's options, before its stage is built; raises Failed


def step_of(name: str, argv: Sequence[str], look: Look = lambda _: None) -> Step:
    """A command with these arguments; this may read tables. Raises Failed or Printed."""
    command: Command = command_of(name)
    options = make_parser(name, command.__doc__ or "", command.add_options, command.FACE.example).parse(argv)
    look(options)
    return Step(name, options, command.build(options))
