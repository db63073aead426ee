"""Tables of labels: pairs with columns a and b, or documents with an id and a label."""

import argparse

from shingletools.record.document_format import Format


def add_table_options(parser: argparse.ArgumentParser) -> None:
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument("--csv", action="store_true", help="the files of --truth are CSV, with a header")
    tables.add_argument("--tsv", action="store_true", help="the files of --truth are TSV, with a header")


def table_of(options: argparse.Namespace) -> Format | None:
    """Returns the format of the files of --truth; None for JSON lines."""
    if not options.csv and not options.tsv:
        return None
    from shingletools.reading.formats.separated_values import Separated  # late: few runs need it
    from shingletools.reading.formats.table_rows import TAB, Dialect  # late: as above

    needed = ("a", "b") if options.field is None else (options.id, options.field)
    return Separated(Dialect("," if options.csv else TAB, options.csv, True, needed, others=False))
