"""Loads modules, and makes other objects, when they are first used.

A module that is imported from here, `from shingletools.system.lazy_imports import orjson`, is loaded when one of its
attributes is first used. To add one, import it below, for mypy; NAMES has those within a package.
"""
# ruff: noqa: PLC0414 ("as" tells mypy that others may import it from here)

import importlib
import sys
from collections.abc import Callable
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from shingletools.system.errors import Failed

Made = TypeVar("Made")
NAMES = {
    "distance": "rapidfuzz.distance",
    "payload_signatures": "shingletools.kernel.payload_signatures",
    "zstd": "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
}

if TYPE_CHECKING:
    import bz2 as bz2
    import hashlib as hashlib
    import lzma as lzma
    import subprocess as subprocess
    import tempfile as tempfile
    import zipfile as zipfile
    import zlib as zlib

    import blake3 as blake3
    import numpy as numpy
    import orjson as orjson
    import regex as regex
    import wcwidth as wcwidth
    from backports import zstd as zstd
    from rapidfuzz import distance as distance

    from shingletools.kernel import payload_signatures as payload_signatures
else:

    def __getattr__(name: str) -> "LazyObject":
        """Returns the module of this name (PEP 562)."""
        if name.startswith("_"):
            raise AttributeError(name)
        return module(NAMES.get(name, name))


class LazyObject:
    """A proxy for the object that a function makes when one of its attributes is first used.

    It keeps the attributes, so that hot loops lose nothing. (Python 3.15 has lazy imports: PEP 810.)

    >>> made = []
    >>> word = LazyObject(lambda: made.append("here") or "word")
    >>> len(made), word.upper(), len(made)
    (0, 'WORD', 1)
    """

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = cache(make)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._make(), name)
        setattr(self, name, value)
        return value


def lazy(make: Callable[[], Made]) -> Made:
    """Returns a proxy for the object that the function makes; only its attributes may be used."""
    return cast(Made, LazyObject(make))


@cache
def module(name: str) -> LazyObject:
    """Returns the proxy for a module, always the same object."""
    return LazyObject(partial(importlib.import_module, name))


def needs(option: str, module: str, extra: str = "lang") -> ModuleType:
    """Imports a package of an extra; if it is missing, raises Failed with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        every = f"pip install '.[{extra}]' in a clone of the source"
        raise Failed(f"{option} needs {package}: pip install {package} (or, for all such, {every})") from None
