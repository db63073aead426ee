"""Rules of one's own, as regular expressions, with a limit on the time that they may take for a record."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import regex

from shingletools.wire import Failed, Rejected, shown

Result = TypeVar("Result")

SECONDS = 10.0  # for each record
CHARACTERS = 1_000_000  # that give a record one second more


class Clock:
    """The processor time that all patterns together may still take for the record at hand."""

    def __init__(self) -> None:
        self.left = 0.0

    def start(self, text: str) -> None:
        self.left = SECONDS + len(text) / CHARACTERS

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


@dataclass
class Replace:
    """Text with each match replaced by a template, as in regex.sub; may raise Rejected.

    >>> clock = Clock()
    >>> clock.start("")
    >>> Replace("--replace", r"(\\d+) USD", r"$\\1", clock)("5 USD")
    '$5'
    """

    option: str
    pattern: str
    template: str
    clock: Clock
    compiled: "regex.Pattern[str]" = field(init=False)

    def __post_init__(self) -> None:
        self.compiled = compile_pattern(self.option, self.pattern)
        try:
            # A template is read when something matches; so let something match, even after a comment
            regex.sub(f"(?:{self.pattern}\n)|", self.template, "")
        except (regex.error, IndexError, ValueError) as error:
            raise Failed(f"{self.option}: {error}: {shown(self.template)}") from None

    def __call__(self, text: str) -> str:
        def search(seconds: float) -> str:
            return self.compiled.sub(self.template, text, timeout=seconds)

        return self.clock.run(search, self.option, self.pattern)


@dataclass
class Words:
    """The matches of a pattern in folded text; may raise Rejected."""

    pattern: str
    clock: Clock
    compiled: "regex.Pattern[str]" = field(init=False)

    def __post_init__(self) -> None:
        self.compiled = compile_pattern("--word", self.pattern)

    def __call__(self, folded: str) -> list[str]:
        def search(seconds: float) -> list[str]:
            return [word for match in self.compiled.finditer(folded, timeout=seconds) for word in match[0].split()]

        return self.clock.run(search, "--word", self.pattern)


def compile_pattern(option: str, pattern: str) -> "regex.Pattern[str]":
    """Raises Failed if it is no regular expression."""
    try:
        return regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise Failed(f"{option}: {error or 'out of memory'}: {shown(pattern)}") from None
