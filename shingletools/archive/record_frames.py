r"""Frames: records' lines with marks in place of their ids and payloads.

JSON cannot contain the bytes of the marks. So a frame is a line with one byte in place of the id and one in place of
the payload. If the line spells its id or payload in another way than we do, the frame is the whole line.

>>> frame_of(b'{"id":7, "sketch":"00ab"}', RecordForm("id", "sketch", 4), b"7", bytes([0, 171]))
b'{"id":\x01, "sketch":"\x02"}'
>>> line_of(b'{"id":\x01, "sketch":"\x02"}', b"7", bytes([0, 171]), 4)
b'{"id":7, "sketch":"00ab"}'
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split_ids
from shingletools.kernel.payload_codec import bytes_to_payload
from shingletools.kernel.types import Index
from shingletools.numbers.ranges import spread
from shingletools.record.json_members import member_of, members
from shingletools.record.record_batch import RecordBatch

FRAME_BYTES = 40  # memory of a frame, at most, without its own bytes
ID, PAYLOAD, EMPTY = b"\x01", b"\x02", b"\x03"  # the last one ends a frame whose payload is empty


class RecordForm(NamedTuple):
    """The fields of a record's id and payload, and the hex digits of the payload's groups."""

    id_field: str
    field: str
    digits: int


def frame_of(line: bytes, spelled: RecordForm, name: bytes, data: bytes) -> bytes:
    """Returns the frame of a good record's line. name: its id as JSON; data: the bytes of its payload."""
    there = members(line)
    payload = bytes_to_payload(data, spelled.digits).encode()
    marked = line
    spellings = [
        (member_of(line, there, spelled.id_field), name, ID),
        (member_of(line, there, spelled.field), b'"%b"' % payload, b'"%b"' % PAYLOAD),
    ]
    for place, spelling, mark in sorted(spellings, key=lambda each: each[0].value if each[0] else 0, reverse=True):
        if place is None or line[place.value : place.end] != spelling:
            marked = line
            break
        marked = marked[: place.value] + mark + marked[place.end :]
    return marked if data else line + EMPTY


def line_of(frame: bytes, name: bytes, data: bytes, digits: int) -> bytes:
    """Returns the line that a frame makes with this id and payload."""
    if frame.endswith(EMPTY):
        return frame[:-1]
    return frame.replace(ID, name).replace(PAYLOAD, bytes_to_payload(data, digits).encode())


def frames_of(batch: RecordBatch, spelled: RecordForm) -> tuple[bytes, Index]:
    """Returns the frames of a batch of ids and payloads, one after the other, and the bytes of each, shape (rows,)."""
    frames, sizes = cut_frames(batch, spelled.digits)
    odd = np.flatnonzero(np.frombuffer(batch.lasts, np.int64) < 0).tolist()
    if not odd:
        return frames, sizes
    names, payloads = ([*split_ids(column.data, column.sizes)] for column in batch.columns)
    every = [*split_ids(frames, sizes)]
    for row in odd:
        every[row] = frame_of(batch.line(row), spelled, names[row], payloads[row])
    return b"".join(every), np.array([*map(len, every)])


def cut_frames(batch: RecordBatch, digits: int) -> tuple[bytes, Index]:
    """Returns the frames of rows that the kernel has read; of others, their lines."""
    starts, lines = np.frombuffer(batch.starts, np.int64), batch.lines
    ends = np.append(starts[1:], batch.end) - 1
    ends[-1] += lines[batch.end - 1 : batch.end] != b"\n"
    ids, payloads = (np.frombuffer(column.starts, np.int64) for column in batch.columns)
    names = np.frombuffer(batch.columns[0].sizes, np.int64)
    cut = payloads >= 0  # other lines are frames as they are
    row = int(np.argmax(cut))  # all payloads are as long as the first one
    size = int(np.frombuffer(batch.columns[1].sizes, np.int64)[row])
    in_lines = lines[payloads[row] + 1] != ord('"')
    payload = size // (digits // 2) * (digits + 1) - 1 if in_lines else 0
    first = ids < payloads
    stops = np.where(first, ids, payloads + 1), np.where(first, payloads + 1, ids)  # after the quote of a payload
    goes_on = np.where(first, ids + names, stops[0] + payload), np.where(first, stops[1] + payload, ids + names)
    # The piece before each value gets one more byte, for the mark
    begin = np.stack([starts, np.where(cut, goes_on[0], ends), np.where(cut, goes_on[1], ends)], axis=1)
    end = np.stack([np.where(cut, stops[0] + 1, ends), np.where(cut, stops[1] + 1, ends), ends], axis=1)
    sizes = end - begin
    frames = np.frombuffer(lines, np.uint8)[spread(begin.reshape(-1), sizes.reshape(-1))[0]]
    marks = np.cumsum(sizes.reshape(-1)).reshape(-1, 3)[cut, :2] - 1
    frames[marks] = np.where(first[cut, None], np.array(list(ID + PAYLOAD)), np.array(list(PAYLOAD + ID)))
    return frames.tobytes(), sizes.sum(axis=1)


class Frames:
    """Distinct frames, numbered as they come."""

    def __init__(self) -> None:
        self.kept = kernel.new_ids()  # it can hold any bytes

    def __getstate__(self) -> tuple[bytes, Index]:
        heap, cuts = self.heap()
        return heap.tobytes(), np.diff(cuts)

    def __setstate__(self, state: tuple[bytes, Index]) -> None:
        self.kept = kernel.new_ids()
        self.numbers(*state)

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def memory(self) -> int:
        """Returns about how many bytes they take."""
        return len(self.kept.data) + FRAME_BYTES * len(self)

    def number(self, frame: bytes) -> int:
        """Returns the number of a frame, which is added if it is new."""
        return int(self.numbers(frame, np.array([len(frame)]))[0])

    def numbers(self, frames: bytes, sizes: Index) -> Index:
        """Returns the numbers of frames, given one after the other, and adds new ones. Shape (frames,)."""
        return np.frombuffer(self.kept.number(frames, sizes), np.int64)

    def heap(self) -> tuple[NDArray[np.uint8], Index]:
        """Returns all frames, one after the other; the start of each, and the end of the last."""
        return np.frombuffer(self.kept.data, np.uint8), np.append(0, np.frombuffer(self.kept.ends, np.int64))
