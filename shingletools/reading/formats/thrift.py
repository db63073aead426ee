"""Reads Thrift's compact protocol, which Parquet's metadata has: see thrift-compact-protocol.md of Apache Thrift."""

from typing import Any, BinaryIO

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, _, STRUCT = range(1, 13)
LONG = 15  # instead of the size of a list that has so many elements or more
LOW = 0x7F  # the bits of a byte that belong to an integer; the high bit says that more follow
MAX_STRING_BYTES = 1 << 26  # bytes of a string

Struct = dict[int, Any]  # values by the numbers of their fields


def read_struct(file: BinaryIO) -> Struct:
    """Reads a struct. Raises ValueError if it is malformed.

    >>> from io import BytesIO
    >>> read_struct(BytesIO(b"\\x15\\x05\\x19\\x18\\x01a\\0"))
    {1: -3, 2: [b'a']}
    """
    fields: Struct = {}
    number = 0
    while head := read_byte(file):
        step, kind = divmod(head, 16)
        number = number + step if step else read_integer(file)
        fields[number] = kind == TRUE if kind in (TRUE, FALSE) else read_value(file, kind)
    return fields


def read_value(file: BinaryIO, kind: int) -> Any:
    if kind in (TRUE, FALSE, BYTE):  # the former two in lists
        return read_byte(file)
    if kind in (I16, I32, I64):
        return read_integer(file)
    if kind in (BINARY, DOUBLE):
        size = 8 if kind == DOUBLE else read_unsigned(file)
        value = file.read(min(size, MAX_STRING_BYTES))
        if len(value) < size:
            raise ValueError("a string ends too early")
        return value
    if kind in (LIST, SET):
        size, element = divmod(read_byte(file), 16)
        return [read_value(file, element) for _ in range(read_unsigned(file) if size == LONG else size)]
    if kind == STRUCT:
        return read_struct(file)
    raise ValueError(f"no type {kind}")


def read_byte(file: BinaryIO) -> int:
    if byte := file.read(1):
        return byte[0]
    raise ValueError("a struct ends too early")


def read_unsigned(file: BinaryIO) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = read_byte(file)
        value |= (byte & LOW) << shift
        if byte <= LOW:
            return value
    raise ValueError("an integer has more than 64 bits")


def read_integer(file: BinaryIO) -> int:
    value = read_unsigned(file)
    return value >> 1 ^ -(value & 1)
