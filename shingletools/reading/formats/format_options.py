"""The options for formats of the input, and the format that they choose."""

import argparse
from collections.abc import Sequence
from functools import partial

from shingletools.cli.argument_types import add_repeatable
from shingletools.reading.formats.suffixes import READ_ONLY
from shingletools.record.document_format import Format
from shingletools.system.errors import Failed, shown

OWN_IDS = ("lines", "whole", "recursive", "warc")  # formats that make an id for each document
HTML_FORMATS = ("recursive", "warc")  # formats whose documents may be HTML


def add_options(parser: argparse.ArgumentParser, title: str, listed: bool = True) -> None:
    """Adds the options, under a title. listed: with --files0-from, which names the files of the command line."""
    flag = partial(parser.add_argument_group(title).add_mutually_exclusive_group().add_argument, action="store_true")
    flag("--lines", help="each line is a document; its number is the id")
    flag("--whole", help="each FILE is a document; its name is the id")
    flag("--recursive", help="the text and HTML files in each folder FILE are documents; their paths are the ids")
    flag("--csv", help="each row of CSV is a document; the first row names the columns")
    flag("--tsv", help="each row of TSV is a document; tabs separate values")
    flag("--array", help="each element of a JSON array is a record")
    flag("--ris", help="each citation of RIS, NBIB, EndNote, Web of Science or BibTeX is a document")
    flag("--csl", help="each item of CSL-JSON is a document")
    flag("--xml", help="each record of XML of PubMed or EndNote is a document; it is only read")
    flag("--parquet", help="each row of Parquet is a record")
    flag("--arrow", help="each row of Arrow or Feather is a record")
    flag("--xlsx", help="each row of a sheet of XLSX is a document; the first names the columns; CSV is written")
    flag("--warc", help="each page of HTML in WARC is a document; its address is the id")
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
    for name in ("include", "exclude"):
        if getattr(options, name) and not options.recursive:
            raise Failed(f"--{name} needs --recursive")
    if options.delimiter is not None and not options.csv:
        raise Failed("--delimiter needs --csv")
    if options.sheet is not None and not options.xlsx:
        raise Failed("--sheet needs --xlsx")
    if options.no_header and not (options.csv or options.tsv):
        raise Failed("--no-header needs --csv or --tsv")
    if vars(options).get("files0_from") is not None:
        from shingletools.reading.option_files import names_in  # late: only for --files0-from

        if options.files != ["-"]:
            raise Failed("--files0-from cannot be combined with names of files")
        options.files = names_in(options.files0_from)
    name = chosen_name(options)
    format_ = FORMATS[name](options, fields) if name else None
    return wrapped(format_, options)


def wrapped(format_: Format | None, options: argparse.Namespace) -> Format | None:
    """Returns a format in another encoding, or whose records are numbered. Raises Failed."""
    if options.encoding is not None:
        from shingletools.reading.formats.encoded_files import encoded  # late: only for --encoding

        format_ = encoded(format_, options.encoding)
    if options.number:
        from shingletools.reading.formats.line_documents import Records  # late: only for --number
        from shingletools.reading.formats.numbered_records import NumberedFormat

        return NumberedFormat(Records() if format_ is None else format_, options.id)
    return format_


def lines(options: argparse.Namespace, _: Sequence[str]) -> Format:
    from shingletools.reading.formats.line_documents import Texts  # late: only for --lines

    return Texts(options.id, options.text)


def whole(options: argparse.Namespace, _: Sequence[str]) -> Format:
    from shingletools.reading.formats.whole_files import WholeFiles  # late: only for --whole

    return WholeFiles(options.id, options.text, *of_names(options))


def recursive(options: argparse.Namespace, _: Sequence[str]) -> Format:
    from shingletools.reading.formats.folders import Folders  # late: only for --recursive

    written = [path for path in map(vars(options).get, ("output", "rejects", "removed")) if path is not None]
    return Folders(
        options.id, options.text, written, tuple(options.include), tuple(options.exclude), *of_names(options)
    )


def separated(options: argparse.Namespace, fields: Sequence[str]) -> Format:
    from shingletools.reading.formats.separated_values import Separated  # late: only for --csv and --tsv
    from shingletools.reading.formats.table_rows import TAB, Dialect  # late: only for --csv and --tsv

    needed = needed_fields(options, fields)
    if options.no_header and not all(name.isdecimal() for name in needed):
        raise Failed("--no-header: --id and --text must be numbers of columns, from 1")
    between = TAB if options.tsv else delimiter(options)
    return Separated(Dialect(between, options.csv, not options.no_header, needed, optional_id(options)))


def array(_options: argparse.Namespace, _: Sequence[str]) -> Format:
    from shingletools.reading.formats.json_array import Array  # late: only for --array

    return Array()


def ris(options: argparse.Namespace, _: Sequence[str]) -> Format:
    from shingletools.reading.formats.citations import Citations  # late: only for --ris

    return Citations(optional_id(options))


def csl(options: argparse.Namespace, _: Sequence[str]) -> Format:
    from shingletools.reading.formats.citation_items import CslItems  # late: only for --csl

    return CslItems(optional_id(options))


def xml(options: argparse.Namespace, _: Sequence[str]) -> Format:
    from shingletools.reading.formats.citation_items import XmlRecords  # late: only for --xml

    if rewrites(options):
        raise Failed(READ_ONLY)
    return XmlRecords(optional_id(options))


def parquet(options: argparse.Namespace, fields: Sequence[str]) -> Format:
    from shingletools.reading.formats.parquet import Parquet  # late: only for --parquet

    return Parquet((options.id, *fields), needed_fields(options, fields), not rewrites(options), optional_id(options))


def arrow(options: argparse.Namespace, fields: Sequence[str]) -> Format:
    from shingletools.reading.formats.arrow_files import ArrowFiles  # late: only for --arrow

    needed = needed_fields(options, fields)
    return ArrowFiles((options.id, *fields), needed, not rewrites(options), optional_id(options))


def xlsx(options: argparse.Namespace, fields: Sequence[str]) -> Format:
    from shingletools.reading.formats.table_rows import Dialect  # late: only for --xlsx
    from shingletools.reading.formats.workbooks import Workbooks  # late: as above

    needed = needed_fields(options, fields)
    return Workbooks(Dialect(",", True, True, needed, optional_id(options), others=False), options.sheet)


def warc(options: argparse.Namespace, _: Sequence[str]) -> Format:
    from shingletools.reading.formats.warc import Warc  # late: only for --warc

    return Warc(options.id, options.text)


FORMATS = {  # the function that makes the format of each option. Raises Failed
    "lines": lines,
    "whole": whole,
    "recursive": recursive,
    "csv": separated,
    "tsv": separated,
    "array": array,
    "ris": ris,
    "csl": csl,
    "xml": xml,
    "parquet": parquet,
    "arrow": arrow,
    "xlsx": xlsx,
    "warc": warc,
}


def optional_id(options: argparse.Namespace) -> str:
    """Returns the column of ids if tables without it are numbered; "" if --id names it, so that it is needed."""
    return "" if "id" in options.given else str(options.id)


def needed_fields(options: argparse.Namespace, fields: Sequence[str]) -> tuple[str, ...]:
    """Returns the columns without which a table cannot be read."""
    return (*(() if options.number or optional_id(options) else (options.id,)), *fields)


def of_names(options: argparse.Namespace) -> tuple[bool, bool]:
    """Returns whether -0 was given, and whether times and names of files count."""
    return bool(vars(options).get("null")), bool(vars(options).get("with_times"))


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


def in_format(options: argparse.Namespace) -> bool:
    """Returns whether the options choose another format than JSON lines."""
    return bool(chosen_name(options))


def chosen_name(options: argparse.Namespace) -> str:
    """Returns the name of the format that the options choose, "" for JSON lines."""
    return next((name for name in FORMATS if getattr(options, name)), "")


def html_option(options: argparse.Namespace) -> str:
    """Returns the option that is given and whose format has HTML, "" if none is."""
    return next((f"--{name}" for name in HTML_FORMATS if getattr(options, name)), "")
