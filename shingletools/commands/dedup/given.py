"""The groups and pairs that decide which documents go."""

from typing import NamedTuple

import numpy as np

from shingletools.commands.dedup.group_members import Members
from shingletools.commands.dedup.pairs import Alike, Archived
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import Ids


class Given(NamedTuple):
    """Groups and pairs that were read from anywhere, for the classes that choose."""

    ids: Ids  # of members of groups, then of documents that an archive has; other documents are added
    members: Members
    known: Archived
    alike: Alike

    @classmethod
    def read(cls, spec: DedupSpec) -> "Given":
        """Reads the files that the spec names. Raises Failed."""
        ids = kernel.new_ids()
        members, known = Members(ids), Archived(ids)
        members.read("--groups", spec.groups)
        alike = Alike(ids, np.array(members.group))
        alike.read("--pairs", spec.pairs)
        known.read("--known", spec.known)
        return cls(ids, members, known, alike)
