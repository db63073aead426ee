"""Reads records of pairs and groups, and chooses the pairs that are shown."""

from array import array
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np
import orjson

from shingletools.commands.simshow.documents import Name
from shingletools.commands.simshow.spec import Selection
from shingletools.kernel.independent_set import EITHER_MAY
from shingletools.kernel.types import Index
from shingletools.numbers.covered_documents import SIDES
from shingletools.record import wire
from shingletools.record.wire import CONTAINED, COVERS, Record
from shingletools.system.errors import Rejected

Similarity = int | float  # from 0 to 1
Pair = tuple[Name, Name, Similarity | None]  # a, b, and the record's similarity


def take_pairs(record: Record, id_field: str, two_sides: bool = False) -> list[Pair]:
    """Returns the pairs that a record stands for. Raises Rejected for another kind of record.

    A group stands for pairs of its first member with each other one. A duplicate that `dedup --annotate` marked
    stands for the kept document and itself. With two sides, it stands for itself and the archive's document.

    >>> take_pairs({"group": 1, "members": [1, "x", 3]}, "id")
    [(1, 'x', None), (1, 3, None)]
    >>> marked = {"id": 1, "duplicate_of": 1, "duplicate_by": {"rule": "known", "similarity": 0.9}}
    >>> take_pairs(marked, "id", True), take_pairs(marked, "id")
    ([(1, 1, 0.9)], [])
    """
    if "members" in record and "a" not in record:
        members = wire.take_ids(record, "members")
        return [(members[0], name, None) for name in members[1:]]
    named = "duplicate_of" in record or wire.find(record, id_field) is not wire.MISSING
    if "a" not in record and "b" not in record and named:
        if "duplicate_of" not in record:
            wire.take_id(record, id_field)
            return []
        name = wire.take_id(record, id_field if wire.find(record, id_field) is not wire.MISSING else "id")  # of --marks
        other, by = wire.take_id(record, "duplicate_of"), record.get("duplicate_by")
        reason = by if isinstance(by, dict) else {}
        known = reason.get("rule") == "known"
        pair = (name, other) if known else (other, name)
        return [(*pair, take_similarity(reason))] if known == two_sides else []
    may_go(record)  # raises Rejected
    return [(wire.take_id(record, "a"), wire.take_id(record, "b"), take_similarity(record))]


def shows_pairs(record: Record) -> bool:
    """Returns whether a good record is a pair, a group, or a duplicate of `dedup --annotate`."""
    return any(field in record for field in ("a", "members", "duplicate_of"))


def may_go(record: Mapping[str, Any]) -> int:
    """Returns which documents of a pair `dedup --pairs` may remove: bits of PairEnds.may_go. Raises Rejected.

    >>> may_go({}), may_go({"covers": "b", "contained": "a"}), may_go({"contained": "a"}), may_go({"covers": "none"})
    (3, 2, 1, 0)
    """
    said = {name: SIDES.get(orjson.dumps(record[name])) for name in (COVERS, CONTAINED) if name in record}
    for name, sides in said.items():
        if sides is None:
            raise Rejected(f'field "{name}" is not a, b, both or none')
    return next(iter(said.values()), EITHER_MAY) or 0


def take_similarity(record: Record) -> Similarity | None:
    """Returns a pair's similarity, or None if it has none. Raises Rejected unless it is a number from 0 to 1.

    >>> take_similarity({"similarity": 0.5}), take_similarity({"similarity": None}), take_similarity({})
    (0.5, None, None)
    """
    value = record.get("similarity")
    if value is None or (type(value) in (int, float) and 0 <= value <= 1):
        return cast(Similarity | None, value)
    raise Rejected('field "similarity" is not a number from 0 to 1')


def group_of(record: Record) -> tuple[Name, list[Name]] | None:
    """Returns the name and members of a group; None if the record is no group.

    >>> group_of({"group": 1, "members": ["x", "y"]}), group_of({"a": 1, "b": 2})
    ((1, ['x', 'y']), None)
    """
    if "members" not in record or "a" in record or not record["members"]:
        return None
    name, members = record.get("group"), cast(list[Name], record["members"])
    return (name if isinstance(name, str | int) else members[0]), members


def exact(similarity: Similarity | None) -> Fraction:
    """Returns a pair's similarity, exactly as written. Raises Rejected if there is none."""
    if similarity is None:
        raise Rejected("it has no similarity, which --least, --most and --sample need")
    return Fraction(str(similarity))


def within(chosen: Selection, similarity: Similarity | None) -> bool:
    """Returns whether a similarity is between --least and --most. Raises Rejected."""
    if chosen == Selection():
        return True
    value = exact(similarity)
    return (chosen.least is None or value >= chosen.least) and (chosen.most is None or value <= chosen.most)


def sample(similarities: "Sequence[float] | array[float]", count: int) -> Index:
    """Returns the places, ascending, of `count` values that are spread over the range of all.

    The range is cut into `count` equal parts, and the first value in each is taken. For parts without values, others
    are taken at equal distances in the order of the values. The same values always give the same places.

    >>> sample([0.5, 0.8, 0.81, 0.82, 1.0], 3).tolist()
    [0, 1, 4]
    """
    values = np.array(similarities, np.float64)
    if count >= len(values):
        return np.arange(len(values))
    values = np.ldexp(values, -1 - int(np.frexp(np.abs(values).max())[1]))  # scaled: no difference can overflow
    low, high = values.min(), values.max()
    parts = np.minimum((values - low) * (count / (high - low) if high > low else 0), count - 1).astype(np.int64)
    taken = np.unique(parts, return_index=True)[1]
    rest = np.setdiff1d(np.argsort(values, kind="stable"), taken, assume_unique=True)
    missing = count - len(taken)
    more = rest[(np.arange(missing) * len(rest)) // max(missing, 1)]
    return np.sort(np.append(taken, more))
