"""Counts of strings and of fingerprints, and lists of them, against brute force."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools import kernel
from shingletools.commands.shingle import fingerprint_counts, string_counts
from shingletools.commands.shingle.fingerprint_counts import FingerprintCounts
from shingletools.commands.shingle.frequency_filter import FingerprintListing
from shingletools.commands.shingle.frequency_limits import FrequencyLimit, frequency_limit
from shingletools.commands.shingle.string_counts import StringCounts
from shingletools.numbers.inverse_document_frequency import inverse_frequency
from shingletools.numbers.sorter import SortingLimits
from shingletools.reading.shingle_tables import MAX_DOCUMENTS
from shingletools.system.memory_limit import Memory

SCRATCH = Memory(0, "/tmp")


def packed(fingerprints: list[int]) -> bytes:
    return np.array(fingerprints, np.uint64).tobytes()


@given(st.integers(1, MAX_DOCUMENTS), st.integers(1, MAX_DOCUMENTS))
def test_weights_are_binary_logarithms(documents: int, df: int) -> None:
    """Rounded from the 80 bits behind the point that squaring gives, in whole numbers."""
    df = min(documents, df)
    whole = 0
    while df << whole + 1 <= documents:
        whole += 1
    precision = 300
    power, bits = (documents << precision) // (df << whole), 0
    for _ in range(80):
        power = power * power >> precision
        bits = bits << 1 | power >> precision + 1
        power >>= power >> precision + 1
    logarithm = Fraction((whole << 80) + bits, 1 << 80)
    expected = (2 * 10**6 * logarithm + 1) // 2  # no tie: it is whole, or irrational
    assert inverse_frequency(documents, df) == float(f"{expected // 10**6}.{expected % 10**6:06d}")


@given(
    some=st.lists(st.frozensets(st.text("ab\u00e9\u0001\U0001f600\uffff", min_size=1, max_size=3), max_size=5)),
    most=st.integers(0, 2000),
    fan=st.integers(2, 4),
)
def test_counts(some: list[frozenset[str]], most: int, fan: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(string_counts, "MIN_MEMORY_BYTES", most)
        patch.setattr(string_counts, "MERGED_RUNS", fan)
        found = StringCounts(SCRATCH)
        for strings in some:
            found.add(strings)
        expected = sorted(Counter(string for strings in some for string in strings).items())
        assert list(found) == list(found) == expected
        assert all(len({run.level for run in found.runs[at : at + fan]}) > 1 for at in range(len(found.runs) - fan + 1))


@given(st.integers(1, 10**6), st.integers(0, 10**12), st.integers(0, 10**6))
def test_percentages_are_exact(hundredths: int, documents: int, df: int) -> None:
    share = min(hundredths, 10_000)
    limit = frequency_limit(f"{share / 100:.2f}%")
    assert limit == FrequencyLimit(Fraction(share, 100), percent=True)
    assert (df <= limit.most(documents)) == (df * 10_000 <= share * documents)
    assert df == 0 or (df >= limit.least(documents)) == (df * 10_000 >= share * documents)


FINGERPRINTS = st.lists(st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 3)))


@given(FINGERPRINTS, FINGERPRINTS, FINGERPRINTS, st.booleans())
def test_a_listing_keeps_what_it_lists(some: list[int], without: list[int], others: list[int], kept: bool) -> None:
    listing = FingerprintListing(packed(some), packed(without), kept=kept)
    asked = some + without + others
    listed = set(some) - set(without)
    assert listing.keeps(np.array(asked, np.uint64)).tolist() == [(each in listed) == kept for each in asked]
    assert listing.listed
    factor, data, _ = listing.listed
    assert bool(data) == (kernel.NAME == "c")
    if data:
        *slots, zero = np.frombuffer(data, np.uint64).tolist()
        bits = len(slots).bit_length() - 1
        assert (len(slots), zero) == (2**bits, 0 in listed)
        assert sorted(filter(None, slots)) == sorted(listed - {0})
        for value in listed - {0}:  # all slots from the one that its product names are taken
            at = value * factor % 2**64 >> 64 - bits
            while slots[at] != value:
                assert slots[at]
                at = (at + 1) % len(slots)


@given(
    some=st.lists(st.lists(st.integers(0, 9), unique=True)),
    least=st.integers(1, 4),
    most=st.integers(0, 4),
    size=st.integers(0, 200),
    share=st.integers(512, 4096),  # bytes by which one to eight entries are sorted at once
)
def test_occurrences(some: list[list[int]], least: int, most: int, size: int, share: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprint_counts, "MIN_MEMORY_BYTES", size)
        found = FingerprintCounts(SCRATCH, SortingLimits(least_share=share, sampled=2, splits=3))
        for fingerprints in some:
            found.add(packed(fingerprints))
        between, above = (np.frombuffer(each, np.uint64).tolist() for each in found.within(least, most))
    counted = Counter(each for fingerprints in some for each in fingerprints)
    assert between == sorted(each for each, df in counted.items() if least <= df <= most)
    assert above == sorted(each for each, df in counted.items() if df > most)
