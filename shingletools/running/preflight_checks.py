"""Checks before a run reads: it must be able to end well, and must not destroy what it reads or writes."""

import argparse
import os
from collections.abc import Sequence

from shingletools.reading import compression_detection
from shingletools.reading.formats import format_options
from shingletools.reading.formats.suffixes import SUFFIXES, TEXT, suffix
from shingletools.running.stage_run import StageRun
from shingletools.system import errors, files
from shingletools.system.errors import Failed


def check(run: StageRun, before: str, given: bool, output: str | int | None, closed: set[int]) -> list[str]:
    """Returns the files that a step reads. Raises Failed for a run that would fail later, or destroy its own files.

    before: the name of the step before it, empty for the first step. given: lines replace standard input. output: a
    path, a descriptor, or None if the lines go to the next step.
    """
    options, stage = run.options, run.stage
    inputs = [*options.files, *(name for side in stage.sides for name in side)]
    reads = [*inputs, *stage.reads]
    if "-" in reads and not given and 0 in closed:
        raise Failed("standard input: closed")
    if output == 1 and 1 in closed:
        raise Failed("standard output: closed")
    if reads.count("-") > 1:
        raise Failed("standard input can be read only once: name a FILE")
    if before and "-" not in reads:
        raise Failed(f"does not read the output of {before}: name it as - among the files")
    if given and "-" in inputs and stage.format is not None and stage.format.option:
        raise Failed(f"{stage.format.option} reads files, not lines of another command")
    for name in inputs:  # before an hour is spent on those before it
        if name != "-":
            with files.named(name):
                os.stat(name)
    if (folder := next(filter(os.path.isdir, options.files), None)) and not vars(options).get("recursive"):
        where = "canon " * ("recursive" not in options)
        raise Failed(f"{errors.printable(folder)}: is a folder; {where}--recursive reads the files in it")
    stage.check_fields(options.id)
    check_files(run, inputs, None if given else 0, output)
    return inputs


def check_suffixes(run: StageRun, output: str | int | None) -> None:
    """Raises Failed if the suffix of an output is that of another format than the input's, in which the step writes."""
    for path in (output, run.stage.removed):
        check_suffix(path, format_options.chosen_name(run.options), run.options)


def check_suffix(path: str | int | None, name: str, options: argparse.Namespace) -> None:
    """Raises Failed if an output in the format `name` has the suffix of another one, and no file of the input has it.

    options: those of dedup, or of `unique`.
    """
    marks = vars(options).get("marks")  # which are JSON lines
    if name == "ris" and isinstance(path, str) and len({suffix(file) == ".bib" for file in options.files}) > 1:
        raise Failed(f"{errors.printable(path)}: the input has BibTeX and other citations, which are not one format")
    if not isinstance(path, str) or (not marks and name != "xlsx" and suffix(path) in map(suffix, options.files)):
        return
    writes = {TEXT, "" if marks else "csv" if name == "xlsx" else name}
    if options.delimiter is not None:
        writes.add("tsv")  # whatever separates its values
    if vars(options).get("annotate") and name in ("whole", "recursive"):
        writes.add("csv")
    its, given = SUFFIXES.get(suffix(path), TEXT), {SUFFIXES.get(suffix(file)) for file in options.files}
    if its not in writes or (its == "ris" and "ris" in given):  # RIS, NBIB and BibTeX are one option
        what = "is CSV" if name == "xlsx" else "has the format of the input"
        raise Failed(f"{errors.printable(path)}: the output {what}, which is not {suffix(path)}")


def check_files(run: StageRun, inputs: Sequence[str], given: int | None, output: str | int | None) -> None:
    """Raises Failed if a file that the run writes is also another file that it reads or writes.

    given: the descriptor that - means, if it means one.
    """
    stage = run.stage
    reads, shaping = (
        [file for name in names if (file := given if name == "-" else name) is not None]
        for names in (inputs, stage.reads)
    )
    to_stream = output is not None and files.same_file(output, 1)
    for file in reads:
        if to_stream and files.same_file(file, 1):
            name = "-" if isinstance(file, int) else errors.printable(file)
            raise Failed(f"{name}: input file is output file (-o may name its own input)")
    for file in shaping:
        if output is not None and files.same_file(file, 1 if to_stream else output):
            name = "standard output" if output == 1 else f"--output {errors.printable(str(output))}"
            raise Failed(f"{name}: this run reads that file already")
    others = [*reads, *shaping, *([] if output is None else [output]), 2]
    for option, path in run.writes:
        if path == "-":
            raise Failed(f"{option} -: needs the name of a file (standard output carries records only)")
        if option == "--rejects" and compression_detection.is_packed(path):
            raise Failed(f"{option} {errors.printable(path)}: bad records are kept as they came, as plain lines")
        if any(files.same_file(path, other) for other in others):
            raise Failed(f"{option} {errors.printable(path)}: this run reads or writes that file already")
        others.append(path)


def check_apart(run: StageRun, others: Sequence[StageRun]) -> None:
    """Raises Failed if the step writes a file that another step reads or writes at the same time."""
    for option, path in run.writes:
        for other in others:
            stage = other.stage
            read = [*other.options.files, *(name for side in stage.sides for name in side), *stage.reads]
            paths = [*read, *(path for _, path in other.writes)]
            if any(files.same_file(path, name) for name in paths if name != "-"):
                raise Failed(f"{option} {errors.printable(path)}: {other.name} reads or writes that file, too")
