"""What dedup reads, as rows: a document, a member of a group, a pair, or a document that an archive has."""

import numpy as np
import orjson
import pyarrow as pa

from shingletools.commands.dedup.archive_pairs import ArchivePartners
from shingletools.commands.dedup.decisions_by_groups import GroupMembers
from shingletools.commands.dedup.decisions_by_pairs import SimilarPairs
from shingletools.commands.dedup.documents import DocumentReader
from shingletools.commands.dedup.spec import LONGEST, MOST, DedupSpec
from shingletools.commands.dedup.value_order import STRING_RANK, Value, as_form, form_of, value_of
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split_ids
from shingletools.spark.arrow_batches import Batches, binary_array, from_columns, from_rows, ids_array
from shingletools.spark.lines import COPIES_IN_TASKS, numbered_lines, numbered_records
from shingletools.system.errors import Failed

# A document: its number, and that of its file split, its id as JSON (name), 8 bytes that are less for a document whose
# length is preferred (key), its value for --keep min: or max: as spelled, and what it is a part of (whole), as JSON; or
# a bad line: its numbers and the cause
DOCUMENTS = pa.schema(
    {
        "first": "int64",
        "number": "int64",
        "name": "binary",
        "key": "binary",
        "value": "binary",
        "whole": "binary",
        "cause": "string",
    }
)
# What a row is: a member with the number of its group; the two ids of a pair, with PairEnds.may_go as number; an id
# in any pair; an id that an archive has, with the most similar one there; an id that is b in a pair of --known that
# does not say its sides
MEMBER, PAIR, NAMED, KNOWN, DOUBTED = range(5)
DECIDING = pa.schema(
    {"what": "int32", "number": "int64", "name": "binary", "other": "binary", "similarity": pa.float64()}
)


def to_documents(spec: DedupSpec, batches: Batches) -> Batches:
    """Takes LINES to DOCUMENTS."""
    reader = DocumentReader(spec)
    for some in numbered_records(batches, reader):
        batch, rows = some.batch, some.batch.rows
        if rows:
            ids = batch.columns[-1]
            documents = reader.arrays(batch, np.arange(rows))
            lengths = documents.lengths if spec.measured is not None else np.zeros(rows, np.int64)
            keys = ((1 << 62) - lengths if spec.keep == LONGEST else lengths).astype(">i8").tobytes()
            values = [*split_ids(*documents.spelled(documents.values))] if spec.valued is not None else b""
            wholes = None
            if spec.counted is not None:
                wholes = [*map(whole_of, split_ids(*documents.spelled(documents.wholes)))]
            yield from_columns(
                DOCUMENTS,
                first=some.first,
                number=some.numbers[:rows],
                name=binary_array(ids.data, np.frombuffer(ids.sizes, np.int64)),
                key=binary_array(keys, np.full(rows, 8)),
                value=values,
                whole=wholes,
            )
        if batch.bad is not None:
            cause = str(batch.bad.error)
            yield from_columns(DOCUMENTS, first=some.first, number=int(some.numbers[-1]), cause=cause)


def whole_of(text: bytes) -> bytes | None:
    """Returns what a document is a part of, as JSON in one form; None if it is a part of nothing."""
    whole = orjson.loads(text) if text else None
    return None if whole is None else orjson.dumps(whole)


def to_deciding(spec: DedupSpec, option: str, batches: Batches) -> Batches:
    """Takes groups, pairs, or pairs with an archive to DECIDING. Raises Failed for any bad line."""
    for some in numbered_lines(batches):
        ids, number = kernel.new_ids(), int(some.numbers[0])
        if option == "--groups":
            members = GroupMembers(ids)
            take(option, members, some.lines)
            group = some.numbers[np.frombuffer(members.group, np.int64)]
            yield from_columns(DECIDING, what=MEMBER, number=group, name=ids_array(ids))
        elif option == "--pairs":
            pairs = SimilarPairs(ids, spec.least)
            take(option, pairs, some.lines)
            if pairs.copies:
                raise Failed(f"--pairs: {COPIES_IN_TASKS}")
            one, two = np.frombuffer(pairs.ends, np.int32).reshape(-1, 2).T.astype(np.int64)
            ends = {"name": ids_array(ids, one), "other": ids_array(ids, two)}
            may_go = np.frombuffer(pairs.may_go, np.uint8).astype(np.int64)
            similarity = np.frombuffer(pairs.similarity)
            yield from_columns(DECIDING, what=PAIR, number=may_go, similarity=similarity, **ends)
            yield from_columns(DECIDING, what=NAMED, name=ids_array(ids))
        else:
            archived = ArchivePartners(ids)
            take(option, archived, some.lines)
            flags = archived.known, archived.doubtful
            known, doubtful = (np.flatnonzero(np.frombuffer(flag, np.bool_)) for flag in flags)
            best = np.frombuffer(archived.best, np.int64)[known]
            ends = {"name": ids_array(ids, known), "other": ids_array(archived.archive, best)}
            similarity = np.frombuffer(archived.similarity)[known]
            # Of equally similar ones, that of the least number counts
            yield from_columns(DECIDING, what=KNOWN, number=number, similarity=similarity, **ends)
            yield from_columns(DECIDING, what=DOUBTED, name=ids_array(ids, doubtful))


def take(option: str, side: GroupMembers | SimilarPairs | ArchivePartners, lines: bytes) -> None:
    """Lets the shell's reader of an option take lines. Raises Failed, with the option's name."""
    try:
        side.take(lines, begins=False)
    except Failed as error:
        raise Failed(f"{option}: {error}") from None


FORMS = pa.schema([("form", pa.string())])
WORST = b"\xff"
EXPONENT_OFFSET = 1 << 62  # makes exponents positive
INVERTED = bytes(range(255, -1, -1))


def key_of(value: Value | None, keep: str) -> bytes:
    """Returns bytes that are less, compared byte by byte, for a value that is preferred; WORST for what is no value.

    >>> from decimal import Decimal
    >>> some = [(Decimal(text), "") for text in "-1e9 -20 -3 -2.5 0 0.5 1 1.25 9 10 1e30".split()]
    >>> some += [(STRING_RANK, text) for text in ("", "a", "a\\0", "a\\0b", "ab", "é")]
    >>> keys = [key_of(value, "min:n") for value in some]
    >>> keys == sorted(keys), key_of((Decimal("0.10"), ""), "max:n") == key_of((Decimal("1e-1"), ""), "max:n")
    (True, True)
    >>> keys = [key_of(value, "max:n") for value in [*reversed(some), None]]
    >>> keys == sorted(keys)
    True
    """
    if value is None:
        return WORST
    number, text = value
    if number == STRING_RANK:  # no text is the beginning of another, so that they can be inverted
        key = b"\x83" + text.encode().replace(b"\0", b"\0\1") + b"\0\0"
    elif not number:
        key = b"\x81"
    else:
        digits = "".join(map(str, number.as_tuple().digits)).lstrip("0").rstrip("0").encode()
        size = (number.adjusted() + EXPONENT_OFFSET).to_bytes(8, "big") + digits + b"\0"
        key = b"\x82" + size if number > 0 else b"\x80" + size.translate(INVERTED)
    return key.translate(INVERTED) if keep.startswith(MOST) else key


def to_forms(wanted: str, batches: Batches) -> Batches:
    """Takes values, as they are spelled, to FORMS: the different forms in which they can be read. Memory: a batch."""
    for batch in batches:
        found = [value_of(text) for text in batch.column(0).to_pylist()]
        yield from_rows(FORMS, [(form,) for form in {form_of(value, wanted) for value in found if value is not None}])


def to_keys(form: str, keep: str, batches: Batches) -> Batches:
    """Replaces values, as they are spelled, by keys; other columns stay. Memory: a batch."""
    for batch in batches:
        place = batch.schema.get_field_index("value")
        found = [value_of(text) for text in batch.column(place).to_pylist()]
        keys = [key_of(None if value is None else as_form(value, form), keep) for value in found]
        yield batch.set_column(place, "value", pa.array(keys, pa.binary()))
