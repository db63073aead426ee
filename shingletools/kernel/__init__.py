"""The hot loops: here what works on strings, in `arrays` what works on arrays of numpy, which not every command needs.

`lines`, `memo`, `codec`, `strings`, `ids`, `groups` and `reference` define them. `_kernel` gives the same bits, faster,
where the package was built with a C compiler. The environment may choose: SHINGLETOOLS_KERNEL=c or numpy.
"""

import os

WANTED = os.environ.get("SHINGLETOOLS_KERNEL") or None
CHOICES = ("c", "numpy")
NAME = "numpy"
watcher: object = None  # of signals; see signals.Watcher

if WANTED != "numpy":
    try:
        import shingletools.kernel._kernel as watcher

        NAME = "c"
    except ModuleNotFoundError:  # there was no compiler; the driver says so if one is wanted
        pass

if NAME == "c":
    from shingletools.kernel._kernel import (
        count_lines,
        each_line,
        end_with_parent,
        keep_memory,
        link_minima,
        link_simhash,
        linked_lines,
        minima,
        payload_to_bytes,
        simhash,
        split_lines,
    )
    from shingletools.kernel.memo import compiled_fingerprints as fingerprints
    from shingletools.kernel.memo import compiled_words as words
else:

    def end_with_parent() -> bool:
        """Whether this process is killed when its parent ends: only a system call can ask for that."""
        return False

    def keep_memory() -> bool:
        """Whether this process keeps memory that it frees."""
        return False

    from shingletools.kernel.codec import payload_to_bytes
    from shingletools.kernel.lines import count_lines, split_lines
    from shingletools.kernel.lines import leave as each_line
    from shingletools.kernel.lines import leave as linked_lines
    from shingletools.kernel.lines import unlinked as link_minima
    from shingletools.kernel.lines import unlinked as link_simhash
    from shingletools.kernel.memo import reference_fingerprints as fingerprints
    from shingletools.kernel.memo import reference_words as words
    from shingletools.kernel.strings import minima, simhash

__all__ = [
    "NAME",
    "count_lines",
    "each_line",
    "end_with_parent",
    "fingerprints",
    "keep_memory",
    "link_minima",
    "link_simhash",
    "linked_lines",
    "minima",
    "payload_to_bytes",
    "simhash",
    "split_lines",
    "watcher",
    "words",
]  # fmt: skip
