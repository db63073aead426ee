"""Winnowed runs: C and definition agree on any texts, and runs that are equal have their gram at the same place."""

import random
from typing import Any

import numpy as np
import pytest

from shingletools import kernel
from shingletools.kernel import winnowing
from shingletools.kernel.winnowing import ALL, Winnowing


def texts_of(chance: random.Random, alphabet: int) -> bytes:
    def word() -> bytes:
        return chance.choice(["", "é", "日本"])[: alphabet % 3].encode() + b"%d" % chance.randrange(alphabet)

    return b"".join(b" ".join(word() for _ in range(chance.randrange(40))) + b"\n" for _ in range(6))


def same(one: tuple[Any, ...], two: tuple[Any, ...]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.skipif(kernel.NAME != "c", reason="compares C with its definition")
def test_c_does_what_the_definition_says() -> None:
    from shingletools.kernel import compiled  # it exists only with a C compiler

    chance = random.Random(1)
    for alphabet in (1, 2, 3, 50):
        for mask in (ALL, 3):
            for gram, run in ((1, 1), (1, 4), (2, 3), (3, 3), (4, 9)):
                how = Winnowing(chance.getrandbits(64), gram, run, mask)
                texts = texts_of(chance, alphabet)
                found = compiled.winnow(texts, how)
                assert same(found, winnowing.winnow(texts, how))
                assert same(compiled.winnowed_runs(texts, found[1], how), winnowing.winnowed_runs(texts, found[1], how))
                left, right, words = np.array([[chance.randrange(len(texts)) for _ in range(50)] for _ in range(3)])
                assert np.array_equal(
                    compiled.equal_words(texts, left, texts, right, words),
                    winnowing.equal_words(texts, left, texts, right, words),
                )
                listed = 5, kernel.list_fingerprints(found[0][:3].tobytes(), b"", 5), True
                kept = np.isin(found[0], found[0][:3])
                assert same(compiled.winnow(texts, how, listed), tuple(each[kept] for each in found))


def test_every_run_belongs_to_one_place_and_equal_runs_have_one_fingerprint() -> None:
    from shingletools.kernel import arrays

    chance = random.Random(2)
    for alphabet in (1, 2, 7):
        texts, how = texts_of(chance, alphabet), Winnowing.of(7, 5)
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
