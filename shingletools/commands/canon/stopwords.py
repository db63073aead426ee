"""The rule that drops stop words."""

from collections.abc import Callable, Sequence
from functools import partial

from shingletools.commands.canon.folding import fold
from shingletools.commands.canon.rules import Rule
from shingletools.commands.canon.word_splitting import cut
from shingletools.text.wordlists import word_list


def unless_in(words: frozenset[str], word: str) -> str:
    """Returns the word, or "" if it is in the list.

    >>> unless_in(frozenset(["the"]), "the"), unless_in(frozenset(), "the")
    ('', 'the')
    """
    return "" if word in words else word


def stop(lists: list[str], foldings: Sequence[Callable[[str], str]]) -> Rule:
    """Returns the rule that drops the words of all lists, which are folded as the text is. Raises Failed."""
    words: set[str] = set()
    labels = set()
    for name in lists:
        content, label = word_list("--stop", name)
        labels.add(label)
        words.update(map(canonical, content))
    for folding in foldings:
        words = set(map(folding, words))
    return Rule("stop", ",".join(sorted(labels)), partial(unless_in, frozenset(words)))


def canonical(word: str) -> str:
    """Returns the word that canon makes of an entry in a list. An entry that becomes several words is only folded.

    >>> canonical("Etc."), canonical("我们")
    ('etc', '我们')
    """
    folded = fold(word)
    words = cut(folded)
    return words[0] if len(words) == 1 else folded
