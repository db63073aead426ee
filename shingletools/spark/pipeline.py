"""Parses a pipeline, and refuses what Spark cannot do."""

import argparse
from collections.abc import Callable, Sequence
from itertools import pairwise

from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record import wire
from shingletools.record.command_registry import spark_commands
from shingletools.record.field_names import DEFAULT_NAMES, Names
from shingletools.running.steps import CommandLine, Step, command_lines, options_of, step_of
from shingletools.system import errors
from shingletools.system.errors import Failed

ELSEWHERE = {  # options that do not apply on Spark, and why
    "output": "-o: --out says where to write",
    "rejects": "--rejects: simspark has one for all commands",
    "allow_rejects": "--allow-rejects: simspark has one for all commands",
    "all_messages": "--all-messages: simspark shows some bad records of each command",
    "strict": "--strict: records are worked on in no order, so none is the first bad one",
    "files0_from": "--files0-from: --in says what to read",
    "progress": "--progress: Spark shows its own (--conf spark.ui.showConsoleProgress=true)",
    "verbose": "-v: simspark has one for all commands",
    "buffer_size": "-S: Spark divides memory and disk itself",
    "temporary_directory": "-T: Spark has folders of its own (--conf spark.local.dir=DIR)",
}


def is_parquet(path: str) -> bool:
    """Returns whether a path is that of Parquet: by its ending."""
    return path.rstrip("/").endswith(".parquet")


def texts(steps: Sequence[Step]) -> set[str]:
    """Returns the fields that the commands read as text."""
    own = {name for step in steps for name in (step.id_field, *step.stage.texts)}
    return {"via", "a", "b", *(kind.field for kind in SIGNATURES), *own}


def parse(pipeline: str) -> list[Step]:
    """Returns the steps of a pipeline. Raises Failed if the shell or Spark could not run it."""
    steps: list[Step] = []
    for line in command_lines(pipeline, [*spark_commands()]):
        steps.append(build(line, steps[-1].names if steps else DEFAULT_NAMES))
    for step, then in pairwise(steps):
        if not step.stage.record_by_record and (step.name, then.name) != ("simjoin", "simgroup"):
            raise Failed(f"{then.name} cannot read what {step.name} writes")
        if isinstance(step.stage, JoinSpec) and (step.stage.against or step.stage.archives) and then.name == "simgroup":
            raise Failed(f"simgroup: {wire.TWO_SIDES}")
    return steps


def check_outputs(options: argparse.Namespace, steps: Sequence[Step], exists: Callable[[str], bool]) -> None:
    """Raises Failed if an output exists, as `exists` says of a path, or if two have one path."""
    if options.rejects is not None and is_parquet(options.rejects):
        path = errors.printable(options.rejects)
        raise Failed(f"--rejects {path}: bad records are kept as they came, not as Parquet")
    removed = [step.stage.removed for step in steps]
    paths = [path.rstrip("/") for path in (options.out, options.rejects, *removed) if path is not None]
    for number, path in enumerate(paths):
        if exists(path) or path in paths[:number]:
            raise Failed(f"{errors.printable(path)}: exists already")


def build(line: CommandLine, names: Names = DEFAULT_NAMES) -> Step:
    """Returns the step that a command is. names: the fields that the step before gives. Raises Failed."""
    try:
        options = options_of(line)
        check_options(options)
        step = step_of(line.name, options, lambda: names)
        if why := step.stage.single_process_reason():
            raise Failed(why)
        step.stage.check_fields(step.id_field)
    except Failed as error:
        raise Failed(f"{line.name}: {error}") from None
    return step


def check_options(options: argparse.Namespace) -> None:
    """Raises Failed for what does not apply on Spark."""
    if options.files != ["-"]:
        raise Failed(f"{errors.printable(options.files[0])}: --in says what to read")
    for option, why in ELSEWHERE.items():
        if getattr(options, option, None) not in (None, False):
            raise Failed(why)
    if options.jobs > 1:
        raise Failed("-j: Spark has workers of its own (--master)")
