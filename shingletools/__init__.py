"""A suite of Unix filters that find near-duplicate texts; see shingletools(7), and shingletools-python(3)."""

from typing import TYPE_CHECKING

__version__ = "0.1.0"
UNICODE = "14.0"  # the version that canon is defined on; see canon/known_characters.py
OFFERED = {  # what programs import, and where it is
    "Archive": ("commands.simindex.archive_queries", "AskedArchive"),
    "Failed": ("system.errors", "Failed"),
    "Pipeline": ("running.api", "Pipeline"),
    "RejectedRecord": ("running.result", "RejectedRecord"),
    "Result": ("running.result", "Result"),
    "groups": ("running.api", "groups"),
    "run": ("running.api", "run"),
    "unique": ("running.api", "unique"),
}

if TYPE_CHECKING:
    from shingletools.commands.simindex.archive_queries import AskedArchive as Archive
    from shingletools.running.api import Pipeline, groups, run, unique
    from shingletools.running.result import RejectedRecord, Result
    from shingletools.system.errors import Failed

__all__ = ["Archive", "Failed", "Pipeline", "RejectedRecord", "Result", "groups", "run", "unique"]


def __getattr__(name: str) -> object:
    """Loads a name of OFFERED when it is first used (PEP 562), since commands import this package, too."""
    if name not in OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # as above

    module, inner = OFFERED[name]
    found: object = getattr(import_module(f"{__name__}.{module}"), inner)
    globals()[name] = found
    return found
