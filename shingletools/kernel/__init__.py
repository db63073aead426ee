"""The hot loops: here what works on strings, in `arrays` what works on arrays of numpy, which not every command needs.

`strings` and `reference` define them. `_kernel` gives the same bits, faster, where the package was built with a C
compiler. The environment may choose: SHINGLETOOLS_KERNEL=c or numpy.
"""

import importlib.util
import os

from shingletools.wire import Failed, shown


def choose(wanted: str | None) -> str:
    """The kernel's name; raises Failed if what is wanted is not there."""
    if wanted not in (None, "", "c", "numpy"):
        raise Failed(f"SHINGLETOOLS_KERNEL is neither c nor numpy: {shown(wanted)}")
    built = importlib.util.find_spec("shingletools.kernel._kernel") is not None
    if wanted == "c" and not built:
        raise Failed("SHINGLETOOLS_KERNEL=c: the package was installed without a C compiler")
    return "c" if built and wanted != "numpy" else "numpy"


NAME = choose(os.environ.get("SHINGLETOOLS_KERNEL"))

if NAME == "c":
    from shingletools.kernel import _kernel
    from shingletools.kernel._kernel import count_lines, minima, simhash, split_lines, words_to_bytes
    from shingletools.kernel.memo import compiled_fingerprints as fingerprints
    from shingletools.kernel.memo import compiled_words as words
else:
    from shingletools.kernel.lines import count_lines, split_lines
    from shingletools.kernel.memo import reference_fingerprints as fingerprints
    from shingletools.kernel.memo import reference_words as words
    from shingletools.kernel.strings import minima, simhash, words_to_bytes

watcher: object = _kernel if NAME == "c" else None  # of signals; see signals.Watcher

__all__ = [
    "NAME", "count_lines", "fingerprints", "minima", "simhash", "split_lines", "watcher", "words", "words_to_bytes",
]  # fmt: skip
