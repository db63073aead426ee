"""The options for formats of the input, and the format that they choose."""

import argparse
import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from shingletools.cli.argument_types import add_repeatable
from shingletools.reading.formats.suffixes import READ_ONLY
from shingletools.record.document_format import Format
from shingletools.system.errors import Failed, shown

Values = dict[str, Any]
OWN_IDS = ("lines", "whole", "recursive", "warc")  # formats that make an id for each document
HTML_FORMATS = ("recursive", "warc")  # formats whose documents may be HTML
# Options for some formats only
NEEDS = {
    "include": ("recursive",),
    "exclude": ("recursive",),
    "delimiter": ("csv",),
    "sheet": ("xlsx",),
    "no_header": ("csv", "tsv"),
}


def add_options(parser: argparse.ArgumentParser, title: str, listed: bool = True) -> None:
    """Adds the options, under a title. listed: with --files0-from, which names the files of the command line."""
    group = parser.add_argument_group(title).add_mutually_exclusive_group()
    for name, choice in FORMATS.items():
        group.add_argument(f"--{name}", action="store_true", help=choice.help)
    more = parser.add_argument_group("more about what is read")
    add = more.add_argument
    add_repeatable(
        more,
        "--include",
        "GLOB",
        "with --recursive, take the files whose names match, whatever their suffix",
    )
    add_repeatable(more, "--exclude", "GLOB", "with --recursive, leave out files and folders whose names match")
    add("--delimiter", metavar="CHAR", help="with --csv, the character between values (default a comma)")
    add(
        "--no-header",
        action="store_true",
        help="with --csv or --tsv, the first row is a document; columns are 1, 2, ...",
    )
    add("--sheet", metavar="NAME", help="with --xlsx, the sheet to read (default the first)")
    add("--encoding", metavar="NAME", help="the encoding of text that is not UTF-8, such as latin-1; or guess")
    add("--number", action="store_true", help="give a record without an id its number")
    if listed:
        add("--files0-from", metavar="FILE", help="read the files named in FILE; each name ends with a zero byte")


def chosen_format(options: argparse.Namespace, fields: Sequence[str]) -> Format | None:
    """Returns the format that the options choose, None for JSON lines. Raises Failed for conflicting options.

    fields: those to read besides the id. The files that --files0-from names become those of the command line.
    """
    for name in OWN_IDS:
        if options.number and getattr(options, name):
            raise Failed(f"--number cannot be combined with --{name}, which gives ids of its own")
    for name, formats in NEEDS.items():
        if getattr(options, name) not in (None, False, []) and not any(getattr(options, each) for each in formats):
            raise Failed(f"--{name.replace('_', '-')} needs {' or '.join(f'--{each}' for each in formats)}")
    if vars(options).get("files0_from") is not None:
        from shingletools.reading.option_files import names_in  # late: only for --files0-from

        if options.files != ["-"]:
            raise Failed("--files0-from cannot be combined with names of files")
        options.files = names_in(options.files0_from)
    form: Format | None = None
    if name := chosen_name(options):
        module, _, kind = FORMATS[name].place.partition(".")
        form_class = getattr(importlib.import_module(f"{__package__}.{module}"), kind)
        form = form_class(**FORMATS[name].values(options, fields))
    if options.encoding is None and not options.number:
        return form
    from shingletools.reading.formats.wrapped_format import wrapped  # late: as above

    return wrapped(form, options.id if options.number else "", options.encoding)


def optional_id(options: argparse.Namespace) -> str:
    """Returns the column of ids if tables without it are numbered; "" if --id names it, so that it is needed."""
    return "" if "id" in options.given else str(options.id)


def needed_fields(options: argparse.Namespace, fields: Sequence[str]) -> tuple[str, ...]:
    """Returns the columns without which a table cannot be read."""
    return (*(() if options.number or optional_id(options) else (options.id,)), *fields)


def of_documents(options: argparse.Namespace, _: Sequence[str]) -> Values:
    return {"id_field": options.id, "text_field": options.text}


def of_files(options: argparse.Namespace, fields: Sequence[str]) -> Values:
    names = {"zero": bool(vars(options).get("null")), "times": bool(vars(options).get("with_times"))}
    return of_documents(options, fields) | names


def of_folders(options: argparse.Namespace, fields: Sequence[str]) -> Values:
    written = [path for path in map(vars(options).get, ("output", "rejects", "removed")) if path is not None]
    chosen = {"written": written, "include": tuple(options.include), "exclude": tuple(options.exclude)}
    return of_files(options, fields) | chosen


def of_rows(options: argparse.Namespace, fields: Sequence[str]) -> Values:
    from shingletools.reading.formats.table_rows import TAB, Dialect  # late: only for tables

    needed = needed_fields(options, fields)
    if options.no_header and not all(name.isdecimal() for name in needed):
        raise Failed("--no-header: --id and --text must be numbers of columns, from 1")
    between = TAB if options.tsv else delimiter(options)
    columns = not options.no_header, needed, optional_id(options), not options.xlsx
    return {"dialect": Dialect(between, not options.tsv, *columns)} | ({"sheet": options.sheet} if options.xlsx else {})


def of_columns(options: argparse.Namespace, fields: Sequence[str]) -> Values:
    needed, every = needed_fields(options, fields), not rewrites(options)
    return {"texts": (options.id, *fields), "needed": needed, "every": every, "numbered": optional_id(options)}


def of_citations(options: argparse.Namespace, _: Sequence[str]) -> Values:
    if options.xml and rewrites(options):
        raise Failed(READ_ONLY)
    return {"numbered": optional_id(options)}


class FormatChoice(NamedTuple):
    """A format that an option chooses."""

    help: str
    place: str  # the module in `formats/`, which is loaded if the format is chosen, and the class there
    # The values of its attributes, of the options and of the fields to read besides the id. Raises Failed
    values: Callable[[argparse.Namespace, Sequence[str]], Values]


FORMATS = {
    "lines": FormatChoice("each line is a document; its number is the id", "line_documents.Texts", of_documents),
    "whole": FormatChoice("each FILE is a document; its name is the id", "whole_files.WholeFiles", of_files),
    "recursive": FormatChoice(
        "the text and HTML files in each folder FILE are documents; their paths are the ids",
        "folders.Folders",
        of_folders,
    ),
    "csv": FormatChoice(
        "each row of CSV is a document; the first row names the columns", "separated_values.Separated", of_rows
    ),
    "tsv": FormatChoice("each row of TSV is a document; tabs separate values", "separated_values.Separated", of_rows),
    "array": FormatChoice("each element of a JSON array is a record", "json_array.Array", lambda _, __: {}),
    "ris": FormatChoice(
        "each citation of RIS, NBIB, EndNote, Web of Science or BibTeX is a document",
        "citations.Citations",
        of_citations,
    ),
    "csl": FormatChoice("each item of CSL-JSON is a document", "citation_items.CslItems", of_citations),
    "xml": FormatChoice(
        "each record of XML of PubMed or EndNote is a document; it is only read",
        "citation_items.XmlRecords",
        of_citations,
    ),
    "parquet": FormatChoice("each row of Parquet is a record", "parquet.Parquet", of_columns),
    "arrow": FormatChoice("each row of Arrow or Feather is a record", "arrow_files.ArrowFiles", of_columns),
    "xlsx": FormatChoice(
        "each row of a sheet of XLSX is a document; the first names the columns; CSV is written",
        "workbooks.Workbooks",
        of_rows,
    ),
    "warc": FormatChoice("each page of HTML in WARC is a document; its address is the id", "warc.Warc", of_documents),
}


def rewrites(options: argparse.Namespace) -> bool:
    """Returns whether the command writes the files again; then its records need only the fields that it reads."""
    return "removed" in vars(options)


def delimiter(options: argparse.Namespace) -> str:
    """Returns the character between values. Raises Failed if it cannot separate values."""
    given: str = "," if options.delimiter is None else options.delimiter
    if len(given) != 1 or given in '"\r\n\0' or not given.isascii():
        raise Failed(f"--delimiter: not one ASCII character that can separate values: {shown(given)}")
    return given


def json_lines(options: argparse.Namespace) -> Sequence[str]:
    """Returns the files of the command line if they are JSON lines, else none."""
    others = options.files0_from is not None or options.encoding is not None or chosen_name(options)
    return () if others else tuple(options.files)


def chosen_name(options: argparse.Namespace) -> str:
    """Returns the name of the format that the options choose, "" for JSON lines."""
    return next((name for name in FORMATS if getattr(options, name)), "")


def html_option(options: argparse.Namespace) -> str:
    """Returns the option that is given and whose format has HTML, "" if none is."""
    return next((f"--{name}" for name in HTML_FORMATS if getattr(options, name)), "")
