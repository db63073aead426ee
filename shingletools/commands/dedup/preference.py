"""The order in which documents are preferred, by the rule of --keep."""

from array import array

import numpy as np

from shingletools.commands.dedup.documents import DocumentArrays
from shingletools.commands.dedup.spec import LONGEST, DedupSpec
from shingletools.commands.dedup.value_order import OTHER, as_form, common_form, form_of, value_of, why_incomparable
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds, each_id
from shingletools.kernel.types import Flags, Index
from shingletools.system.errors import Failed, shown


class Preference:
    """Orders documents, after all have come. Memory: 16 bytes each, and about 200 for each different value."""

    def __init__(self, spec: DedupSpec) -> None:
        self.spec = spec
        self.documents = array("q")
        self.keys = array("q")  # for each document its length, or the number of its value
        self.values = kernel.new_ids()  # as they are spelled
        self.lacking = False  # values count, but no document has one

    def add(self, documents: DocumentArrays, concerned: Flags) -> None:
        """Adds some documents."""
        self.documents.frombytes(documents.numbers[concerned].tobytes())
        if self.spec.measured is not None:
            self.keys.frombytes(documents.lengths[concerned].tobytes())
        if self.spec.valued is not None:
            self.keys.frombytes(self.values.number(*documents.spelled(documents.values[concerned])))

    def order(self) -> Index:
        """Returns the documents, the best first; equal ones in their order. Raises Failed as `ranks` does."""
        documents, keys = np.frombuffer(self.documents, np.int64), np.frombuffer(self.keys, np.int64)
        if self.spec.measured is not None:
            keys = -keys if self.spec.keep == LONGEST else keys
        elif self.spec.valued is not None:
            keys = self.ranks()[keys]
        return documents[np.argsort(keys, kind="stable")] if len(keys) else documents

    def ranks(self) -> Index:
        """Returns the rank of each value, 0 for the best; a missing value is the worst.

        Raises Failed if it is in doubt how values are to be compared.
        """
        numbers = np.unique(np.frombuffer(self.keys, np.int64))
        values = [value_of(text) for text in each_id(SelectedIds(self.values.data, self.values.ends, numbers))]
        form = common_form({form_of(value, self.spec.as_form) for value in values if value is not None})
        if form == OTHER:
            raise Failed(why_incomparable(self.spec.valued or "", self.spec.as_form))
        values = [None if value is None else as_form(value, form) for value in values]
        best_first = sorted({each for each in values if each is not None}, reverse=self.spec.greatest)
        self.lacking = len(self.documents) > 0 and not best_first
        place = {value: number for number, value in enumerate(best_first)}
        ranks = np.empty(len(self.values), np.int64)
        ranks[numbers] = [len(place) if value is None else place[value] for value in values]
        return ranks

    def remarks(self) -> list[str]:
        """Returns a remark if there are documents to choose among, but none has a value."""
        if not self.lacking:
            return []
        where, field = "pairs" if self.spec.pairs else "groups", shown(self.spec.valued or "")
        message = f"no document of the {where} has a number or a string in the field {field}, so the first is kept"
        return [f"--keep: {message}"]
