"""Advice about texts whose words differ in case or punctuation."""

import contextlib
import re

from shingletools.record import wire
from shingletools.record.stage import FEWEST_REMARKED
from shingletools.system.errors import Rejected

LOOKED_AT = 100  # records
UNLIKE = re.compile(r"[A-Z]|\w[.,;:!?](?:\s|$)")
ADVICE = '"Cat", "cat" and "cat," are three words here, because via names no canon, which makes one of them'


def advice(text_field: str, lines: bytes) -> str | None:
    """Returns advice if the first records were made without canon, and most texts have capitals or punctuation.

    Other programs may have made the words, and mean it so: then it is to be ignored.

    >>> advice("text", 10 * b'{"text":"The cat"}\\n') == ADVICE
    True
    """
    texts, some = [], lines.split(b"\n", LOOKED_AT)[:LOOKED_AT]
    for line in some if len(some) >= FEWEST_REMARKED else ():  # a few records need not be parsed
        with contextlib.suppress(Rejected):
            record = wire.parse_json(line)
            if any(wire.stage_of(step) == "canon" for step in str(record.get("via", "")).split("|")):
                return None
            texts.append(record.get(text_field))
    unlike = sum(isinstance(text, str) and UNLIKE.search(text) is not None for text in texts)
    return ADVICE if len(texts) >= FEWEST_REMARKED and unlike * 2 > len(texts) else None
