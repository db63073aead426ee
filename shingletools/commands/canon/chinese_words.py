"""Chinese words instead of single characters, by rjieba."""

from collections.abc import Callable

import regex

from shingletools.system.lazy_imports import needs

# A run without punctuation is cut anywhere, so that memory stays bounded
HAN = regex.compile(r"[[\p{L}\p{N}]&&\p{scx=Han}]{1,1024}+", regex.VERSION1)


class Chinese:
    """Cuts folded text into words: runs of Han characters into Chinese words, all other text by `others`."""

    def __init__(self, others: Callable[[str], list[str]]) -> None:
        self.others = others
        self.cut = needs("--segment zh", "rjieba").cut

    def __call__(self, folded: str) -> list[str]:
        words: list[str] = []
        end = 0
        for run in HAN.finditer(folded):
            words += self.others(folded[end : run.start()])
            words += self.cut(run[0])
            end = run.end()
        return words + self.others(folded[end:])

    def __reduce__(self) -> tuple[type["Chinese"], tuple[Callable[[str], list[str]]]]:
        return Chinese, (self.others,)
