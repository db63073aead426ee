"""A pipeline: its commands as they are typed, and the steps that their own parsers make of them."""

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from shingletools.cli.options import make_parser
from shingletools.reading.streams import first_line
from shingletools.record.command_registry import STAGES, command_of
from shingletools.record.field_names import DEFAULT_NAMES, Names, all_names, names_on_line
from shingletools.record.stage import Command, Stage
from shingletools.record.wire import field_after
from shingletools.system import errors
from shingletools.system.errors import Failed

GetNames = Callable[[], Names]

# Options whose files are read before the first step runs
TABLE_OPTIONS = ("df_table", "weights", "lexicon", "files0_from")
SHELL_OPERATORS = ("<", ">", ">>", "2>", "&", "&&", ";")  # words that only a shell understands


class StepFailed(Failed):
    """A failure whose text says already what failed, so that nobody adds the name of a step that only met it."""


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


class Step(NamedTuple):
    """One command of a pipeline."""

    name: str
    options: argparse.Namespace
    stage: Stage
    names: Names = DEFAULT_NAMES  # of the fields of the records that it writes, as they carry them

    @property
    def id_field(self) -> str:
        return str(self.options.id)


class SharedOptions(NamedTuple):
    """The options of a run that hold for all of its steps."""

    files: Sequence[str] = ()  # for the first step
    jobs: int = 1
    size: int | None = None  # for the steps that take -S and have none
    folder: str | None = None  # -T, for these steps
    verbose: bool = False
    given: bool = False  # whether given lines replace standard input
    strict: bool = False
    names: Names = DEFAULT_NAMES  # that records on standard input carry
    id: str | None = None  # the names of fields in all steps
    text: Sequence[str] = ()


NO_SHARED_OPTIONS = SharedOptions()


def options_of(line: CommandLine) -> argparse.Namespace:
    """Returns the options of a command. Raises Failed or Printed."""
    command: Command = command_of(line.name)
    parser = make_parser(line.name, command.__doc__ or "", command.add_options, command.COMMAND_INFO.example)
    return parser.parse(line.words)


def step_of(
    name: str,
    options: argparse.Namespace,
    given: GetNames = lambda: DEFAULT_NAMES,
    shared: SharedOptions = NO_SHARED_OPTIONS,
) -> Step:
    """Returns the step of a command with these options. Raises Failed.

    It may read tables, and the first line of its input, whose names of fields hold unless options say others. given:
    returns the names that records on standard input carry.
    """
    command: Command = command_of(name)
    options.carried = carried = names_in(command.COMMAND_INFO.documents(options), given)
    if "id" not in options.given:
        options.id = carried.id if shared.id is None else shared.id
        options.given |= {"id"} if shared.id is not None else set()
    if "text" in options and "text" not in options.given:
        text = shared.text or (carried.text,)
        options.text = text if isinstance(options.text, tuple) else field_after(text)
    options.names_of = partial(names_of_side, options, shared, given)
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


def names_of_side(options: argparse.Namespace, shared: SharedOptions, given: GetNames, files: Sequence[str]) -> Names:
    """Returns the names in other files than those of the input: those that are set for all, or that records carry."""
    own, set_for_all = names_in(files, given, options.carried), all_names(options)
    return Names(
        set_for_all.id if "id" in options.given else own.id,
        set_for_all.text if shared.text or "text" in options.given else own.text,
    )


def steps_of(
    lines: Sequence[CommandLine], shared: SharedOptions = NO_SHARED_OPTIONS, given: GetNames | None = None
) -> tuple[Step, ...]:
    """Returns the steps of a pipeline. Raises Failed or Printed.

    It may read tables. given: returns the names that records on standard input carry, if these are not known.

    >>> [step.name for step in steps_of(command_lines("canon | shingle -k 10 | simjoin -t 0.8"))]
    ['canon', 'shingle', 'simjoin']
    """
    steps: list[Step] = []
    for place, (name, typed) in enumerate(lines):
        files = [] if place or not shared.files else [*([] if "--" in typed else ["--"]), *shared.files]
        names = steps[-1].names if steps else shared.names
        carried = given if given is not None and not steps else partial(Names, *names)
        try:
            options = options_of(CommandLine(name, [*typed, *files]))
            apply_shared_options(shared, place, place == len(lines) - 1, options)
            own = argparse.Namespace(**vars(options))
            step = step_of(name, own, carried, shared)
            # Only a stage knows whether -S has a meaning for it
            takes = step.stage.record_by_record is None or step.stage.first is not None
            if shared.size is not None and takes and vars(options).get("buffer_size", 0) is None:
                options.buffer_size, options.temporary_directory = shared.size, shared.folder
                step = step_of(name, options, carried, shared)
            steps.append(step)
        except Failed as error:
            raise StepFailed(f"{name}: {error}") from None
    return tuple(steps)


def apply_shared_options(shared: SharedOptions, place: int, last: bool, options: argparse.Namespace) -> None:
    """Sets the options that hold for all steps. Raises Failed for options that make no sense in one process."""
    if wrong := next((name for name in options.files if name in SHELL_OPERATORS), None):
        raise Failed(f"{wrong}: this is not a shell; name files for the output by -o, and for the input as FILE")
    if not place and shared.files and options.files != list(shared.files):
        raise Failed(f"{errors.printable(options.files[0])}: name files in the pipeline or after it, not both")
    if options.output is not None and not last:
        raise Failed("-o: the next command would get nothing")
    if options.progress:
        raise Failed("--progress: run has one for all commands")
    for name in TABLE_OPTIONS if place or shared.given else ():
        if getattr(options, name, None) == "-":
            raise Failed(f"--{name.replace('_', '-')} -: is read before the pipeline runs, so name a file")
    options.jobs = max(options.jobs, shared.jobs)
    options.verbose |= shared.verbose
    options.strict |= shared.strict


def command_lines(text: str, names: Sequence[str] = STAGES) -> list[CommandLine]:
    """Returns the commands of a pipeline as it is typed in a shell. Raises Failed unless each is one of `names`.

    >>> command_lines("canon --delete '[|]' | shingle")
    [CommandLine(name='canon', words=['--delete', '[|]']), CommandLine(name='shingle', words=[])]
    """
    lines = list[CommandLine]()
    for part in split(text):
        try:
            name, *words = shlex.split(part) or [""]
        except ValueError as error:
            raise Failed(f"the pipeline: {str(error).lower()}") from None
        if name not in names:
            raise Failed(f"the pipeline: {errors.shown(name)} is none of {', '.join(names)}")
        lines.append(CommandLine(name, words))
    return lines


def as_text(lines: Sequence[CommandLine]) -> str:
    """Returns the pipeline of these commands for a shell."""
    return " | ".join(map(CommandLine.as_text, lines))


def split(text: str) -> Iterator[str]:
    """Yields the commands of a pipeline: the text is cut at bars that are not quoted.

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
