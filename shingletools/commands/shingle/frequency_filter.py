"""Keeps shingles that are in neither too many nor too few documents, by a table of document frequencies."""

import os
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from shingletools import kernel
from shingletools.commands.shingle.fingerprints import Hashing
from shingletools.commands.shingle.frequency_limits import FrequencyLimit
from shingletools.kernel.lines import FingerprintFilter
from shingletools.reading.shingle_tables import MAX_DOCUMENTS, Header, TableReading
from shingletools.system.errors import Failed, printable
from shingletools.system.lazy_imports import numpy as np
from shingletools.system.lazy_imports import payload_signatures

if TYPE_CHECKING:
    from shingletools.kernel.types import U64, Flags


class DocumentLimits(NamedTuple):
    """The least and the greatest document frequency of shingles that are kept; None is no limit."""

    least: int | None
    most: int | None


class FingerprintListing:
    """A set of fingerprints: only these are kept, or only these are left out. Memory: these alone."""

    def __init__(self, fingerprints: bytes, without: bytes = b"", *, kept: bool) -> None:
        """The set is `fingerprints` minus `without`, both uint64 in native byte order.

        kept: whether only these fingerprints are kept; else only these are left out.
        """
        self.fingerprints = fingerprints
        self.without = without
        self.kept = kept
        self.sorted: U64 | None = None
        factor = int.from_bytes(os.urandom(8)) | 1
        self.listed: FingerprintFilter = factor, kernel.list_fingerprints(fingerprints, without, factor), kept

    def keeps(self, fingerprints: "U64") -> "Flags":
        """Returns whether each fingerprint is kept; this is the definition. Shapes (n,)."""
        if self.sorted is None:
            listed = np.setdiff1d(np.frombuffer(self.fingerprints, np.uint64), np.frombuffer(self.without, np.uint64))
            self.sorted = np.append(listed, listed[-1:])  # the last one twice, for keys that are greater than all
        if not len(self.sorted):
            return np.full(len(fingerprints), not self.kept)
        stays: Flags = (self.sorted[np.searchsorted(self.sorted[:-1], fingerprints)] == fingerprints) == self.kept
        return stays


def listed(shingler: Hashing, listing: FingerprintListing, text: str) -> str:
    """Returns the fingerprints of `shingler` that a listing keeps, in their order and with repeats."""
    payload = shingler(text)
    if not payload:
        return ""
    fingerprints = payload_signatures.take_shingles(payload)
    assert fingerprints is not None
    return " ".join(compress(payload.split(" "), listing.keeps(fingerprints).tolist()))


class FrequencyChoice(NamedTuple):
    """The shingles that the limits keep, by their counts."""

    listing: FingerprintListing
    recipe: list[tuple[str, object]]  # its parts about the limits
    after: str | None  # the recipe that texts must have; None for any


def read_table(
    path: str, recipe: str, digits: int, min_df: FrequencyLimit | None, max_df: FrequencyLimit | None
) -> FrequencyChoice:
    """Returns the choice by a table, which must have been made by `recipe`, with fingerprints of `digits` digits.

    A shingle that the table lacks counts as in no document. If several lines have one fingerprint, the greatest
    frequency counts. Raises Failed.
    """
    table = TableReading("--df-table", path)
    header = table.check(recipe)
    documents = header.documents
    limits = DocumentLimits(min_df and min_df.least(documents), max_df and max_df.most(documents))
    check_limits(path, header, limits)
    bounds = limits.least or MAX_DOCUMENTS, MAX_DOCUMENTS if limits.most is None else limits.most
    listing = listing_of(limits, *table.frequencies(digits, *bounds))
    before = header.via.removesuffix(recipe).removesuffix(" | ") if documents else None
    return FrequencyChoice(listing, recipe_of(limits, "df-table", table.label()), before)


def listing_of(limits: DocumentLimits, between: bytes, above: bytes) -> FingerprintListing:
    """Lists the shingles to keep if there is a lower limit, else those above the upper limit, to leave out."""
    if limits.least is None:
        return FingerprintListing(above, kept=False)
    return FingerprintListing(between, above, kept=True)


def recipe_of(limits: DocumentLimits, name: str, label: str) -> list[tuple[str, object]]:
    """Returns the parts of a recipe about the limits: both, and the label of what was counted, under a name."""
    return [("min-df", limits.least), ("max-df", limits.most), (name, label)]


def check_limits(path: str, header: Header, limits: DocumentLimits) -> None:
    """Raises Failed if a table lacks shingles that the limits may keep or leave out."""
    needed = limits.least if limits.least is not None else (limits.most or 0) + 1
    if header.min_df > needed:
        raise Failed(
            f"{printable(path)}:1: the table lacks shingles in fewer than {header.min_df} documents, "
            f"but the limits need all in {needed} or more"
        )
