"""Rules of one's own, as regular expressions, with a limit on the time that they may take for a record."""

import time
from dataclasses import dataclass, field

import regex

from shingletools.wire import Failed, Rejected, shown

SECONDS = 10.0  # for each record
CHARACTERS = 1_000_000  # that give a record one second more


class Clock:
    """The processor time that is left to all patterns for the record at hand."""

    def __init__(self) -> None:
        self.end = 0.0

    def start(self, text: str) -> None:
        self.end = time.process_time() + SECONDS + len(text) / CHARACTERS

    def left(self) -> float:
        """Seconds; none left is a nanosecond, since regex takes 0 for no limit."""
        return max(self.end - time.process_time(), 1e-9)


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
            # A template is read when something matches; so let something match
            regex.sub(f"(?:{self.pattern})|", self.template, "")
        except (regex.error, IndexError) as error:
            raise Failed(f"{self.option}: {error}: {shown(self.template)}") from None

    def __call__(self, text: str) -> str:
        try:
            return self.compiled.sub(self.template, text, timeout=self.clock.left())
        except TimeoutError:
            raise timed_out(self.option, self.pattern) from None


@dataclass
class Words:
    """The matches of a pattern in folded text; may raise Rejected."""

    pattern: str
    clock: Clock
    compiled: "regex.Pattern[str]" = field(init=False)

    def __post_init__(self) -> None:
        self.compiled = compile_pattern("--word", self.pattern)

    def __call__(self, folded: str) -> list[str]:
        try:
            matches = self.compiled.finditer(folded, timeout=self.clock.left())
            return [word for match in matches for word in match[0].split()]
        except TimeoutError:
            raise timed_out("--word", self.pattern) from None


def compile_pattern(option: str, pattern: str) -> "regex.Pattern[str]":
    """Raises Failed if it is no regular expression."""
    try:
        return regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError) as error:
        raise Failed(f"{option}: {error}: {shown(pattern)}") from None


def timed_out(option: str, pattern: str) -> Rejected:
    return Rejected(f"{option} {shown(pattern)}: more than {SECONDS:g} s, and 1 s for each million characters")
