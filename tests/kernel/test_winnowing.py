"""Winnowed runs: runs that are equal have their gram at the same place."""

import numpy as np

from shingletools.kernel import arrays
from shingletools.kernel.array_checks import lined_texts
from shingletools.kernel.winnowing import Winnowing


def test_every_run_belongs_to_one_place_and_equal_runs_have_one_fingerprint() -> None:
    draw = np.random.default_rng(2)
    for alphabet in (1, 2, 7):
        texts, how = lined_texts(draw, alphabet), Winnowing.for_runs(7, 5)
        runs: list[tuple[int, tuple[bytes, ...]]] = []
        at = 0
        for text in texts.split(b"\n")[:-1]:
            words = text.split(b" ")
            begins = np.cumsum([0, *(len(word) + 1 for word in words)])[:-1]
            runs += [(at + int(begins[i]), tuple(words[i : i + 5])) for i in range(len(words) - 4)]
            at += len(text) + 1
        _, places = arrays.winnow(texts, how)
        counts, keys, starts = arrays.winnowed_runs(texts, places, how)
        assert sorted(starts.tolist()) == [place for place, _ in runs]
        assert int(counts.sum()) == len(runs)
        by_place = dict(runs)
        assert len({(by_place[start], key) for start, key in zip(starts.tolist(), keys.tolist(), strict=True)}) == len(
            {words for _, words in runs}
        )
