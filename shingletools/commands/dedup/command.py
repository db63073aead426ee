"""remove near-duplicates by their pairs, and documents that repeat an archive"""

import argparse
from collections.abc import Sequence
from functools import partial

from shingletools.cli.argument_types import add_repeatable, count, one_name, text, threshold
from shingletools.commands.dedup.spec import (
    DATED,
    FIRST,
    LEAST,
    LONGEST,
    MOST,
    NONE,
    NUMBER,
    OF_FILES,
    SHORTEST,
    STORED,
    TEXT,
    DedupSpec,
)
from shingletools.reading import compression_detection
from shingletools.reading.formats import format_options
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import CommandInfo
from shingletools.record.document_format import Format
from shingletools.record.field_names import names_of
from shingletools.record.stage import Stage
from shingletools.system import errors
from shingletools.system.errors import Failed
from shingletools.system.files import check_regular, named

COMMAND_INFO = CommandInfo(
    example=("canon docs.jsonl | shingle | simjoin -t 0.8 | dedup --pairs - docs.jsonl",),
    takes=("parts", "canon", "shingle", "sketch"),
    text=True,
    spark=True,
    formats=True,
    documents=format_options.json_lines,
)


def kept(argument: str) -> str:
    """Returns the rule that --keep names. Raises ArgumentTypeError."""
    by_value = argument.startswith((LEAST, MOST)) and argument not in (LEAST, MOST)
    if by_value or argument in (FIRST, LONGEST, SHORTEST, *OF_FILES, NONE):
        return text(argument)
    rules = ", ".join([FIRST, LONGEST, SHORTEST, *OF_FILES, NONE])
    raise argparse.ArgumentTypeError(f"not {rules}, {LEAST}FIELD or {MOST}FIELD: {errors.shown(argument)}")


def form(argument: str) -> str:
    """Checks the argument of --as. Raises ArgumentTypeError."""
    if argument in (NUMBER, TEXT) or (argument.startswith(DATED) and "%" in argument):
        return text(argument)
    raise argparse.ArgumentTypeError(f"not {NUMBER}, {TEXT} or {DATED}FORMAT: {errors.shown(argument)}")


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_repeatable(
        parser, "--pairs", "PAIRS", "remove every document that has a pair with one that is kept; pairs from simjoin"
    )
    add("-t", "--threshold", metavar="T", type=threshold, help="ignore pairs of --pairs less similar than T")
    add(
        "--keep",
        metavar="RULE",
        type=kept,
        default=FIRST,
        help="which document is preferred: first, longest, shortest, min:FIELD, max:FIELD; of files, oldest, newest, "
        "shortest-name; or none (default first)",
    )
    add("--text", metavar="NAME", type=one_name, default="text", help="the field whose length counts (default text)")
    add(
        "--as",
        metavar="KIND",
        dest="as_form",
        type=form,
        help="the kind of values that min: and max: compare: number, text, or date:FORMAT such as date:%%d/%%m/%%Y "
        "(default numbers or ISO 8601 dates, whichever all of them are)",
    )
    add_repeatable(parser, "--known", "PAIRS", "remove the document a of each pair in PAIRS, from simjoin --against")
    add_repeatable(parser, "--without", "FILE", "remove the documents whose ids are in FILE, from repeats --removed")
    groups = parser.add_argument_group("which groups")
    add = groups.add_argument
    add_repeatable(groups, "--groups", "FILE", "instead of --pairs: keep one document of each group in FILE")
    add("--larger-than", metavar="N", type=count, help="keep all documents of groups of at most N different documents")
    add(
        "--of",
        metavar="FIELD",
        type=text,
        default="of",
        help="the field by which --larger-than tells documents apart; parts have of (default of)",
    )
    format_options.add_options(parser, "what is read and written, instead of JSON lines")
    add = parser.add_argument_group("what happens to duplicates").add_argument
    flag = partial(add, action="store_true")
    flag("-0", "--null", help="with --whole or --recursive, end each name with a zero byte, for xargs -0")
    add("--removed", metavar="FILE", help="write the removed documents to FILE")
    add("--into", metavar="FOLDER", help="write each FILE under its name into FOLDER, which appears only when complete")
    flag("--annotate", help='remove nothing, but mark duplicates by the fields "duplicate_of" and "duplicate_by"')
    flag("--marks", help="with --annotate, write only marks: JSON lines with the id and these fields of each duplicate")
    flag("--dry-run", help="write no documents, only the figures of -v")


def build(options: argparse.Namespace) -> Stage:
    if "keep" in options.given and not options.groups and not options.pairs and (options.known or options.without):
        raise Failed("--keep needs --pairs or --groups")
    if "of" in options.given and options.larger_than is None:
        raise Failed("--of needs --larger-than, which counts its values")
    if options.null and not options.whole and not options.recursive:
        raise Failed("-0 ends names of files, and needs --whole or --recursive")
    if options.marks and not options.annotate:
        raise Failed("--marks needs --annotate")
    options.with_times = options.keep in OF_FILES
    if options.with_times and not options.whole and not options.recursive:
        raise Failed(f"--keep {options.keep} is for files, and needs --whole or --recursive")
    if options.null and options.annotate:
        raise Failed("-0 cannot be combined with --annotate, which writes a table")
    if options.into is not None and options.output is not None:
        raise Failed("--into cannot be combined with -o")
    return DedupSpec(
        id_field=options.id,
        pairs=tuple(options.pairs),
        groups=tuple(options.groups),
        known=tuple(options.known),
        keep=options.keep,
        least=options.threshold,
        larger_than=options.larger_than,
        of=options.of,
        text_field=options.text,
        removed=options.removed,
        annotate=options.annotate,
        dry=options.dry_run,
        as_form=options.as_form or "",
        format=chosen(options),
        files=tuple(options.files),
        without=tuple(options.without),
        unwanted=unwanted(options) if options.without else None,
        marks_alone=options.marks,
        unwanted_id=names_of(options, options.without).id,
        into=options.into,
    ).with_maker(collector_of)


def chosen(options: argparse.Namespace) -> Format | None:
    """Returns the format of the documents. Raises Failed for files that cannot be read twice."""
    measured = [options.text] if options.keep in (LONGEST, SHORTEST) else []
    valued = [options.keep.partition(":")[2]] if options.keep.startswith((LEAST, MOST)) else []
    counted = [] if options.larger_than is None else [options.of]
    form = format_options.chosen_format(options, [*measured, *valued, *counted])
    if form is None and options.into is not None:
        from shingletools.reading.formats.line_documents import Records  # late: only for --into

        form = Records()
    if form is not None and not options.recursive:
        check_regular(options.files, f"{form.option or ('--number' if options.number else '--into')} reads")
    for path in filter(None, (options.output, options.removed)):
        if form is not None and form.option in STORED:
            check_stored(path, options.files)
    return form


def unwanted(options: argparse.Namespace) -> Format | None:
    """Returns the format of the files of --without: that of the documents, if these have ids of their own."""
    if options.number or not (options.array or in_table(options)):
        return None
    named = argparse.Namespace(**vars(options) | {"files0_from": None})
    return format_options.chosen_format(named, ())


def in_table(options: argparse.Namespace) -> bool:
    return bool(options.csv or options.tsv or options.parquet or options.arrow or options.xlsx)


def check_stored(path: str, files: Sequence[str]) -> None:
    """Raises Failed for an output whose name says that it is compressed, if files of the input are not."""
    codec = compression_detection.suffixed(path)
    for name in files if codec is not None else ():
        with named(name), open(name, "rb") as file:
            if compression_detection.recognised(file.read(compression_detection.HEAD_BYTES)) != codec:
                raise Failed(f"{errors.printable(path)}: records stay as they are, and {name} is not so compressed")


def collector_of(spec: DedupSpec, context: CollectorContext) -> Collector:
    if spec.format is not None:
        from shingletools.commands.dedup.rewritten_files import FileRewriter  # late: as below

        return FileRewriter(spec, context)
    from shingletools.commands.dedup.dedup_collector import DedupCollector  # late: --help needs no numpy

    return DedupCollector(spec, context)
