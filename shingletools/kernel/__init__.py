"""The hot loops. This module has the loops over strings; `arrays` has those over numpy arrays, for some commands.

If the package was built with a C compiler, `_kernel` computes the same bits as the definitions here, but faster. The
environment may choose: SHINGLETOOLS_KERNEL=c or numpy. A comment at the top of each file in C, or of its header, says
what the file does. A build leaves `_kernel` out if a function differs from its definition, so that results do not
depend on a compiler.

line_columns        definition: lines as columns
lines               definition: lines in bytes, and elements of JSON arrays
memo                definition: words that were seen before
payload_codec       definition: payloads
payload_signatures  definition: signatures of payloads
ids                 definition: ids with numbers, and lines of pairs
groups              definition: lines of groups, and connected components
reference_arrays    definition: loops over arrays
independent_set     definition: which documents of pairs stay
winnowing           definition: runs of words, found by winnowed fingerprints
own_words           definition: the words that only one of two texts has
overlap_bound       the least overlap of two sets that are a pair
compiled_arrays     the loops over arrays in C
arrays              the loops over arrays, in C or by their definition
types               types of arrays
array_checks        compares the loops over arrays in C with their definitions
self_check          compares all functions in C with their definitions
kernel_build        compiles the kernel and compares it with its definition, during a build
"""

import importlib
import os
import sys

from shingletools.kernel.lines import split_lines
from shingletools.kernel.payload_codec import payload_to_bytes

if sys.maxsize < 1 << 32:  # rows are numbered by int64, which numpy does not take as an index there
    raise ImportError("shingletools needs a Python of 64 bits")

NOTE_FILE = "left_out.txt"  # says why a build left the C kernel out
WANTED = os.environ.get("SHINGLETOOLS_KERNEL") or None
CHOICES = ("c", "numpy")
NAME = "numpy"

if WANTED != "numpy":
    try:
        importlib.import_module("shingletools.kernel._kernel")
        NAME = "c"
    except ModuleNotFoundError:  # see absence; the driver fails if the environment asks for C
        pass


def absence() -> str:
    """Returns why there is no C kernel; empty if there is one or it is not wanted."""
    if NAME == "c" or WANTED == "numpy":
        return ""
    try:
        with open(os.path.join(os.path.dirname(__file__), NOTE_FILE), encoding="utf-8") as file:
            cause = file.read().strip()
    except OSError:
        cause = "it was not built"
    return f"no C kernel, which is several times faster: {cause}"


if NAME == "c":
    from shingletools.kernel._kernel import (
        FingerprintMemo,
        count_lines,
        element_end,
        end_with_parent,
        fail_at_exit,
        keep_memory,
        link_function,
        link_minima,
        link_simhash,
        link_weighted_simhash,
        linked_lines,
        list_fingerprints,
        minima,
        read_frequencies,
        read_weights,
        record_lines,
        simhash,
        weigh_fingerprints,
    )
    from shingletools.kernel.line_columns import compiled_columns as read_columns
    from shingletools.kernel.memo import compiled_words as words
else:

    def end_with_parent() -> bool:
        """Returns whether this process is killed when its parent ends.

        Without C it is not, because that needs a system call.
        """
        return False

    def fail_at_exit() -> None:
        """Gives the process status 2 if a library calls exit(). Without C it does nothing."""

    def keep_memory() -> bool:
        """Returns whether this process keeps the memory that it frees. Without C it does not."""
        return False

    from shingletools.kernel.line_columns import read_columns
    from shingletools.kernel.lines import count_lines, element_end, record_lines
    from shingletools.kernel.lines import no_link as link_function
    from shingletools.kernel.lines import no_link as link_minima
    from shingletools.kernel.lines import no_link as link_simhash
    from shingletools.kernel.lines import no_link as link_weighted_simhash
    from shingletools.kernel.lines import no_rows as read_frequencies
    from shingletools.kernel.lines import no_rows as read_weights
    from shingletools.kernel.lines import no_slots as list_fingerprints
    from shingletools.kernel.lines import no_slots as weigh_fingerprints
    from shingletools.kernel.memo import FingerprintMemo, WordMemo  # type: ignore[assignment]
    from shingletools.kernel.payload_signatures import minima, simhash

    words = WordMemo
