"""Parses a pipeline, as it is typed in a shell, into steps that run in one process."""

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from shingletools.record.command_registry import STAGES
from shingletools.record.field_names import DEFAULT_NAMES, Names
from shingletools.running.stage_run import StepFailed
from shingletools.running.steps import NO_NAME_OPTIONS, GetNames, NameOptions, Step, step_of
from shingletools.system import errors
from shingletools.system.errors import Failed

# Options whose files are read before the first step runs
TABLE_OPTIONS = ("df_table", "weights", "lexicon", "files0_from")
SHELL_OPERATORS = ("<", ">", ">>", "2>", "&", "&&", ";")  # words that only a shell understands


class SharedOptions(NamedTuple):
    """The options of a run that hold for all of its steps."""

    files: Sequence[str] = ()  # for the first step
    jobs: int = 1
    size: str | None = None  # for the steps that take -S and have none
    folder: str | None = None  # -T, for these steps
    verbose: bool = False
    given: bool = False  # whether given lines replace standard input
    strict: bool = False
    names: Names = DEFAULT_NAMES  # that records on standard input carry
    name_options: NameOptions = NO_NAME_OPTIONS


NO_SHARED_OPTIONS = SharedOptions()


def steps_of(text: str, shared: SharedOptions = NO_SHARED_OPTIONS, given: GetNames | None = None) -> tuple[Step, ...]:
    """Returns the steps of a pipeline as it is typed in a shell. Raises Failed or Printed.

    It may read tables. given: returns the names that records on standard input carry, if these are not known.

    >>> [step.name for step in steps_of("canon | shingle -k 10 | simjoin -t 0.8")]
    ['canon', 'shingle', 'simjoin']
    """
    commands = [words_of(command, STAGES) for command in split(text)]
    steps: list[Step] = []
    for place, (name, argv) in enumerate(commands):
        words = argv
        if shared.files and not place:
            words = [*argv, *([] if "--" in argv else ["--"]), *shared.files]
        look = partial(apply_shared_options, shared, place, place == len(commands) - 1)
        names = steps[-1].names if steps else shared.names
        carried = given if given is not None and not steps else partial(Names, *names)
        make = partial(step_of, name, look=look, given=carried, name_options=shared.name_options)
        try:
            steps.append(with_memory(make(words), words, shared, make))
        except Failed as error:
            raise StepFailed(f"{name}: {error}") from None
    if shared.size is not None and not any(getattr(step.options, "buffer_size", None) for step in steps):
        raise Failed("-S: none of these commands takes it here")
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


def with_memory(step: Step, words: Sequence[str], shared: SharedOptions, make: Callable[[Sequence[str]], Step]) -> Step:
    """Returns the step; if it takes -S and has none, makes it again with the run's amount of memory. Raises Failed."""
    takes, options = step.stage.record_by_record is None or step.stage.first is not None, vars(step.options)
    if shared.size is None or not takes or options.get("buffer_size", 0) is not None:
        return step
    folder = [] if shared.folder is None or "temporary_directory" not in options else ["-T", shared.folder]
    return make([f"-S{shared.size}", *folder, *words])


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


def words_of(command: str, names: Sequence[str]) -> tuple[str, list[str]]:
    """Returns the name of a command in a pipeline, and its arguments. Raises Failed unless it is one of `names`."""
    try:
        name, *argv = shlex.split(command) or [""]
    except ValueError as error:
        raise Failed(f"the pipeline: {str(error).lower()}") from None
    if name not in names:
        raise Failed(f"the pipeline: {errors.shown(name)} is none of {', '.join(names)}")
    return name, argv
