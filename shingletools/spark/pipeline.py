"""Parses a pipeline in one argument, as the shell would: each command has its own parser and its own build."""

import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, cast

from shingletools.cli.options import make_parser
from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record import wire
from shingletools.record.stage import Command, Stage
from shingletools.system import errors, signals
from shingletools.system.errors import Failed

COMMANDS = ("canon", "shingle", "sketch", "simjoin", "simgroup", "dedup", "parts")
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
    return path.rstrip("/").endswith(".parquet")


def texts(steps: Sequence["Step"]) -> set[str]:
    """The fields that the commands read as text."""
    own = {name for step in steps for name in (step.id_field, *step.stage.texts)}
    return {"via", "a", "b", *(kind.field for kind in SIGNATURES), *own}


class Step(NamedTuple):
    """One command of a pipeline."""

    name: str
    id_field: str
    stage: Stage


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


def parse(pipeline: str) -> list[Step]:
    """The steps of a pipeline. Raises Failed if the shell or Spark could not run it."""
    steps = [build(command) for command in split(pipeline)]
    kinds = [0 if step.stage.record_by_record else COMMANDS.index(step.name) for step in steps]
    for step, kind, before in zip(steps[1:], kinds[1:], kinds, strict=False):
        if before and (before, kind) != (COMMANDS.index("simjoin"), COMMANDS.index("simgroup")):
            raise Failed(f"{step.name} cannot read what {COMMANDS[before]} writes")
    for step, then in pairwise(steps):
        if isinstance(step.stage, JoinSpec) and (step.stage.against or step.stage.archives) and then.name == "simgroup":
            raise Failed(f"simgroup: {wire.TWO_SIDES}")
    return steps


def build(command: str) -> Step:
    try:
        name, *argv = shlex.split(command) or [""]
    except ValueError as error:
        raise Failed(f"the pipeline: {str(error).lower()}") from None
    if name not in COMMANDS:
        raise Failed(f"the pipeline: {errors.shown(name)} is none of {', '.join(COMMANDS)}")
    module = cast(Command, signals.load(f"shingletools.commands.{name}.command"))
    parser = make_parser(name, module.__doc__ or "", module.add_options)
    try:
        options = parser.parse(argv)
        if options.files != ["-"]:
            raise Failed(f"{errors.printable(options.files[0])}: --in says what to read")
        for option, why in ELSEWHERE.items():
            if getattr(options, option, None) not in (None, False):
                raise Failed(why)
        if options.jobs > 1:
            raise Failed("-j: Spark has workers of its own (--master)")
        stage = module.build(options)
        if why := stage.alone():
            raise Failed(why)
        stage.check_fields(options.id)
    except Failed as error:
        raise Failed(f"{name}: {error}") from None
    return Step(name, options.id, stage)
