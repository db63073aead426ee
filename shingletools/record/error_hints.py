"""Hints for bad records with a plain fault: another format, other fields, stages in the wrong order."""

import contextlib
import re
import shlex
from collections.abc import Iterator

import orjson

from shingletools.record import wire
from shingletools.record.command_registry import COUNTS, FIGURES, GROUPS, PAIRS, info_of, record_kinds
from shingletools.system.errors import Rejected, shown

# How citations begin: lines of databases before the first one, if any, and tags of RIS, NBIB, EndNote, Web of Science
CITED_HEAD = rb"(?:(?:(?:Provider|Database|Content|EXPORT DATE|Record #|VR )[^\r\n]*+|<?\d++[.>]?[ \t]*+)?[\r\n])*"
RIS_TAG = CITED_HEAD + rb"[ \t]*+(?:(?:TY  |PMID)-|%0 [A-Z]|PT [A-Z][\r\n])|FN [^\r\n]*+[\r\n]++VR "
BIBTEX_ENTRY = rb"@[ \t]*+[A-Za-z]++\s*+[{(]"
# First bytes of files by the options that read them
FIRST_BYTES = {
    "--parquet": rb"PAR1",
    "--arrow": rb"ARROW1",
    "--xml": rb"(?:<[?!][^>]*>\s*)*<(?:PubmedArticleSet|xml>\s*<records)\b",
    "--warc": rb"WARC/",
    "--ris": RIS_TAG + b"|" + BIBTEX_ENTRY,
}
# First bytes of files that are not JSON lines, and what they look like
LOOKS = (
    (rb"%PDF-", "PDF: pdftotext makes text of it"),
    (
        rb"PK\x03\x04",
        "a zip archive, as office documents are: canon --xlsx reads XLSX; unpack others, or save them as text",
    ),
    (rb"\xd0\xcf\x11\xe0", "an old office document: save it as text or CSV"),
    (FIRST_BYTES["--parquet"], "Parquet: canon --parquet and simspark read it"),
    (FIRST_BYTES["--arrow"], "Arrow: canon --arrow reads it"),
    (FIRST_BYTES["--warc"], "WARC: canon --warc reads it"),
    (FIRST_BYTES["--ris"], "citations: canon --ris reads them"),
    (
        rb"From \S+ +[A-Z][a-z]{2} [A-Z][a-z]{2} ",
        "mail: make a record of each message, as Python's module mailbox reads them",
    ),
    (rb"SQLite format 3\0", "a database of SQLite: write its rows as JSON lines"),
    (rb"\x04\x22\x4d\x18", "lz4: lz4 -dc decompresses it"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it"),
)
UTF_16 = "UTF-16: canon --encoding utf-16-le or utf-16-be reads it"
WIDE = re.compile(rb"(?:[\t\r\n -~]\0){4}|(?:\0[\t\r\n -~]){4}")  # UTF-16 without a byte order mark
PAGE = re.compile(rb"\s*<[!?a-z]", re.IGNORECASE)
CHARSET = re.compile(rb"<(?:meta|\?xml)[^>]*(?:charset|encoding)\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")  # never in text with one byte for each character
LONE_RETURN = re.compile(rb"\r(?!\n|\Z)")
CHARSET_BYTES = 1024  # bytes in which a page must declare its encoding (HTML Standard)
# Formats whose first line begins the file, unlike an array's first element
LINEWISE = ("", "--lines", "--csv", "--tsv")
BINARY_FORMATS = ("--parquet", "--arrow", "--warc")  # formats that say how their texts are encoded
RETURNS = "lines that end in carriage returns alone: tr '\\r' '\\n' makes line feeds of them"
LOOKS_LIKE, ICONV = "this looks like ", "iconv -f "
HEADER = re.compile(r'"?[\w.-]{1,40}"?(?:[,;\t]"?[\w.-]{1,40}"?)+\r?')  # of a table with two columns or more
PROSE = re.compile(r'[^{"]*?(?:[^\W\d_][^\s{"]*\s+[^\W\d_]|\d\d:\d\d)')  # two words, or the time of a log
MAX_PROSE_CHARS = 200  # characters of a line that are looked at
ARRAY = re.compile(rb"\[\s*(?:[\[{]|\Z)")
NOT_UTF8 = "not UTF-8"
ABOUT_BYTES = ("not JSON", NOT_UTF8, "not CSV", "not TSV", "not a JSON object", "nested too deeply")
COLUMN = re.compile(r"not JSON \(column ([0-9]+)\)")
MISSING = re.compile(r'field ("(?:[^"\\]|\\.)*+") is missing')
MAX_NAMES = 5  # of fields, in a hint
# Fields that have another meaning
RESERVED = tuple(
    "id text via source at shingles sketch simhash of part before behind duplicate_of repeats named".split()
)

# Fields that no option names
FIXED = (*RESERVED, "a", "b", "similarity", "members", "df", "words", "shingle", "documents", "duplicate_by", "against")

NAMES = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)  # fields that jq takes without quotes
NOT_DOCUMENTS = (PAIRS, GROUPS, COUNTS, FIGURES)
SCORING = ("simscore", "simtune")  # commands that take files of pairs or groups
DECIDED_BY_PAIRS = ("simgroup", "dedup", "simshow")  # commands that read them only as JSON lines


def hint(command: str, cause: str, document: bytes, first: bool, form: str = "") -> str | None:
    """Returns advice about a bad document if its fault is plain, else None.

    first: whether it is the first document of its file. form: the option by which the file is read; empty for JSON
    lines.

    >>> hint("sketch", 'field "shingles" is missing', b'{"id":1,"sketch":"01234567","via":"sketch n=1"}', False)
    'these are records of sketch: simjoin comes next'
    """
    if form == "--tsv" and "but the" in cause and document.count(b'"') % 2:
        return "canon --csv --delimiter $'\\t' reads values that have line breaks in quotes"
    if cause.startswith(ABOUT_BYTES):
        begins = format_hint(command, document, form) if first and form in LINEWISE else None
        begins = begins or fault_hint(cause, document)
        if begins is None and form not in BINARY_FORMATS and cause.startswith(NOT_UTF8):
            advice = encoding_hint(document, form)
            return None if advice.startswith(ICONV) and CONTROL.search(document) else advice
        return begins
    if found := MISSING.fullmatch(cause):
        with contextlib.suppress(Rejected):
            return fields_hint(command, found[1], wire.parse_json(document), first)
    if cause.startswith("fields "):  # all fields of --text are missing
        with contextlib.suppress(Rejected):
            return present_fields("", wire.parse_json(document))
    return None


def fault_hint(cause: str, document: bytes) -> str | None:
    """Returns advice about what is at the column of a line that is not JSON.

    >>> fault_hint("not JSON (column 9)", b'{"id":1}{"id":2}')
    'several records on one line: jq -c . writes each on one'
    """
    if not (found := COLUMN.fullmatch(cause)):
        return None
    place = int(found[1]) - 1
    text = document.decode(errors="replace")
    with contextlib.suppress(Rejected):
        if text.startswith("{", place) and wire.parse_json(text[:place].encode()):
            return "several records on one line: jq -c . writes each on one"
    return None


def same_ids_hint(id_field: str) -> str:
    """Returns how to make ids differ that several files of JSON lines use.

    >>> print(same_ids_hint("id"))
    if several files use the same ids, jq -c '.id = "\\(input_filename) \\(.id)"' FILE... makes them differ
    """
    field = f".{id_field}" if NAMES.fullmatch(id_field) else f".[{orjson.dumps(id_field).decode()}]"
    program = shlex.quote(f'{field} = "\\(input_filename) \\({field})"')
    return f"if several files use the same ids, jq -c {program} FILE... makes them differ"


def format_hint(command: str, document: bytes, form: str = "") -> str | None:
    """Returns which format a file has, by its first bytes, if it is not the format that it is read as."""
    if begins_as(form, document):
        return None  # it has this format, and another fault
    document = document.removeprefix(wire.BOM)
    start = document.strip()
    looks = known_format(document)
    if WIDE.match(document):
        looks = UTF_16
    elif PAGE.match(document):
        looks = "HTML or XML" + (": see --whole and --html" if command == "canon" else "")
    elif form and start[:2] == b'{"':
        looks = record_hint(start, form)
    elif ARRAY.match(start):
        ways = [] if command in ("simgroup", "simscore") else ["canon --array reads it"]
        ways += [] if form else ["jq -c '.[]' writes each element on a line"]
        looks = f"a JSON array: {', and '.join(ways)}"
    elif start == b"{":
        looks = "a record on several lines: jq -c . writes each on one"
    elif looks is None and form not in ("--array", *BINARY_FORMATS) and ends_in_returns(document):
        looks = RETURNS
    elif looks is None and not form:
        looks = text_hint(command, document)
    return None if looks is None else f"{LOOKS_LIKE}{looks}"


def begins_as(form: str, start: bytes) -> bool:
    """Returns whether a file has the first bytes of the format of this option."""
    return form in FIRST_BYTES and re.match(FIRST_BYTES[form], start) is not None


def own_options(advice: str) -> str:
    """Returns advice for a command that has the options for formats itself."""
    return advice.replace("canon --", "--")


def known_format(start: bytes) -> str | None:
    """Returns which format a file has, if its first bytes say so."""
    return next((what for begins, what in LOOKS if re.match(begins, start)), None)


def record_hint(start: bytes, form: str) -> str:
    """Returns a hint for a file that begins with a JSON record but is read in another format.

    The record is a line of JSON lines, or an object around an array.
    """
    with contextlib.suppress(Rejected):
        for name, value in wire.parse_json(start).items() if form == "--array" else ():
            if isinstance(value, list) and value and isinstance(value[0], dict) and name.isidentifier():
                return f"an object with an array: jq -c '.{name}[]' writes each element on a line"
    return f"JSON lines: leave out {form}"


def ends_in_returns(line: bytes) -> bool:
    """Returns whether a line, or a file without line feeds, is text with carriage returns inside."""
    return LONE_RETURN.search(line) is not None and not CONTROL.search(line)


def file_start_hint(start: bytes, form: str) -> str:
    """Returns the hint of the first bytes of a file as the end of canon's message; empty if there is none.

    >>> file_start_hint(b'{"id":1}', "--csv")
    '; this looks like JSON lines: leave out --csv'
    """
    found = format_hint("canon", start, form)
    return "" if found is None else f"; {own_options(found)}"


def encoding_hint(document: bytes, form: str = "") -> str:
    """Returns how to convert a file that is not UTF-8, by its first bytes or by the encoding that a page declares."""
    if (what := known_format(document)) and not begins_as(form, document):
        return f"{LOOKS_LIKE}{what}"
    if WIDE.search(document):
        return f"{LOOKS_LIKE}{UTF_16}"
    charset = CHARSET.search(document[:CHARSET_BYTES])
    encoding = charset[1].decode() if charset and charset[1].lower() not in (b"utf-8", b"utf8") else "ENCODING"
    return f"{ICONV}{encoding} -t UTF-8 makes UTF-8 of it"


def text_hint(command: str, line: bytes) -> str | None:
    """Returns a hint for a first line that is not JSON: the header of a table, or plain text."""
    with contextlib.suppress(UnicodeDecodeError):
        text = line.decode()
        if HEADER.fullmatch(text):
            return f"the header of a table: {table_hint(command, text)}"
        if PROSE.match(text, 0, MAX_PROSE_CHARS):
            return f"plain text: {'see --lines and --whole' if command == 'canon' else 'canon --lines reads it'}"
    return None


def table_hint(command: str, header: str) -> str:
    """Returns how a command, or one before it, reads a table.

    >>> table_hint("simgroup", "a,b,similarity")
    'pairs are read as JSON lines, such as simjoin writes'
    """
    of_pairs = {"a", "b"} <= {name.strip('"') for name in re.split(r"[,;\t\r]", header)}
    if command == "simscore" or (command == "simtune" and of_pairs):
        return "with --csv or --tsv, columns of --truth are separated by commas or tabs"
    if command in DECIDED_BY_PAIRS and of_pairs:
        return "pairs are read as JSON lines, such as simjoin writes"
    if command == "simtune":
        return "canon --csv or --tsv reads documents, and simtune --csv or --tsv the files of --truth"
    return "canon --csv or --tsv reads it" if {*header} & {*",\t"} else "canon --csv --delimiter ';' reads it"


def fields_hint(command: str, field: str, record: wire.Record, first: bool) -> str | None:
    """Returns a hint for a record that lacks a field, by its other fields.

    field: the missing name, as JSON. first: whether the record is the first of its file.
    """
    kind = stage_of(record)
    document = kind not in NOT_DOCUMENTS
    if document and field == '"id"' and (named := option_hint("id", record)):
        return with_number_hint(command, field, named, first)
    marked = "duplicate_of" in record or type(record.get("text")) is str
    if document and field == '"a"' and command == "simshow" and "id" not in record and marked:
        return option_hint("id", record) or None  # a record that dedup --annotate has written
    if document and not info_of(command).text and orjson.loads(field) not in FIXED:
        return present_fields(orjson.loads(field), record)
    if (
        document and command == "simindex" and field not in ('"id"', '"sketch"')
    ):  # an archive of passages takes canon's words
        return names_hint(command, field, record, first)
    return stage_hint(command, field, kind, record) or (names_hint(command, field, record, first) if document else None)


def stage_hint(command: str, field: str, kind: str | None, record: wire.Record) -> str | None:
    """Returns a hint for a record that another stage must read, or that the wrong stage made."""
    if command == "simjoin" and field == '"shingles"' and kind == "sketch":
        return "sketch --keep leaves it"
    if (kind, field) in ((PAIRS, '"members"'), (GROUPS, '"a"')) and command in SCORING:
        return f"these are {kind}: a file has either pairs or groups, as its first record says"
    if kind is not None and kind not in info_of(command).takes:
        then = next(product.then for product in record_kinds() if product.name == kind)
        return f"these are {kind if kind in NOT_DOCUMENTS else f'records of {kind}'}: {then}"
    return kind_hint(kind, field) or documents_hint(command, field, kind, record)


def kind_hint(kind: str | None, field: str) -> str | None:
    """Returns a hint for a field that records of this kind never have."""
    if kind in (PAIRS, GROUPS) and field == '"id"':
        return f"these are {kind}, not documents"
    if kind in ("shingle", "sketch") and field == '"text"':
        return f"these are records of {kind}, which have no text"
    return None


def documents_hint(command: str, field: str, kind: str | None, record: wire.Record) -> str | None:
    """Returns a hint for a field that documents never have, or do not have yet."""
    if field == '"members"' and "id" in record:
        return "these are documents, not groups: simjoin makes pairs of them, and simgroup groups of pairs"
    if field == '"repeats"' and "id" in record:
        return "repeats writes it"
    if field == '"of"' and "id" in record and "part" not in record:
        return "these are documents: parts without --together takes them apart"
    if field == '"a"' and "id" in record:
        of_truth = "with --field, --truth takes documents"
        made = "simjoin makes pairs of them"
        what = {"simtune": of_truth, "simscore": f"{made}, and {of_truth}"}.get(command, made)
        return f"these are documents, not pairs: {what}"
    if (after := info_of(command).after) and kind is None and type(record.get("text")) is str:
        return f"these are documents: {after} come before {command}"
    return None


def stage_of(record: wire.Record) -> str | None:
    """Returns which kind of record this is, by its fields and its recipe; None if it is unknown."""
    for kind, _, fields in record_kinds():
        if fields and all(name in record for name in fields) and (kind not in (COUNTS, FIGURES) or "id" not in record):
            return kind
    via = record.get("via")
    last = via.rpartition("|")[2].split() if type(via) is str else []
    name = last[0].partition("/")[0] if last else ""
    return name if (name, ()) in {(product.name, product.fields) for product in record_kinds()} else None


def names_hint(command: str, field: str, record: wire.Record, first: bool) -> str | None:
    """Returns the fields that the user may have meant instead of the missing one."""
    if orjson.loads(field) not in FIXED:
        return present_fields(orjson.loads(field), record)
    if field not in ('"id"', '"text"') or (field == '"text"' and not info_of(command).text):
        return None
    return with_number_hint(command, field, option_hint(field[1:-1], record), first) or None


def present_fields(field: str, record: wire.Record) -> str | None:
    """Returns the fields of a record that lacks the field of an option; names that differ only in case come first."""
    names = [name for name, value in fields_and_values(record) if type(value) in (str, int, float, bool)]
    names = [name for name in names if name in ("id", "text") or name not in RESERVED]
    names.sort(key=lambda name: name.casefold() != field.casefold())
    return f"the record has {', '.join(map(shown, names[:MAX_NAMES]))}" if names else None


def option_hint(option: str, record: wire.Record) -> str:
    """Returns the fields that the option --id or --text could name; empty if there are none."""
    types = (str,) if option == "text" else (str, int)
    names = [shown(name) for name, value in fields_and_values(record) if type(value) in types and name not in RESERVED]
    return f"the record has {', '.join(names[:MAX_NAMES])}: --{option} NAME says which is meant" if names else ""


def fields_and_values(record: wire.Record) -> Iterator[tuple[str, object]]:
    """Yields the names and values of fields; then those inside objects, such as meta.url, and inside those of lists."""
    yield from record.items()
    for name, value in record.items():
        objects = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else [value]
        if objects and isinstance(objects[0], dict) and name not in FIXED:
            path = f"{name}{wire.EACH}" if isinstance(value, list) else name
            yield from ((f"{path}.{inner}", each) for inner, each in objects[0].items())


def with_number_hint(command: str, field: str, advice: str, first: bool) -> str:
    """Returns the hint, followed by the advice that canon can number records without ids, if it applies."""
    numbers = "--number numbers the records" if first and command == "canon" and field == '"id"' else ""
    return "; ".join(filter(None, (advice, numbers)))
