"""simgroup on a cluster: nodes become groups, and groups lines."""

import numpy as np
import pyarrow as pa

from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import IdsAt
from shingletools.spark.batches import Batches, batch_of
from shingletools.spark.exchange import runs
from shingletools.spark.packed_names import NAMES, Named, concatenated, in_parts, numbers_of, rows_of
from shingletools.spark.parts import PARTS

GROUP_FIGURES = "groups", "documents in them", "in the largest", "without a pair with their first"
PART = 1 << 25  # bytes of groups in a part, if names have one size; a part has at least one group
ROW = 1 << 22  # bytes of names in a row of groups
# For each node of a unit, the first of its group, or -1 if it has none
ROOTS = pa.schema([("unit", pa.int32()), ("roots", pa.binary())])
NODES = pa.schema([("unit", pa.int32()), ("node", pa.int64())])
PLACED = pa.schema([("part", pa.int64()), *NAMES[1:], ("roots", pa.binary())])


def to_nodes(batches: Batches) -> Batches:
    """Units to their nodes, one in a row."""
    for batch in batches:
        for row in batch.to_pylist():
            nodes = numbers_of(row["numbers"])
            yield batch_of(NODES, [np.full(len(nodes), row["unit"], np.int32), nodes])


def to_roots(batches: Batches) -> Batches:
    """Nodes with their roots, by unit and node, to the roots of each unit. Memory: a unit."""
    held: list[bytes] = []
    unit = None
    for batch in batches:
        units, roots = batch.column("unit").to_numpy(), batch.column("root").to_numpy()
        starts = np.append(0, np.flatnonzero(units[1:] != units[:-1]) + 1)[: len(units)]
        for start, some in zip(starts.tolist(), np.split(roots, starts[1:]), strict=False):
            if held and int(units[start]) != unit:
                yield rows_of(ROOTS, [{"unit": unit, "roots": b"".join(held)}])
                held = []
            unit = int(units[start])
            held.append(some.tobytes())
    if held:
        yield rows_of(ROOTS, [{"unit": unit, "roots": b"".join(held)}])


def to_placed(width: int, batches: Batches) -> Batches:
    """Names and roots of units to parts of groups, which are in the order of their roots.

    width: of a part, in nodes. Memory: a unit.
    """
    for _, rows in runs(batches, "unit"):
        columns = {name: each for row in rows for name, each in row.items() if each is not None}
        roots, nodes = numbers_of(columns["roots"]), numbers_of(columns["numbers"])
        some = np.flatnonzero(roots >= 0)
        order = some[np.argsort(roots[some] // width, kind="stable")]
        parts, counts = np.unique(roots[order] // width, return_counts=True)
        named = Named(columns["names"], numbers_of(columns["sizes"])).at(order)
        placed = in_parts(named, counts, "part", numbers=nodes[order], roots=roots[order])
        yield rows_of(PLACED, [{**row, "part": int(parts[row["part"]])} for row in placed])


def write_groups(batches: Batches) -> Batches:
    """Members of the groups of a part to lines. Memory: a part; a group may have any number of members."""
    for part, rows in runs(batches, "part"):
        columns = list(zip(*((row["names"], row["sizes"], row["numbers"], row["roots"]) for row in rows),
                           strict=True))  # fmt: skip
        names = b"".join(columns[0])
        sizes, nodes, roots = map(concatenated, columns[1:])
        order = np.lexsort((nodes, roots))
        firsts = np.flatnonzero(np.append(True, np.diff(roots[order]) != 0))
        members = np.diff(firsts, append=len(order))
        ends = np.cumsum(sizes)
        before = np.append(0, np.cumsum(sizes[order]))
        group = 0
        while group < len(firsts):
            next_group = int(np.searchsorted(before[firsts], before[firsts[group]] + ROW, "right"))
            next_group = max(group + 1, next_group - 1) if next_group < len(firsts) else next_group
            start, end = int(firsts[group]), int(members[group:next_group].sum() + firsts[group])
            lines = kernel.group_lines(IdsAt(names, ends, order[start:end]), members[group:next_group])
            yield rows_of(PARTS, [{"part": part, "number": int(roots[order[start]]), "lines": lines}])
            group = next_group
