"""Payloads as bytes, and back: groups of hex digits of fixed width, single spaces between them."""


def bytes_to_payload(data: bytes, digits: int) -> str:
    """Returns the payload of some bytes: groups of `digits` hex digits, single spaces between them.

    >>> bytes_to_payload(bytes([0, 1, 255, 255]), 4)
    '0001 ffff'
    """
    return data.hex(" ", digits // 2) if data else ""


def payload_to_bytes(payload: str, digits: int, /) -> bytes | None:
    """Returns the bytes of a payload; None unless it is groups of `digits` (2, 4, 8 or 16) hex digits.

    >>> payload_to_bytes("00000001 ffffffff", 8).hex()
    '00000001ffffffff'
    >>> payload_to_bytes("00000001  ffffffff", 8) is None
    True
    """
    groups, rest = divmod(len(payload) + 1, digits + 1)
    if rest or payload[digits :: digits + 1] != " " * (groups - 1):
        return None
    try:
        data = bytes.fromhex(payload)
    except ValueError:
        return None
    # fromhex skips white space, so stray blanks only show as missing bytes
    return data if 2 * len(data) == digits * groups else None
