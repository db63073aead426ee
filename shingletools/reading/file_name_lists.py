"""Reads the names of files from a list that find -print0 or another program wrote, each with a zero byte."""

import os

from shingletools.system.errors import Failed, printable
from shingletools.system.interruptible_reads import blocks_of


def names_in(path: str) -> list[str]:
    """Reads names that end with zero bytes, the last perhaps without. path: "-" is standard input. Raises Failed."""
    shown = f"--files0-from: {printable(path)}"
    try:
        with open(0 if path == "-" else path, "rb", buffering=0, closefd=path != "-") as file:
            content = b"".join(blocks_of(file.fileno()))
    except OSError as error:
        raise Failed(f"{shown}: {error.strerror}") from None
    names = content.removesuffix(b"\0").split(b"\0") if content else []
    for place, name in enumerate(names, 1):
        if not name:
            raise Failed(f"{shown}:{place}: an empty name")
    if b"\n" in content and b"\0" not in content and not os.path.lexists(content):
        raise Failed(
            f"{shown}: the names stand on lines, but each must end with a zero byte: tr '\\n' '\\0' converts them"
        )
    return list(map(os.fsdecode, names))
