"""Rules of one's own, as regular expressions, with limits on what they may take for a record."""

import contextlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from shingletools import deferred
from shingletools.canon.origins import Origin, Place
from shingletools.errors import Failed, Rejected, shown

if TYPE_CHECKING:
    import regex
else:
    regex = deferred.module("regex")

Result = TypeVar("Result")

SECONDS = 10.0  # for each record
CHARACTERS = 1_000_000  # that give a record one second more
GROWTH = 10  # times its length may a record's text grow, and by CHARACTERS
COMPILING = 1 << 30  # bytes that a pattern may take to be compiled; regex itself limits a search to as much
UNCOUNTED = 1 << 27  # characters that may be put in before their number is looked at, which is three times as fast
BETWEEN = re.compile(r"\S+")  # white space, as str.split has it
MARKS = 0xF0000  # where a plane of characters for private use begins


class Budget:
    """What all patterns together may still take for the record at hand: processor time and characters."""

    def __init__(self) -> None:
        self.left = 0.0  # seconds
        self.most = 0  # characters of the text, whatever is put into it

    def start(self, text: str) -> None:
        self.left = SECONDS + len(text) / CHARACTERS
        self.most = GROWTH * len(text) + CHARACTERS

    def run(self, search: Callable[[float], Result], option: str, pattern: str) -> Result:
        """What a search gives that is told how many seconds it has; raises Rejected for too much time or memory."""
        start = time.process_time()
        try:
            return search(max(self.left, 1e-9))  # none left is a nanosecond, since regex takes 0 for no limit
        except TimeoutError:
            limit = f"{SECONDS:g} s, and 1 s for each million characters"
            raise Rejected(f"{option} {shown(pattern)}: more than {limit}") from None
        except MemoryError:
            raise Rejected(f"{option} {shown(pattern)}: out of memory") from None
        finally:
            self.left -= time.process_time() - start


class Template:
    """What a match is replaced by, and how long that is; raises Failed if it fits no match of the pattern.

    >>> template = Template("--replace", regex.compile("(a+)(b)"), r"<\\1\\1>")
    >>> template.size(regex.search("(a+)(b)", "aaab"))
    8
    """

    def __init__(self, option: str, pattern: "regex.Pattern[str]", template: str) -> None:
        self.text = template
        names = {number: f"?P<{name}>" for name, number in pattern.groupindex.items()}
        groups = range(1, pattern.groups + 1)
        marks = [chr(MARKS + number) for number in (*groups, 0)]  # the last is in group 0 only, which is the match
        try:
            # With groups of the same numbers and names that match nothing, and a character each
            literal = regex.sub("".join(f"({names.get(group, '')})" for group in groups), template, "")
            whole = regex.sub("".join(f"({names.get(group, '')}.)" for group in groups) + ".", template, "".join(marks))
            literal.encode()
        except UnicodeEncodeError:
            raise Failed(f"{option}: lone surrogate: {shown(template)}") from None
        except (regex.error, IndexError, ValueError) as error:
            raise Failed(f"{option}: {error}: {shown(template)}") from None
        count = Counter(whole)
        count.subtract(literal)
        every = count[marks[-1]]
        self.literal = len(literal)
        uses = [(group, count[mark] - every) for group, mark in zip(groups, marks, strict=False)]
        self.uses = [(group, times) for group, times in [(0, every), *uses] if times]

    def size(self, match: "regex.Match[str]") -> int:
        return self.literal + sum(times * (match.end(group) - match.start(group)) for group, times in self.uses)

    def most(self, text: str) -> int:
        """A bound of the text's length after all matches are replaced: a group may match beside its match."""
        once = self.literal + sum(times for _, times in self.uses) * len(text)
        return len(text) + (len(text) + 1) * once


class Replace:
    """Text with each match replaced by a template, as in regex.sub; may raise Rejected.

    >>> budget = Budget()
    >>> budget.start("5 USD")
    >>> Replace("--replace", r"(\\d+) USD", r"$\\1", budget)("5 USD")
    '$5'
    """

    def __init__(self, option: str, pattern: str, template: str, budget: Budget) -> None:
        self.option = option
        self.pattern = pattern
        self.template = template
        self.budget = budget
        self.compiled = compile_pattern(option, pattern)
        self.by = Template(option, self.compiled, template)

    def __call__(self, text: str) -> str:
        return self._replaced(text, self.template if self.by.most(text) <= UNCOUNTED else self.counting())

    def traced(self, text: str) -> tuple[str, Origin]:
        """The same, and where it comes from: what is put in stands for the whole match."""
        expanded = self.counting()
        matches: list[tuple[int, int, int]] = []  # where each begins and ends, and the size of what is put in

        def replacement(match: "regex.Match[str]") -> str:
            new = expanded(match)
            matches.append((*match.span(), len(new)))
            return new

        replaced = self._replaced(text, replacement)
        if self.compiled.flags & regex.REVERSE:  # found from the end of the text to its beginning
            matches.reverse()
        origin = Origin()
        end = 0
        for start, stop, size in matches:
            origin.copy(start - end, end)
            origin.stand_for(size, start, stop)
            end = stop
        origin.copy(len(text) - end, end)
        return replaced, origin

    def _replaced(self, text: str, replacement: str | Callable[["regex.Match[str]"], str]) -> str:
        def search(seconds: float) -> str:
            return self.compiled.sub(replacement, text, timeout=seconds)

        replaced = self.budget.run(search, self.option, self.pattern)
        if len(replaced) > self.budget.most:
            raise self.too_long()
        return replaced

    def counting(self) -> Callable[["regex.Match[str]"], str]:
        """Replaces a match as the template says, as long as all that is put in is not longer than the text may be."""
        left = self.budget.most

        def replacement(match: "regex.Match[str]") -> str:
            nonlocal left
            left -= self.by.size(match)
            if left < 0:
                raise self.too_long()
            return match.expand(self.template)

        return replacement

    def too_long(self) -> Rejected:
        limit = f"{GROWTH} times its length and {CHARACTERS} characters"
        return Rejected(f"{self.option} {shown(self.pattern)}: makes the text longer than {limit}")


class WordPattern:
    """The matches of a pattern in folded text; may raise Rejected."""

    def __init__(self, pattern: str, budget: Budget) -> None:
        self.pattern = pattern
        self.budget = budget
        self.compiled = compile_pattern("--word", pattern)

    def __call__(self, folded: str) -> list[str]:
        def search(seconds: float) -> list[str]:
            return [word for match in self.compiled.finditer(folded, timeout=seconds) for word in match[0].split()]

        return self.budget.run(search, "--word", self.pattern)

    def places(self, folded: str) -> list[Place]:
        """Where these words are."""

        def search(seconds: float) -> list[Place]:
            found = []
            for match in self.compiled.finditer(folded, timeout=seconds):
                begin = match.start()
                found += [(begin + word.start(), begin + word.end()) for word in BETWEEN.finditer(match[0])]
            return found

        return self.budget.run(search, "--word", self.pattern)


def compile_pattern(option: str, pattern: str) -> "regex.Pattern[str]":
    """Raises Failed if it is no regular expression."""
    try:
        with limited_memory(COMPILING):
            compiled = regex.compile(pattern)
    except MemoryError:  # a{9999} in a{9999} in a{9999} is compiled to as many steps
        raise Failed(f"{option}: out of memory: {shown(pattern)}") from None
    except RecursionError:
        raise Failed(f"{option}: nested too deeply: {shown(pattern)}") from None
    except (regex.error, ValueError, OverflowError) as error:
        raise Failed(f"{option}: {error}: {shown(pattern)}") from None
    if compiled.flags & regex.LOCALE:
        raise Failed(f"{option}: (?L), by which the output would depend on the locale: {shown(pattern)}")
    return compiled


@contextlib.contextmanager
def limited_memory(more: int) -> Iterator[None]:
    """A MemoryError comes before this process has taken so many more bytes; where the system tells how many it has."""
    import resource  # which only a pattern of one's own needs

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    try:
        with open("/proc/self/statm", encoding="ascii") as sizes:
            pages = int(sizes.read().split()[0])
    except OSError:
        yield
        return
    limit = pages * resource.getpagesize() + more
    if soft != resource.RLIM_INFINITY:
        limit = min(limit, soft)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
