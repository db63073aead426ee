"""The user's own rules: regular expressions, with limits on time and growth for each record."""

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from shingletools.commands.canon.character_origins import Origin, Place
from shingletools.system.errors import Failed, Rejected, shown
from shingletools.system.lazy_imports import regex

Result = TypeVar("Result")

RECORD_SECONDS = 10.0  # for each record
CHARS_PER_SECOND = 1_000_000  # for each million of them a record gets one second more
MAX_GROWTH = 10  # a record's text may grow to so many times its length plus CHARS_PER_SECOND
COMPILE_BYTES = 1 << 30  # bytes that compiling a pattern may take; regex itself limits a search to as much
UNCOUNTED_CHARS = 1 << 27  # characters: if no more can be inserted, they are not counted, which is three times as fast
BETWEEN = re.compile(r"\S+")  # what stands between white space, as str.split sees it


class Budget:
    """The processor time and characters that all patterns together may still use for the current record."""

    left = 0.0  # seconds
    most = 0  # characters that the text may have

    def start(self, text: str) -> None:
        self.left = RECORD_SECONDS + len(text) / CHARS_PER_SECOND
        self.most = MAX_GROWTH * len(text) + CHARS_PER_SECOND

    def run(self, search: Callable[[float], Result], option: str, pattern: str) -> Result:
        """Runs a search within the seconds that are left. Raises Rejected if time or memory runs out."""
        start = time.process_time()
        try:
            return search(max(self.left, 1e-9))  # never 0, which regex takes for no limit
        except TimeoutError:
            limit = f"{RECORD_SECONDS:g} s, and 1 s for each million characters"
            raise Rejected(f"{option} {shown(pattern)}: more than {limit}") from None
        except MemoryError:
            raise Rejected(f"{option} {shown(pattern)}: out of memory") from None
        finally:
            self.left -= time.process_time() - start


class Replace:
    """Replaces each match in a text by a template, as regex.sub does. Raises Rejected.

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
        check_template(option, self.compiled, template)

    def __call__(self, text: str) -> str:
        return self._replaced(text, self.template if self.most(text) <= UNCOUNTED_CHARS else self.counting())

    def most(self, text: str) -> int:
        """Returns an upper bound of the text's length after all replacements.

        Each group in the template has a backslash there. It may match text outside of the match.
        """
        return len(text) + (len(text) + 1) * (len(self.template) + self.template.count("\\") * len(text))

    def traced(self, text: str) -> tuple[str, Origin]:
        """Returns the text and its origin: a replacement comes from the whole match. Raises Rejected."""
        expanded = self.counting()
        matches: list[tuple[int, int, int]] = []  # start, end, size of the replacement

        def replacement(match: "regex.Match[str]") -> str:
            new = expanded(match)
            matches.append((*match.span(), len(new)))
            return new

        replaced = self._replaced(text, replacement)
        if self.compiled.flags & regex.REVERSE:  # matches come from the end of the text to its beginning
            matches.reverse()
        return replaced, Origin(len(text), matches)

    def _replaced(self, text: str, replacement: str | Callable[["regex.Match[str]"], str]) -> str:
        def search(seconds: float) -> str:
            return self.compiled.sub(replacement, text, timeout=seconds)

        replaced = self.budget.run(search, self.option, self.pattern)
        if len(replaced) > self.budget.most:
            raise self.too_long()
        return replaced

    def counting(self) -> Callable[["regex.Match[str]"], str]:
        """Returns a function that replaces a match.

        It raises Rejected once all replacements are longer than a text may be.
        """
        left = self.budget.most

        def replacement(match: "regex.Match[str]") -> str:
            nonlocal left
            expanded = match.expand(self.template)
            left -= len(expanded)
            if left < 0:
                raise self.too_long()
            return expanded

        return replacement

    def too_long(self) -> Rejected:
        limit = f"{MAX_GROWTH} times its length and {CHARS_PER_SECOND} characters"
        return Rejected(f"{self.option} {shown(self.pattern)}: makes the text longer than {limit}")


class WordPattern:
    """Takes the matches of a pattern as the words of folded text. Raises Rejected."""

    def __init__(self, pattern: str, budget: Budget) -> None:
        self.pattern = pattern
        self.budget = budget
        self.compiled = compile_pattern("--word", pattern)

    def __call__(self, folded: str) -> list[str]:
        def search(seconds: float) -> list[str]:
            return [word for match in self.compiled.finditer(folded, timeout=seconds) for word in match[0].split()]

        return self.budget.run(search, "--word", self.pattern)

    def places(self, folded: str) -> list[Place]:
        """Returns the places of these words. Raises Rejected."""

        def search(seconds: float) -> list[Place]:
            places = []
            for match in self.compiled.finditer(folded, timeout=seconds):
                begin = match.start()
                places += [(begin + word.start(), begin + word.end()) for word in BETWEEN.finditer(match[0])]
            return places

        return self.budget.run(search, "--word", self.pattern)


def check_template(option: str, pattern: "regex.Pattern[str]", template: str) -> None:
    """Raises Failed unless a template fits a pattern: one with the same groups, which match nothing, shows this."""
    names = {number: f"?P<{name}>" for name, number in pattern.groupindex.items()}
    groups = "".join(f"({names.get(group, '')})" for group in range(1, pattern.groups + 1))
    try:
        regex.sub(groups, template, "").encode()
    except UnicodeEncodeError:
        raise Failed(f"{option}: lone surrogate: {shown(template)}") from None
    except (regex.error, IndexError, ValueError) as error:
        raise Failed(f"{option}: {error}: {shown(template)}") from None


def compile_pattern(option: str, pattern: str) -> "regex.Pattern[str]":
    """Returns a compiled regular expression. Raises Failed.

    It fails for text that is no regular expression, or one that needs too much memory or the locale.
    """
    try:
        with limited_memory(COMPILE_BYTES):
            compiled = regex.compile(pattern)
    except MemoryError:  # such as ((a{9999}){9999}){9999}, which becomes 9999^3 steps
        raise Failed(f"{option}: out of memory: {shown(pattern)}") from None
    except RecursionError:
        raise Failed(f"{option}: nested too deeply: {shown(pattern)}") from None
    except (regex.error, ValueError, OverflowError) as error:
        raise Failed(f"{option}: {error}: {shown(pattern)}") from None
    if compiled.flags & regex.LOCALE:
        raise Failed(f"{option}: (?L) makes the output depend on the locale: {shown(pattern)}")
    return compiled


@contextlib.contextmanager
def limited_memory(more: int) -> Iterator[None]:
    """Raises MemoryError inside before this process takes `more` bytes more, if the system says what it has now."""
    import resource  # imported late, since few runs need it

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
