"""`run --keep`: keeps the lines between commands, so that the same command goes on from them after a stop.

A part of a pipeline is a collector, or adjacent filters. Each part is completed before the next one begins. So if the
next part fails, for example for lack of memory, nothing of the work before is lost.
"""

import contextlib
import json
import os
import shlex
from collections import Counter
from collections.abc import Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from shingletools import __version__
from shingletools.reading import streams
from shingletools.record.collector import Written
from shingletools.running.checkpoint_folder import CheckpointFolder, Entry, difference, state_of
from shingletools.running.outcomes import Outcome
from shingletools.running.outputs import Output
from shingletools.running.pipeline_parser import split
from shingletools.running.stage_run import EarlierEnd, StageRun, StepFailed
from shingletools.running.steps import NO_NAME_OPTIONS, NameOptions
from shingletools.system import files, signals
from shingletools.system.errors import Failed
from shingletools.system.files import named

if TYPE_CHECKING:
    from shingletools.running.progress_bars import ProgressBar

NAME = "shingletools run"
Part = Sequence[StageRun]


class Checkpointer:
    """The parts that a run keeps: the first `count`, of which an earlier run has completed the first `done`."""

    def __init__(self, folder: str, pipeline: str, name_options: NameOptions = NO_NAME_OPTIONS) -> None:
        self.folder = CheckpointFolder(folder)
        self.commands = [[*shlex.split(command), *name_options.words()] for command in split(pipeline)]
        self.parts: Sequence[Part] = ()
        self.wanted: list[Entry] = []  # what decides the lines of each part
        self.count = self.done = 0
        self.why = ""  # why something that was kept cannot be used
        self.bad: Output | None = None  # the messages about bad records
        self.open_bad = contextlib.ExitStack()
        self.waits = set[int]()  # steps whose last outcome had only bad records
        self.bar: ProgressBar | None = None

    def begin(self, parts: Sequence[Part], output: str | int | None, stack: contextlib.ExitStack) -> None:
        """Notes the parts of the run, and finds those that an earlier run completed. Raises Failed.

        Nothing is removed yet.
        """
        self.parts = parts
        for part in parts[:-1]:
            if any(run.stage.changes or run.second() for run in part):
                break  # a run may make these only at its end
            self.count += 1
        if not self.count:
            raise Failed("--keep: no command passes on lines that could be kept")
        self.wanted = [self._wanted(number) for number in range(len(parts))]
        runs = [run for part in parts for run in part]
        written = [output, *(run.options.rejects for run in runs), *((run.second() or ("", None))[1] for run in runs)]
        self.folder.check_free([path for path in written if isinstance(path, str)])
        self.folder.open(stack)
        self.done, self.why = self.folder.usable(self.wanted[: self.count])
        for part, entry in zip(parts[: self.done], self.folder.entries, strict=False):
            for run, step in zip(part, entry["steps"], strict=True):
                figures = step["figures"]
                vars(run.figures).update(figures, size=0, counted=Counter(figures["counted"]))
                run.ended = EarlierEnd(step["remarks"], step["summary"])

    def _wanted(self, number: int) -> Entry:
        """Returns what decides the lines of a part, apart from the lines of the part before it. Raises Failed."""
        part, first = self.parts[number], sum(map(len, self.parts[:number]))
        names: list[str] = []
        for run in part:
            stage = run.stage
            names += [*run.options.files, *(name for side in stage.sides for name in side)]
            # Some are lists of this package
            names += [name for name in stage.reads if name == "-" or os.path.exists(name)]
            if not first and run is part[0] and "-" in names:
                raise Failed("--keep: nothing tells whether standard input is the same again: name files")
        inputs = [name for name in dict.fromkeys(names) if name != "-"]
        self.folder.check_apart(inputs)
        recipes = ["" if (each := run.stage.record_by_record) is None else each.recipe for run in part]
        return {
            "commands": self.commands[first : first + len(part)],
            "made_by": [__version__, *recipes],
            "inputs": [state_of(name) for name in inputs],
        }

    def name(self, number: int) -> str:
        """Returns the name of the file with the lines of a part."""
        return f"{number + 1}.{self.parts[number][-1].name}.jsonl"

    def shown(self, number: int) -> str:
        return self.folder.shown(self.name(number))

    def bad_name(self, number: int) -> str:
        """Returns the name of the file with the messages about bad records of a part."""
        return f"{number + 1}.{self.parts[number][-1].name}.bad.jsonl"

    def keeps(self, run: StageRun) -> bool:
        """Returns whether the lines that a step makes are kept."""
        return any(part[-1] is run for part in self.parts[: self.count])

    def restore(self) -> None:
        """Removes files that cannot be used, says so, and repeats the messages about bad records. Raises Failed."""
        if self.why:
            onward = f"goes on from {self.shown(self.done - 1)}" if self.done else "begins anew"
            self.parts[0][0].say(f"{NAME}: {self.why}; the run {onward}")
            del self.folder.entries[self.done :]
            with signals.waiting():
                self.folder.commit()
        self.folder.remove_others()
        for part, entry in zip(self.parts[: self.done], self.folder.entries, strict=False):
            if entry["bad"]:
                name = self.folder.at(entry["bad"][0])
                with named(name), open(name, "rb") as lines:
                    for line in lines:
                        replay(part, line)
        for number, part in enumerate(self.parts[: self.count]):
            for place, run in enumerate(part if number >= self.done else ()):
                run.log = partial(self.log, number, place)
        self.show(self.done)

    def log(self, number: int, place: int, outcome: Outcome) -> None:
        """Keeps the messages of a step, and the fact that a good record came after bad ones. Raises Failed."""
        good = outcome.records > 0
        if not (outcome.messages or outcome.rejects or (good and place in self.waits)):
            return
        (self.waits.discard if good else self.waits.add)(place)
        bad = [(name, line, cause, raw.decode(errors="surrogateescape")) for name, line, cause, raw in outcome.rejects]
        if self.bad is None:
            self.bad = self.open_bad.enter_context(Output(self.folder.at(self.bad_name(number)), stored=True))
        entry = place, outcome.file, [*outcome.messages], bad, good, outcome.side
        self.bad.write(json.dumps(entry).encode() + b"\n")

    def through(self, number: int, made: Generator[bytes]) -> Generator[bytes]:
        """Yields the lines of a part from its file, once the file has all of them. Raises StepFailed."""
        try:
            with contextlib.closing(made), Output(self.folder.at(self.name(number)), stored=True) as output:
                for lines in made:
                    output.write(lines)
                written = [output] if self.bad is None else [output, self.bad]
                for file in written:
                    file.complete()
                if why := difference(self.wanted[number], self._wanted(number)):
                    raise Failed(f"{why} while it was read")
                with signals.waiting():
                    for file in written:
                        file.commit()
                    self.record(number, self.bad is not None)
        except StepFailed:
            raise
        except Failed as error:
            raise StepFailed(f"{NAME}: {error}") from None
        finally:
            self.open_bad.close()
            self.bad = None
            self.waits.clear()
        self.show(number + 1)
        yield from self.lines(number)

    def record(self, number: int, bad: bool) -> None:
        """Writes to the manifest that a part is complete. Raises Failed."""
        steps = [
            {"figures": vars(run.figures), "remarks": [*run.remarks()], "summary": run.summary()}
            for run in self.parts[number]
        ]
        self.folder.entries[number:] = [
            {
                **self.wanted[number],
                "steps": steps,
                "lines": self.folder.file(self.name(number)),
                "bad": self.folder.file(self.bad_name(number)) if bad else None,
            }
        ]
        self.folder.commit()

    def lines(self, number: int) -> Generator[bytes]:
        """Yields the lines of a part that is complete. Raises Failed."""
        with contextlib.closing(streams.read_chunks([self.folder.at(self.name(number))])) as chunks:
            for chunk in chunks:
                if self.bar is not None:
                    self.bar.update(len(chunk.data))
                yield chunk.data

    def show(self, number: int) -> None:
        """Makes the bar show a part: its place among all, and the bytes that it reads. Raises Failed."""
        if self.bar is None:
            return
        names = [path for path, *_ in self.wanted[number]["inputs"]]
        if self.parts[number][0].stage.first is not None:
            names *= 2
        if number:
            names.append(self.folder.at(self.name(number - 1)))
        self.bar.total = files.total_size(names)
        self.bar.reset()
        self.bar.set_description_str(
            f"{number + 1}/{len(self.parts)} {' | '.join(run.name for run in self.parts[number])}"
        )


def replay(part: Part, line: bytes) -> None:
    """Repeats the messages of an earlier run about bad records, and writes the records again. Raises Failed."""
    place, file, messages, rejects, good, side = json.loads(line)
    bad = [(name, number, cause, raw.encode(errors="surrogateescape")) for name, number, cause, raw in rejects]
    run = part[place]
    with run.named():
        run.report_rejects(Outcome(0, None, 0, int(good), bad, Written(), file=file, messages=messages, side=side))
