"""The hot loops. This module has those on strings; `arrays` has those on numpy arrays, which not every command needs.

If the package was built with a C compiler, `_kernel` gives the same bits faster as the definitions here. The
environment may choose: SHINGLETOOLS_KERNEL=c or numpy. A file in C, or its header, says at its top what it does. A
build leaves `_kernel` out if a function differs from its definition, so that the numbers do not depend on a compiler.

line_columns            definition: lines as columns
lines                   definition: lines in bytes, and elements of JSON arrays
memo                    definition: words that were seen before
payload_codec           definition: payloads
payload_signatures      definition: loops over strings
ids                     definition: numbered ids, and pairs of them as lines
groups                  definition: groups of ids as lines, and what pairs connect
reference_arrays        definition: loops over arrays
independent_set         definition: which documents are kept where pairs decide
winnowing               definition: runs of words that texts may share
weighted_minhash_times  definition: which of weighted shingles comes first
compiled_arrays         the loops over arrays in C
arrays                  chooses between these and their definition
types                   types of arrays
self_check              compares each function in C with its definition
kernel_build            what a build does: it compiles, and has the functions compared
"""

import importlib
import os

NOTE_FILE = "left_out.txt"  # by a build that left the C kernel out
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
        count_lines,
        element_end,
        end_with_parent,
        fail_at_exit,
        keep_memory,
        link_function,
        link_minima,
        link_simhash,
        link_weighted_minima,
        link_weighted_simhash,
        linked_lines,
        list_fingerprints,
        minima,
        payload_to_bytes,
        read_frequencies,
        read_weights,
        record_lines,
        simhash,
        split_lines,
        weigh_fingerprints,
    )
    from shingletools.kernel.line_columns import compiled_columns as read_columns
    from shingletools.kernel.memo import compiled_fingerprints as fingerprints
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
        """Returns whether this process keeps the memory that it frees. Without C it cannot be told to."""
        return False

    from shingletools.kernel.line_columns import read_columns
    from shingletools.kernel.lines import (
        count_lines,
        element_end,
        list_fingerprints,
        read_frequencies,
        read_weights,
        record_lines,
        split_lines,
        weigh_fingerprints,
    )
    from shingletools.kernel.lines import no_link as link_function
    from shingletools.kernel.lines import no_link as link_minima
    from shingletools.kernel.lines import no_link as link_simhash
    from shingletools.kernel.lines import no_link as link_weighted_minima
    from shingletools.kernel.lines import no_link as link_weighted_simhash
    from shingletools.kernel.memo import reference_fingerprints as fingerprints
    from shingletools.kernel.memo import reference_words as words
    from shingletools.kernel.payload_codec import payload_to_bytes
    from shingletools.kernel.payload_signatures import minima, simhash
