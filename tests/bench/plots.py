"""The tables of quality.py as plots: SVG that is the same to the byte for the same counts."""

from collections.abc import Sequence
from pathlib import Path

import bands
import intervals
import matplotlib as mpl
import matplotlib.pyplot as plt
import signatures
import tasks
from matplotlib.axes import Axes

mpl.use("svg")
mpl.rcParams.update({"svg.hashsalt": "quality", "svg.fonttype": "none", "font.size": 8})
# Lines that are distinguished by colour and mark, on a panel each, as many as can be
PANELS = (
    ("84 minima, t 0.8", "256 minima, t 0.8", "84 and --verify", "84 minima, t 0.6", "84, t 0.5, recall .9"),
    ("gaoya, t 0.8", "rensa, t 0.8", "datasketch, t 0.8", "gaoya, t 0.6", "rensa, t 0.6"),
    ("super 14, m 2", "simhash, k 1, d 3", "simhash, k 3, d 3", "simhash, k 3, d 6", "--mod 8", "--longest 3"),
    ("I-Match", "I-Match, 9 lexicons", "6 heaviest words", "spots, k 4, t 0.8"),
)
MARKS = "osv^Dx"


def save(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    plt.tight_layout()
    plt.savefig(path, metadata={"Date": None})
    plt.close()


def points(
    axes: Axes, places: Sequence[float], counts: Sequence[Sequence[tuple[int, int]]], marker: str, label: str = ""
) -> None:
    """Shares with their intervals; where there is nothing to count, there is no point."""
    shares = [(place, share) for place, each in zip(places, counts, strict=True) if (share := intervals.pooled(each))]
    middle = [share.share for _, share in shares]
    below, above = ([abs(getattr(share, side) - share.share) for _, share in shares] for side in ("low", "high"))
    axes.errorbar(
        [place for place, _ in shares], middle, yerr=[below, above], capsize=2, ms=3, lw=1, marker=marker, label=label
    )


def plot_bands(path: Path, title: str, seeds: Sequence[dict[str, bands.Counts]]) -> None:
    """Above the recall in each band, below the precision at each least similarity, of all signatures and peers."""
    figure, grid = plt.subplots(2, len(PANELS), figsize=(14, 6), sharey=True)
    figure.suptitle(title)
    for (above, below), names in zip(grid.T, PANELS, strict=True):
        for mark, name in zip(MARKS, names, strict=False):
            each = [counts[name] for counts in seeds]
            whole = range(len(signatures.BANDS))
            points(
                above, list(whole), [[counts.bands[band] for counts in each] for band in whole], marker=mark, label=name
            )
            points(
                below,
                list(bands.LEASTS),
                [[(counts.right[least], counts.found) for counts in each] for least in range(len(bands.LEASTS))],
                marker=mark,
            )
        above.set_xticks(list(whole), [head.replace(" to ", "-") for head in signatures.HEADS])
        above.set_xlabel("true Jaccard similarity")
        below.set_xlabel("so similar at least")
        above.legend()
    for row, name in zip(grid, ("recall", "precision"), strict=True):
        row[0].set_ylabel(name)
    save(path)


def plot_task(path: Path, title: str, seeds: Sequence[dict[str, tasks.Found]]) -> None:
    """Recall and precision of each pipeline."""
    figure, axes = plt.subplots(figsize=(10, 0.35 * len(seeds[0]) + 1.2))
    names = list(seeds[0])
    for shift, mark, label in ((-0.1, "o", "recall"), (0.1, "s", "precision")):
        for place, name in enumerate(names):
            each = [seed[name] for seed in seeds]
            share = intervals.pooled(
                [
                    (
                        found.right,
                        sum(number for _, number in found.copies.values()) if label == "recall" else found.found,
                    )
                    for found in each
                ]
            )
            if share:
                reach = [[share.share - share.low], [share.high - share.share]]
                colour = "C0" if label == "recall" else "C1"
                axes.errorbar([share.share], [place + shift], xerr=reach, marker=mark, capsize=2, ms=4, color=colour)
        axes.plot([], [], marker=mark, label=label)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(-0.02, 1.02)
    axes.legend()
    figure.suptitle(title)
    save(path)
