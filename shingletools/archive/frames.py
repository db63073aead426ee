r"""What a record's line has beside its id and its payload: its frame, in which the two have left marks.

No line of JSON holds the bytes of the marks, so that a frame is a line with two bytes in place of what was there. Where
the id or the payload are spelled in another way than we would spell them, the frame is the whole line, without marks.

>>> frame_of(b'{"id":7, "sketch":"00ab"}', Spelled("id", "sketch", 4), b"7", bytes([0, 171]))
b'{"id":\x01, "sketch":"\x02"}'
>>> line_of(b'{"id":\x01, "sketch":"\x02"}', b"7", bytes([0, 171]), 4)
b'{"id":7, "sketch":"00ab"}'
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shingletools.kernel.codec import bytes_to_payload
from shingletools.kernel.types import Flags, Index
from shingletools.records import member_of, members

ID, PAYLOAD, EMPTY = b"\x01", b"\x02", b"\x03"  # the last stands behind a frame whose payload is empty
CAPITAL, LETTER = np.uint8(0x40), np.uint8(0x60)  # of these bits capitals have one, of all that a payload holds


class Spelled(NamedTuple):
    """Where a record has its id and its payload, and the digits of a group of this."""

    id_field: str
    field: str
    digits: int


class Lines(NamedTuple):
    """Good records on lines: where they are, and the bytes of their ids. Arrays of one length."""

    data: bytes
    starts: Index
    ends: Index
    names: Index


def frame_of(line: bytes, spelled: Spelled, name: bytes, data: bytes) -> bytes:
    """The frame of a line, which is known to be a good record, with its id and its payload's bytes."""
    there = members(line)
    payload = bytes_to_payload(data, spelled.digits).encode()
    marked = line
    found = [
        (member_of(line, there, spelled.id_field), name, ID),
        (member_of(line, there, spelled.field), b'"%b"' % payload, b'"%b"' % PAYLOAD),
    ]
    for place, ours, mark in sorted(found, key=lambda each: each[0].value if each[0] else 0, reverse=True):
        if place is None or line[place.value : place.end] != ours:
            marked = line
            break
        marked = marked[: place.value] + mark + marked[place.end :]
    return marked if data else line + EMPTY


def line_of(frame: bytes, name: bytes, data: bytes, digits: int) -> bytes:
    """The line of a frame, with this id and this payload."""
    if frame.endswith(EMPTY):
        return frame[:-1]
    return frame.replace(ID, name).replace(PAYLOAD, bytes_to_payload(data, digits).encode())


def fitting(frame: bytes, lines: Lines, payload: int) -> Flags:
    """Which lines have this frame: those that are as long, and have its bytes where these must be. Shape (lines,).

    payload: the bytes of each payload's text.
    """
    data, starts, ends, names = lines
    fits: Flags = ends - starts == len(frame) - 2 + names + payload
    cuts = frame.find(ID), frame.find(PAYLOAD)
    if min(cuts) < 0:
        return np.zeros(len(starts), np.bool_)
    text = np.frombuffer(data, np.uint8)
    first, second = sorted(cuts)
    before = names if first == cuts[0] else np.full(len(names), payload)  # what stands for the first mark
    pieces = [
        (frame[:first], starts),
        (frame[first + 1 : second], starts + first + before),
        (frame[second + 1 :], starts + second - 1 + names + payload),
    ]
    for piece, places in pieces:
        rows = np.flatnonzero(fits)
        wanted = np.frombuffer(piece, np.uint8)
        fits[rows] = (text[places[rows][:, None] + np.arange(len(wanted))] == wanted).all(axis=1)
    rows = np.flatnonzero(fits)
    at = starts[rows] + cuts[1] + (names[rows] - 1 if cuts[0] < cuts[1] else 0)
    fits[rows] = ~capitals(data, at, payload)
    return fits


def capitals(lines: bytes, starts: Index, size: int) -> Flags:
    """Whether each stretch of so many bytes, one behind the other, holds a capital, which no digit of ours is."""
    text = np.frombuffer(lines, np.uint8)
    places = np.flatnonzero((text & LETTER) == CAPITAL)
    flags: Flags = np.searchsorted(places, starts) < np.searchsorted(places, starts + size)
    return flags


class Frames:
    """Frames, each kept once and numbered as they come."""

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {}
        self.size = 0  # bytes of all of them

    def number(self, frame: bytes) -> int:
        found = self.numbers.get(frame)
        if found is None:
            found = self.numbers[frame] = len(self.numbers)
            self.size += len(frame)
        return found

    def all(self) -> Sequence[bytes]:
        return list(self.numbers)
