"""What `import shingletools` offers: pipelines for programs and notebooks. See shingletools-python(3)."""

import contextlib
import shlex
import warnings
from argparse import ArgumentTypeError
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any

from shingletools.cli.argument_types import quoted, size
from shingletools.cli.options import Printed
from shingletools.running.data_frames import Frame, ids_of, is_frame
from shingletools.running.document_queue import DocumentQueue
from shingletools.running.input_sources import Documents, GivenDocuments, InputDocuments
from shingletools.running.line_places import LinePlaces
from shingletools.running.pipeline import PipelineRun
from shingletools.running.recipes import WORDS_IN_COMMON
from shingletools.running.result import Result, RunLog
from shingletools.running.steps import CommandLine, SharedOptions, Step, command_lines, options_of, steps_of
from shingletools.system import messages
from shingletools.system.errors import Failed
from shingletools.system.files import folder_errors
from shingletools.system.memory_limit import scratch_folder

Steps = tuple[Step, ...]
Taking = Callable[[SharedOptions], AbstractContextManager[Sequence[Step]]]
ONE_PROCESS = SharedOptions(given=True)


@dataclass(frozen=True)
class Pipeline:
    """A pipeline as it is typed in a shell: a value, which may be called as often as you like, in any thread.

    It is parsed once; this reads the tables that its options name. Raises Failed.

    >>> pairs = Pipeline("canon | shingle -k 2 | simjoin -t 0.5")
    >>> list(pairs([{"id": 1, "text": "The cat sat"}, {"id": 2, "text": "the cat sat!"}]))
    [{'a': 1, 'b': 2, 'similarity': 1.0}]
    """

    text: str
    _idle: dict[SharedOptions, list[Steps]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._idle[ONE_PROCESS] = [parsed(command_lines(self.text), ONE_PROCESS)]

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Pipeline, (self.text,)

    def __call__(
        self,
        documents: Documents | None = None,
        *,
        jobs: int = 1,
        strict: bool = False,
        memory: int | str | None = None,
    ) -> Result:
        """Returns the records that the pipeline makes of documents; see `run`."""
        return result_of(self.taking, documents, jobs, strict, memory)

    @contextlib.contextmanager
    def taking(self, shared: SharedOptions) -> Iterator[Steps]:
        """Lends the steps to one run at a time, since some steps remember what they have read. Raises Failed."""
        if shared.files:
            yield parsed(command_lines(self.text), shared)
            return
        idle = self._idle.setdefault(shared, [])
        try:
            steps = idle.pop()
        except IndexError:
            steps = parsed(command_lines(self.text), shared)
        yield steps
        idle.append(steps)  # not after a failure, which may leave them in a bad state


def parsed(lines: Sequence[CommandLine], shared: SharedOptions) -> Steps:
    """Returns the steps of a pipeline. Raises Failed."""
    try:
        steps = steps_of(lines, shared)
    except Printed:
        raise Failed("--help and --version cannot be given here") from None
    if steps[-1].options.output is not None:
        raise Failed(f"{steps[-1].name}: -o: the records are returned, not written")
    return steps


def result_of(taking: Taking, documents: Documents | None, jobs: int, strict: bool, memory: int | str | None) -> Result:
    """Returns the result of a run, which begins when the first record is requested. Raises Failed for bad settings."""
    if not isinstance(jobs, int) or jobs < 1:
        raise Failed(f"jobs: not a whole number from 1 on: {jobs!r}")
    try:
        limit = None if memory is None else size(f"{memory}b" if isinstance(memory, int) else str(memory))
    except ArgumentTypeError as error:
        raise Failed(f"memory: {error}") from None
    shared = SharedOptions(jobs=jobs, size=limit, given=True, strict=strict)
    return logged(taking, GivenDocuments(documents), shared, RunLog())


def logged(taking: Taking, given: GivenDocuments, shared: SharedOptions, account: RunLog) -> Result:
    """Returns the result of a run whose messages, bad records and figures go to this account."""
    return Result(account, flowing(taking, given, shared, account), given.queue)


def flowing(taking: Taking, given: GivenDocuments, shared: SharedOptions, account: RunLog) -> Generator[bytes]:
    """Yields whole lines of the output. Raises Failed."""
    read = InputDocuments.of(given.documents)
    with taking(shared._replace(files=tuple(read.files), names=read.names)) as steps, ExitStack() as stack:
        lines = read.lines(steps, given.whole, given.queue)
        watch = (lambda _: None) if given.places is None else given.places.add
        yield from account.blocks(PipelineRun(steps, account.say, stack, lines, watch))


def run(
    pipeline: str | Pipeline,
    documents: Documents | None = None,
    *,
    jobs: int = 1,
    strict: bool = False,
    memory: int | str | None = None,
) -> Result:
    """Returns the records that a pipeline makes of documents, each when it is requested.

    documents: dicts, lines of JSON in bytes, names of files, or a table of Arrow; none if the pipeline names its files.
    jobs: workers. strict: the first bad record ends the run. memory: bytes for each command that takes -S, or a size as
    -S takes it. Raises Failed; exceptions of the documents themselves are not changed.
    """
    made = Pipeline(pipeline) if isinstance(pipeline, str) else pipeline
    return made(documents, jobs=jobs, strict=strict, memory=memory)


def unique(
    documents: Documents,
    pairs: Documents | None = None,
    *,
    groups: Documents | None = None,
    known: Documents | None = None,
    options: str = "",
) -> Any:
    """Returns the documents without copies, as dedup chooses them by pairs or groups, and by known pairs.

    Without any of these, it makes the pairs itself, and checks them, as `shingletools unique` does, of the fields that
    options name; what these commands say and reject is then in the result, too. Documents that they reject, such as
    those without a text, stay; those that dedup rejects do not. This is a Result; but of a data frame of pandas or
    Polars, or a table of Arrow, it is one of the same kind, with the rows that stay. Then messages are Python's
    warnings.
    options: more options of dedup, such as "--keep longest", or "--id Nr --text Title" for other names of fields. Pairs
    and groups are read first, and wait in a scratch file. Raises Failed, and TypeError for an iterator of documents
    that the pairs may read first.

    >>> documents = [{"id": 1, "text": "The cat sat"}, {"id": 2, "text": "the cat sat!"}]
    >>> list(unique(documents, run("canon | shingle -k 2 | simjoin -t 0.5", documents)))
    [{'id': 1, 'text': 'The cat sat'}]
    >>> list(unique(documents))
    [{'id': 1, 'text': 'The cat sat'}]
    """
    alone = pairs is groups is known is None
    own, *others = command_lines(f"dedup {options}")
    inputs = {"--pairs": pairs, "--groups": groups, "--known": known}
    if isinstance(documents, Iterator) and (alone or any(isinstance(each, Result) for each in inputs.values())):
        raise TypeError("documents are an iterator, which the pairs may read first: make a list of them")

    @contextlib.contextmanager
    def taking(shared: SharedOptions) -> Iterator[Steps]:
        with ExitStack() as stack:
            words = [*own.words]
            made = {"--pairs": pairs_of(documents, own, account, stack)} if alone else {}
            for option, records in (inputs | made).items():
                for file in () if records is None else files_of(records, stack):
                    words[:0] = [option, file]
            steps = parsed([CommandLine(own.name, words), *others], shared)
            if is_frame(documents) and steps[0].options.annotate:
                raise Failed("--annotate: rows of a data frame get no marks; pass dicts")
            yield steps

    account, queue = RunLog(), DocumentQueue()
    if not is_frame(documents):
        return logged(taking, GivenDocuments(documents, queue=queue), ONE_PROCESS, account)
    if "--number" in own.words:
        raise Failed("--number: rows of a data frame need a column of ids, such as df.assign(id=range(len(df))) makes")
    frame = Frame(documents)
    with logged(taking, GivenDocuments(frame.rows, queue=queue), ONE_PROCESS, account) as result:
        kept = queue.places(result.lines())
    for message in result.messages:
        warnings.warn(message, stacklevel=2)
    return frame.take(kept)


def groups(documents: Documents, pairs: Documents, *, options: str = "") -> Any:
    """Returns the name of its group for each document, as simgroup makes groups of pairs; its own id if it has none.

    This is a column of the same kind as the documents: a Series of pandas or Polars, an array of Arrow, or a list for
    dicts. options: those of simgroup, such as "--star". Raises Failed and TypeError.

    >>> groups([{"id": 1}, {"id": 2}, {"id": 3}], [{"a": 2, "b": 3}])
    [1, 2, 2]
    """
    grouping, frame = Pipeline(f"simgroup {options}"), Frame(documents) if is_frame(documents) else None
    with grouping.taking(ONE_PROCESS) as steps:
        ids = ids_of(documents if frame is None else frame.rows, steps[0].id_field)
    with grouping(pairs) as result:
        names = {member: record["group"] for record in result for member in record["members"]}
    found = [names.get(each, each) for each in ids]
    return found if frame is None else frame.column("group", found)


def pairs_of(documents: Documents, dedup: CommandLine, account: RunLog, stack: ExitStack) -> Result:
    """Returns the checked pairs by which dedup removes; texts wait in a file until the stack is closed. Raises Failed.

    dedup: its options may name the fields. account: takes what the commands say that make the pairs.
    """
    chosen = options_of(dedup)
    named = {"--id": chosen.id, "--text": quoted(chosen.text)}
    words = [word for option, name in named.items() if option[2:] in chosen.given for word in (option, name)]
    canon, places = Pipeline(shlex.join(["canon", "--symbols", *words])), LinePlaces(workers=False)
    given = GivenDocuments(documents, whole=False, places=places)
    (file,) = files_of(logged(canon.taking, given, ONE_PROCESS, account), stack)
    messages.SHOWN_AS[file] = "unique.words"  # as the short command names it
    messages.ORIGINS[file] = places.place
    stack.callback(messages.SHOWN_AS.pop, file)
    stack.callback(messages.ORIGINS.pop, file)
    file = shlex.quote(file)
    shingle, join, least = WORDS_IN_COMMON
    check = Pipeline(f"{shingle} {file} | {join.format(least)} | simcheck --docs {file}")
    return logged(check.taking, GivenDocuments(None), ONE_PROCESS, account)


def files_of(records: Documents, stack: ExitStack) -> Sequence[str]:
    """Returns files that hold the records until the stack is closed. Raises Failed."""
    given = InputDocuments.of(records)
    lines = given.lines()
    if lines is None:
        return given.files
    import tempfile  # which most runs do not need

    folder = scratch_folder()
    with folder_errors(folder):
        file = stack.enter_context(tempfile.NamedTemporaryFile(prefix="shingletools.", dir=folder, buffering=0))
    for some in lines:
        with folder_errors(folder):
            rest = memoryview(some)
            while rest:  # a full disk takes a part before it fails
                rest = rest[file.write(rest) :]
    return [file.name]
