"""What is checked before a run reads: that it could end well, and destroys nothing that it reads or writes."""

import argparse
import os
from collections.abc import Sequence

from shingletools.reading import compressed
from shingletools.record.stage import Stage
from shingletools.system import errors, files, messages
from shingletools.system.errors import Failed


def check(stage: Stage, options: argparse.Namespace, closed: set[int]) -> list[str]:
    """The files to be read. Raises Failed for a run that would fail later, or destroy what it reads or writes."""
    inputs = [*options.files, *(name for side in stage.sides for name in side)]
    if "-" in (*inputs, *stage.reads):
        files.check_open(0, closed)
    if options.output is None:
        files.check_open(1, closed)
    if [*inputs, *stage.reads].count("-") > 1:
        raise Failed("standard input can be read only once")
    files.check_readable(inputs)
    stage.check_fields(options.id)
    check_files(stage, options, inputs)
    return inputs


def check_files(stage: Stage, options: argparse.Namespace, inputs: Sequence[str]) -> None:
    """Raises Failed if what the run writes is also something else that it reads or writes."""
    reads = [0 if name == "-" else name for name in inputs]
    to_stream = options.output is None or files.same_file(options.output, 1)
    for name, file in zip(inputs, reads, strict=True):
        if to_stream and files.same_file(file, 1):
            raise Failed(f"{errors.printable(name)}: input file is output file (-o may name its own input)")
    shaping = [0 if name == "-" else name for name in stage.reads]
    for file in shaping:
        if files.same_file(file, 1 if to_stream else options.output):
            name = "standard output" if options.output is None else f"--output {errors.printable(options.output)}"
            raise Failed(f"{name}: this run reads that file already")
    others = [*reads, *shaping, 1 if options.output is None else options.output, 2]
    for option, path in (*([stage.second] if stage.second else []), ("--rejects", options.rejects)):
        if path is not None:
            if path == "-":
                raise Failed(f"{option} -: needs the name of a file (standard output carries records only)")
            if option == "--rejects" and compressed.is_packed(path):
                raise Failed(f"{option} {errors.printable(path)}: bad records are kept as they came, as plain lines")
            if any(files.same_file(path, other) for other in others):
                raise Failed(f"{option} {errors.printable(path)}: this run reads or writes that file already")
            others.append(path)


def tell_of_waiting(name: str, inputs: Sequence[str]) -> None:
    """Tells a user who named no file why the command waits."""
    if "-" in inputs and os.isatty(0):
        messages.say(f"{name}: reads standard input, which is the terminal; Ctrl-D ends it (see {name} --help)")
