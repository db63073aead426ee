"""The names of an archive's files, and what is an archive."""

import os
import re

MANIFEST, NEW, LOCK = "manifest.json", "manifest.json.new", "lock"
OURS = re.compile(r"[0-9]{6,}\.(npz|sums\.npy|removed\.npy)|manifest\.json(\.new)?|lock")


def segment_file(number: int) -> str:
    return f"{number:06}.npz"


def sums_file(number: int) -> str:
    return f"{number:06}.sums.npy"


def removed_file(number: int) -> str:
    return f"{number:06}.removed.npy"


def is_archive(path: str) -> bool:
    """Whether a folder has a manifest."""
    return os.path.isfile(os.path.join(path, MANIFEST))
