"""Applies the rules in their order, with a memo that makes them cheap; explains what each rule did."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from shingletools import kernel
from shingletools.commands.canon.folding import fold, fold_accents
from shingletools.commands.canon.hyphens import join_soft_hyphens
from shingletools.commands.canon.known_characters import is_later, part_later
from shingletools.commands.canon.rules import Rule
from shingletools.commands.canon.user_patterns import Budget, WordPattern
from shingletools.commands.canon.word_splitting import SPACER, cut, symbols, wherever
from shingletools.kernel.lines import Link, no_link
from shingletools.kernel.memo import CUT_CHARS, MAX_KEY_CHARS, Memo, cut_at_blanks
from shingletools.text.sentences import sentences


class Rules(NamedTuple):
    """The rules of canonization besides folding, in their order. Any rule may raise Rejected."""

    texts: tuple[Rule, ...] = ()  # to the whole text
    budget: Budget = Budget()  # limits the user's patterns for one record
    sentences: bool = False  # write each sentence on a line of its own
    accents: bool = False  # fold accents, too
    cut: Callable[[str], list[str]] = cut  # cuts folded text without white space into words
    words: tuple[Rule, ...] = ()  # to each word
    symbols: bool = False  # if no word is left, take symbols as words

    def by_token(self) -> bool:
        """Returns whether a text can be canonized token by token: no rule looks at the whole text."""
        return not (self.texts or self.sentences or self.symbols or isinstance(self.cut, WordPattern))

    def alone(self) -> "Rules":
        """Returns the rules for a text that has only symbols."""
        return Rules(accents=self.accents, cut=symbols)


class Canonizer:
    """Turns a text into canonical words, single spaces between them. A word's form depends on that word alone.

    Tokens between white space go through a memo, and so do words, so rules cost nothing for a token that comes again.
    Without rules, a second canonization changes nothing.

    >>> Canonizer()("The cat’s  “whiskers” — and THE dog...")
    "the cat's whiskers and the dog"
    """

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules = rules or Rules()
        alone = self.rules.cut is cut
        self.tokens = kernel.words(self._token, self.wherever if alone and not self.rules.words else None, alone)
        self.words = Memo(self._word)
        self.symbols = Canonizer(self.rules.alone()) if self.rules.symbols else None

    def __reduce__(self) -> "tuple[type[Canonizer], tuple[Rules]]":
        """Pickles the rules only, so that another process starts with empty memos and its own kernel."""
        return (Canonizer, (self.rules,))

    def __call__(self, text: str) -> str:
        text = join_soft_hyphens(self.edited(text))
        parts = sentences(text) if self.rules.sentences else [text]
        words = "\n".join(filter(None, map(self.canonize, parts)))
        return words if words or self.symbols is None else self.symbols.canonize(text)

    def edited(self, text: str) -> str:
        """Applies the rules for whole texts only."""
        self.rules.budget.start(text)
        for rule in self.rules.texts:
            text = rule.function(text)
        return text

    def canonize(self, text: str) -> str:
        """Applies all rules that come after those for whole texts."""
        return self.tokens.words(text)

    def link(self) -> Link:
        """Returns the link of a stage.Filter."""
        return self.tokens.link() if self.rules.by_token() else no_link()

    def fold(self, text: str) -> str:
        return fold_accents(fold(text)) if self.rules.accents else fold(text)

    def _token(self, token: str) -> str:
        if not token.isascii():
            if len(token) == 1 and is_later(token):
                return self._rest(later_words(self.rules, token))
            parted = part_later(token)
            if parted is not token:
                return self.canonize(parted)
        folded = self.fold(token)
        if len(folded) > MAX_KEY_CHARS and self.rules.cut is cut:
            # In a script without spaces a token is a whole sentence. Cut before each character, its pieces are short
            # and come again, so that the memo has them
            parted = folded.translate(SPACER)
            if " " in parted.strip():
                return self.canonize(parted)
        if len(folded) > CUT_CHARS:  # folding may bring white space: one character of Arabic becomes four words
            return " ".join(filter(None, (self._rest(self.rules.cut(part)) for part in cut_at_blanks(folded))))
        return self._rest(self.rules.cut(folded))

    def wherever(self, character: str) -> str | None:
        """Returns the words that a character becomes in any context; see kernel.memo.Wherever."""
        return None if is_later(character) else wherever(character, self.fold(character))

    def _rest(self, words: Iterable[str]) -> str:
        return " ".join(filter(None, map(self.words.__getitem__, words)) if self.rules.words else words)

    def _word(self, word: str) -> str:
        for rule in self.rules.words:
            if word:
                word = rule.function(word)
        return word


def later_words(rules: Rules, character: str) -> list[str]:
    """Returns a character newer than Unicode 14.0 as a word of its own, unless a pattern says what words are."""
    return rules.cut(character) if isinstance(rules.cut, WordPattern) else [character]


def explain(rules: Rules, text: str) -> dict[str, str]:
    """Returns the text or words after each rule, by the rule's name."""
    rules.budget.start(text)
    steps = {"given": text}

    def step(name: str, result: str) -> None:
        number = 1 + sum(known.partition(" ")[0] == name for known in steps)
        steps[name if number == 1 else f"{name} {number}"] = result

    for rule in rules.texts:
        text = rule.function(text)
        step(rule.name, text)
    text = join_soft_hyphens(text)
    if rules.sentences:
        text = "\n".join(map(str.strip, sentences(text)))
        step("sentences", text)
    tokens = part_later(text).split()
    later = [len(token) == 1 and is_later(token) for token in tokens]
    folded = [token if new else fold(token) for token, new in zip(tokens, later, strict=True)]
    step("fold", " ".join(folded))
    if rules.accents:
        folded = [token if new else fold_accents(token) for token, new in zip(folded, later, strict=True)]
        step("fold-accents", " ".join(folded))
    words = ""
    for number, name in enumerate(["words", *(rule.name for rule in rules.words)]):
        words = Canonizer(rules._replace(words=rules.words[:number])).canonize(text)
        step(name, words)
    if rules.symbols:
        step("symbols", words or Canonizer(rules.alone()).canonize(text))
    return steps
