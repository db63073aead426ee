"""The names of an archive's files and of a segment's columns, and how to recognise an archive."""

import os
import re

MANIFEST, NEW, LOCK = "manifest.json", "manifest.json.new", "lock"
OURS = re.compile(r"[0-9]{6,}\.(npz|sums\.npy|removed\.npy)|manifest\.json(\.new)?|lock")
NAMES, GRAMS, TABLE = "names", "grams", "<u8,<u4"  # the names of the tables of ids and of grams; the dtype of tables
SEGMENT = re.compile(r"[0-9]{6,}\.npz")


def manifest_in(folder: str) -> str:
    """Returns the path of an archive's manifest, which changes whenever the archive does."""
    return os.path.join(folder, MANIFEST)


def segment_file(number: int) -> str:
    return f"{number:06}.npz"


def sums_file(number: int) -> str:
    return f"{number:06}.sums.npy"


def removed_file(number: int) -> str:
    return f"{number:06}.removed.npy"


def band_name(number: int) -> str:
    """Returns the name of a band's table."""
    return f"band{number}"


def a_segment_in(folder: str) -> str:
    """Returns the name of a segment's file in a folder; "" if it has none, or cannot be read."""
    try:
        return min((name for name in os.listdir(folder) if SEGMENT.fullmatch(name)), default="")
    except OSError:
        return ""


def archive_of(path: str) -> str:
    """Returns the folder of the archive that a file is part of; "" if there is none.

    >>> archive_of("old/000001.npz")
    ''
    """
    folder, name = os.path.split(path)
    return (folder or ".") if OURS.fullmatch(name) and is_archive(folder) and os.path.isfile(path) else ""


def is_archive(path: str) -> bool:
    """Returns whether a folder has a manifest."""
    return os.path.isfile(manifest_in(path))
