"""A pipeline as the shell has it, in one argument: each command parsed by its own parser, built as it builds itself."""

import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from shingletools import signals, wire
from shingletools.dedup import command as dedup
from shingletools.dedup.choice import Job
from shingletools.filter import Command, Filter, Stage, check_fields
from shingletools.options import make_parser
from shingletools.simgroup.groups import Groups, Stars
from shingletools.simjoin.signatures import SHINGLES, SIMHASH, SKETCH
from shingletools.simjoin.sketches import SketchJoin
from shingletools.wire import Failed

COMMANDS = ("canon", "shingle", "sketch", "simjoin", "simgroup", "dedup")
ELSEWHERE = {  # options that Spark has its own means for: what they would say, and whose that is
    "output": "-o: --out says where to write",
    "rejects": "--rejects: simspark has one for all commands",
    "strict": "--strict: records are worked on in no order, so none is the first bad one",
    "progress": "--progress: Spark shows its own (--conf spark.ui.showConsoleProgress=true)",
    "verbose": "-v: simspark has one for all commands",
    "buffer_size": "-S: Spark divides memory and disk itself",
    "temporary_directory": "-T: Spark has folders of its own (--conf spark.local.dir=DIR)",
}


def is_parquet(path: str) -> bool:
    return path.rstrip("/").endswith(".parquet")


def texts(steps: Sequence["Step"]) -> set[str]:
    """The fields that commands read as text."""
    found = {"via", "a", "b", SHINGLES, SKETCH, SIMHASH, *(step.id_field for step in steps)}
    for step in steps:
        if isinstance(step.stage, Filter):
            found.add(step.stage.consumes)
        elif isinstance(step.stage, Keep):
            found.add(step.stage.text_field)
    return found


class Keep(NamedTuple):
    """What dedup is asked; its groups and what it removes are wherever Spark reads and writes."""

    job: Job
    choice: str
    text_field: str


class Step(NamedTuple):
    """One command of a pipeline."""

    name: str
    id_field: str
    stage: Stage | Keep


def split(text: str) -> Iterator[str]:
    """The commands of a pipeline, cut at bars that are not quoted.

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
    """The steps of a pipeline. Raises Failed for what no shell or no Spark could run."""
    steps = [build(command) for command in split(pipeline)]
    kinds = [0 if isinstance(step.stage, Filter) else COMMANDS.index(step.name) for step in steps]
    for step, kind, before in zip(steps[1:], kinds[1:], kinds, strict=False):
        if before and (before, kind) != (COMMANDS.index("simjoin"), COMMANDS.index("simgroup")):
            raise Failed(f"{step.name} cannot read what {COMMANDS[before]} writes")
    return steps


def build(command: str) -> Step:
    try:
        name, *argv = shlex.split(command) or [""]
    except ValueError as error:
        raise Failed(f"the pipeline: {str(error).lower()}") from None
    if name not in COMMANDS:
        raise Failed(f"the pipeline: {wire.shown(name)} is none of {', '.join(COMMANDS)}")
    module = cast(Command, signals.load(f"shingletools.{name}.command"))
    parser = make_parser(name, module.__doc__ or "", module.add_options)
    try:
        options = parser.parse(argv)
        if options.files != ["-"]:
            raise Failed(f"{wire.printable(options.files[0])}: --in says what to read")
        for option, why in ELSEWHERE.items():
            if getattr(options, option, None) not in (None, False):
                raise Failed(why)
        if options.jobs > 1:
            raise Failed("-j: Spark has workers of its own (--master)")
        if name == "dedup":
            return Step(name, options.id, Keep(dedup.job_of(options), options.keep, options.text))
        stage = module.build(options)
        refuse(stage)
        if isinstance(stage, Filter):
            check_fields(options.id, stage)
    except Failed as error:
        raise Failed(f"{name}: {error}") from None
    return Step(name, options.id, stage)


def refuse(stage: Stage) -> None:
    """Raises Failed for what cannot be done, or not honestly, by many machines at a time."""
    if isinstance(stage, Filter) and (stage.whole or stage.parse is not wire.parse_json):
        raise Failed("--in holds records, not lines or files of text")
    if isinstance(stage, Groups) and isinstance(stage.method, Stars):
        raise Failed("--star: who is taken depends on all documents before, one after the other; run it in the shell")
    if not isinstance(stage, Filter | SketchJoin | Groups):
        raise Failed("this form of its output is made in one process; run it in the shell")
