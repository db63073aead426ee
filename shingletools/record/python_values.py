"""Values of Python as JSON."""

from collections.abc import Mapping
from typing import Any

from shingletools.system.lazy_imports import orjson

MISSING = "NAType", "NaTType"  # types of pandas


def to_json(value: object) -> bytes:
    r"""Returns a value as JSON: numbers that JSON lacks as null, and what has no elements as text.

    Raises TypeError for other values, such as sets and bytes. A lone surrogate is written all the same.

    >>> from datetime import timedelta
    >>> to_json({"id": 1 << 70, "mean": float("nan"), "for": timedelta(1)})
    b'{"id": 1180591620717411303424, "mean": null, "for": "1 day, 0:00:00"}'
    """
    try:
        return orjson.dumps(value, plain, orjson.OPT_SERIALIZE_NUMPY)
    except orjson.JSONEncodeError:  # other keys than text, large integers, lone surrogates
        import json  # which most runs do not need

        written = json.dumps(plain(value) if isinstance(value, Mapping) else value, default=reread, ensure_ascii=False)
        if "NaN" in written or "Infinity" in written:
            written = json.dumps(json.loads(written, parse_constant=lambda _: None), ensure_ascii=False)
        return written.encode("utf-8", "surrogatepass")


def reread(value: object) -> Any:
    """Returns a value that orjson can write as one that Python's own JSON can write. Raises TypeError for any other."""
    return orjson.loads(orjson.dumps(value, plain, orjson.OPT_SERIALIZE_NUMPY))


def plain(value: Any) -> Any:
    """Returns a value that orjson does not write as one that it writes. Raises TypeError if there is none."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    kind: Any = type(value)
    if kind.__name__ in MISSING:
        return None
    if hasattr(value, "isoformat"):  # times of pandas
        return value.isoformat()
    if hasattr(value, "__iter__") or kind.__repr__ is object.__repr__:
        raise TypeError
    return str(value)
