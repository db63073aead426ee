"""The folder of `run --keep`: for each part of a pipeline that is complete, its lines and its bad records.

Both are on disk before the manifest names them, and the manifest is replaced in one step. So a run that ends at any
moment leaves complete parts, and perhaps files that the next run removes.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from shingletools.system import files
from shingletools.system.errors import Failed, printable
from shingletools.system.files import named

MANIFEST, NEW, LOCK = "kept.json", "kept.json.new", "lock"
OURS = re.compile(r"[0-9]+\.[a-z]+(\.bad)?\.jsonl|kept\.json(\.new)?|lock|\.shingletools\.[0-9a-f]{16}")
FORMAT, VERSION = "shingletools kept", 2

Entry = dict[str, Any]  # of a part, as the manifest has it


class CheckpointFolder:
    """The folder, which no other run may use at the same time. Methods raise Failed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.entries: list[Entry] = []

    def at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def shown(self, name: str) -> str:
        return printable(self.at(name))

    def open(self, stack: contextlib.ExitStack) -> None:
        """Makes the folder if it is missing, locks it until the stack is closed, and reads the manifest."""
        with named(f"--keep {self.path}"):
            with contextlib.suppress(FileExistsError):
                os.mkdir(self.path)
            names = {*os.listdir(self.path)}
            if MANIFEST in names:
                self._read()  # refuses a folder of others before it writes there
            elif strange := sorted(names - {LOCK, NEW}):
                raise Failed(f"{printable(self.path)}: {MANIFEST} is missing, but {printable(strange[0])} is there")
            lock = os.open(self.at(LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            stack.callback(close_lock, lock)
            try:
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # workers that outlive the run do not hold it
            except (BlockingIOError, PermissionError):
                raise Failed(f"{printable(self.path)}: another run keeps its parts there") from None
            if not os.path.exists(self.at(MANIFEST)):
                self.commit()
        self._read()

    def _read(self) -> None:
        with named(self.at(MANIFEST)), open(self.at(MANIFEST), "rb") as file:
            data = file.read()
        with contextlib.suppress(ValueError, TypeError, KeyError):
            manifest = json.loads(data)
            if (manifest["format"], manifest["version"]) == (FORMAT, VERSION):
                self.entries = manifest["parts"]
                return
        raise Failed(
            f"{self.shown(MANIFEST)}: not what this version of --keep writes; remove the folder, or name another"
        )

    def usable(self, wanted: Sequence[Entry]) -> tuple[int, str]:
        """Returns how many parts are complete and still wanted, and why the next one is not used, if there is one.

        Of the complete parts, only the last must still have its lines.
        """
        why = ""
        done = same = 0
        for entry, now in zip(self.entries, wanted, strict=False):
            if entry["bad"] and not self.is_there(entry["bad"]):
                why = f"{self.shown(entry['bad'][0])} is not as it was left"
            why = why or difference(entry, now)
            if why:
                break
            same += 1
            if self.is_there(entry["lines"]):
                done = same
        if done < same and not why:
            why = "it is not as it was left"
        name = self.entries[same - (done < same)]["lines"][0] if why else ""
        return done, why and f"{self.shown(name)} is not used: {why}"

    def is_there(self, file: Sequence[Any]) -> bool:
        """Returns whether a file is as it was left."""
        return list(file) == self.file(file[0])

    def file(self, name: str) -> list[Any]:
        """Returns a file as the manifest names it: name, size and time; None in place of these if it is missing."""
        try:
            state = os.stat(self.at(name))
        except FileNotFoundError:
            return [name, None, None]
        return [name, state.st_size, state.st_mtime_ns]

    def commit(self) -> None:
        """Replaces the manifest."""
        manifest = {"format": FORMAT, "version": VERSION, "parts": self.entries}
        with named(self.path):
            with contextlib.suppress(FileNotFoundError):  # left by a run that was killed
                os.unlink(self.at(NEW))
            files.sync(self.path)  # so that the names of new files are on the disk
            files.put(self.at(NEW), json.dumps(manifest, indent=1).encode() + b"\n")
            os.replace(self.at(NEW), self.at(MANIFEST))
            files.sync(self.path)

    def remove_others(self) -> None:
        """Removes the files that the manifest does not name."""
        wanted = {of[0] for entry in self.entries for of in (entry["lines"], entry["bad"]) if of}
        with named(self.path):
            for name in os.listdir(self.path):
                if OURS.fullmatch(name) and name not in {*wanted, MANIFEST, LOCK}:
                    os.unlink(self.at(name))

    def check_apart(self, paths: Sequence[str]) -> None:
        """Raises Failed if a run reads or writes files that this folder may remove."""
        here = os.path.realpath(self.path)
        for path in paths:
            folder, name = os.path.split(os.path.realpath(path))
            if folder == here and OURS.fullmatch(name):
                raise Failed(f"{printable(path)}: --keep may remove that file: copy it, or keep in another folder")

    def check_free(self, paths: Sequence[str]) -> None:
        """Raises Failed if a run writes outputs into this folder: until complete, they have names like OURS."""
        for path in paths:
            if os.path.dirname(os.path.realpath(path)) == os.path.realpath(self.path):
                raise Failed(f"{printable(path)}: --keep needs that folder for itself: write to another one")


def close_lock(descriptor: int) -> None:
    with contextlib.suppress(OSError):  # nothing was written to it
        os.close(descriptor)


def state_of(name: str) -> list[Any]:
    """Returns the path, size and time of a file, which show a change.

    For a folder, it returns a hash of the same for all files in it. Raises Failed.
    """
    path = os.path.abspath(name)
    with named(name):
        if not os.path.isdir(name):
            files.check_regular([name], "--keep must be able to read it again, and so reads")
            state = os.stat(name)
            return [path, state.st_size, state.st_mtime_ns]
        inside = hashlib.blake2b()
        for path_below in sorted(files_below(name)):
            state = os.stat(path_below)
            inside.update(b"%b\0%d %d\n" % (os.fsencode(path_below), state.st_size, state.st_mtime_ns))
        return [path, None, inside.hexdigest()]


def files_below(folder: str) -> Iterator[str]:
    """Yields all files in a folder and its subfolders. Raises OSError."""

    def refuse(error: OSError) -> None:
        raise error

    for here, _, names in os.walk(folder, onerror=refuse):
        yield from (os.path.join(here, name) for name in names)


def difference(kept: Entry, wanted: Entry) -> str:
    """Returns why a part that was kept is not the one that is wanted; "" if it is."""
    if kept["commands"] != wanted["commands"]:
        return f"it was made by {printable(' | '.join(map(shlex.join, kept['commands'])))}"
    if kept["made_by"] != wanted["made_by"]:
        return "it was made by another version"
    if kept["inputs"] == wanted["inputs"]:
        return ""
    before = {path: state for path, *state in kept["inputs"]}
    changed = [path for path, *state in wanted["inputs"] if before.get(path, state) != state]
    return f"{printable(changed[0])} has changed" if changed else "it was made of other files"
