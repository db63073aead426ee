"""Objects in memory up to a limit, beyond it in a scratch file, from which they are read when they are needed."""

import os
import pickle
from collections import OrderedDict
from collections.abc import Iterator
from typing import IO, Generic, TypeVar

from shingletools.system.files import folder_errors
from shingletools.system.lazy_imports import tempfile
from shingletools.system.memory_limit import Memory

Item = TypeVar("Item")


class SpillingList(Generic[Item]):
    """Objects by their numbers, from 0, in the order in which they were added."""

    def __init__(self, memory: Memory | None) -> None:
        self.memory = memory
        self.here: OrderedDict[int, tuple[Item, int]] = OrderedDict()  # with their sizes; the first goes next
        self.size = 0
        self.count = 0
        self.file: IO[bytes] | None = None
        self.places: dict[int, int] = {}  # in the file

    def __len__(self) -> int:
        return self.count

    def add(self, item: Item, size: int) -> None:
        """Adds an item of `size` bytes."""
        self._keep(self.count, item, size)
        self.count += 1

    def __getitem__(self, number: int) -> Item:
        if number in self.here:
            self.here.move_to_end(number)
            return self.here[number][0]
        assert self.file is not None and self.memory is not None
        with folder_errors(self.memory.folder):
            self.file.seek(self.places[number])
            item: Item
            item, size = pickle.load(self.file)
        self._keep(number, item, size)
        return item

    def __iter__(self) -> Iterator[Item]:
        return map(self.__getitem__, range(self.count))

    def _keep(self, number: int, item: Item, size: int) -> None:
        self.here[number] = item, size
        self.size += size
        while self.memory is not None and self.size > self.memory.size:
            oldest, (gone, its_size) = self.here.popitem(last=False)
            self.size -= its_size
            if oldest not in self.places:
                self._write(oldest, gone, its_size, self.memory.folder)

    def _write(self, number: int, item: Item, size: int, folder: str) -> None:
        with folder_errors(folder):
            if self.file is None:
                self.file = tempfile.TemporaryFile(dir=folder)
            self.places[number] = self.file.seek(0, os.SEEK_END)
            pickle.dump((item, size), self.file, pickle.HIGHEST_PROTOCOL)
