"""Stop words: lists that come with the program, those of stopwordsiso, and files."""

from shingletools import errors, wire
from shingletools.canon.folding import fold
from shingletools.canon.rules import Rule, fold_accents, made_with
from shingletools.canon.words import cut
from shingletools.errors import Failed

SHIPPED = ("en", "ru", "zh")
ISO = "iso:"


class Stop:
    """A word, or nothing if it is one of the stop words.

    >>> Stop(frozenset(["the"]))("the"), Stop(frozenset())("the")
    ('', 'the')
    """

    def __init__(self, words: frozenset[str]) -> None:
        self.words = words

    def __call__(self, word: str) -> str:
        return "" if word in self.words else word


def stop(lists: list[str], accents: bool) -> Rule:
    """The rule that drops the words of all lists, folded as the text is; may raise Failed."""
    words: set[str] = set()
    labels = set()
    for name in lists:
        content, label = stop_list(name)
        labels.add(label)
        words.update(map(canonical, content))
    if accents:
        words = set(map(fold_accents, words))
    return Rule("stop", ",".join(sorted(labels)), Stop(frozenset(words)))


def canonical(word: str) -> str:
    """The one word that canon makes of an entry; one that is several words to it is only folded.

    >>> canonical("Etc."), canonical("我们")
    ('etc', '我们')
    """
    folded = fold(word)
    words = cut(folded)
    return words[0] if len(words) == 1 else folded


def stop_list(name: str) -> tuple[list[str], str]:
    """The words of a list, and how a recipe names it.

    Raises Failed if there is no such list or file, or it is not UTF-8.
    """
    if name.startswith(ISO):
        return iso_list(name)
    try:
        content = shipped(name) if name in SHIPPED else wire.read_file("--stop", name)
    except Failed as error:
        raise Failed(f"{error} (shipped: {', '.join(SHIPPED)}; {ISO}LANG for more)") from None
    label = name if name in SHIPPED else wire.file_label(name, content)
    return file_words(name, content), label


def shipped(name: str) -> bytes:
    """A list that comes with the program, which may be in an archive."""
    import pkgutil  # which a file does not need

    data = pkgutil.get_data("shingletools.canon", f"stop/{name}.txt")
    assert data is not None
    return data


def iso_list(name: str) -> tuple[list[str], str]:
    import stopwordsiso  # which reads all its lists

    language = name.removeprefix(ISO)
    if not stopwordsiso.has_lang(language):
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise Failed(f"--stop: {errors.printable(name)}: no such list (iso lists: {known})")
    return sorted(stopwordsiso.stopwords(language)), made_with(name, "stopwordsiso")


def file_words(name: str, content: bytes) -> list[str]:
    """The words of a file, one a line; empty lines and lines that begin with # are skipped."""
    words = []
    for number, line in enumerate(content.removeprefix(wire.BOM).split(b"\n"), 1):
        try:
            word = wire.decode(line).strip()
        except errors.Rejected as error:
            raise Failed(f"{errors.printable(name)}:{number}: {error}") from None
        if word and not word.startswith("#"):
            words.append(word)
    return words
