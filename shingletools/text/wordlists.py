"""Lists of stop words: those that come with the program, those of stopwordsiso, and files."""

from shingletools.record import wire
from shingletools.record.package_versions import made_with
from shingletools.system import errors
from shingletools.system.errors import Failed

SHIPPED = ("en", "ru", "zh")
ISO = "iso:"


def word_list(option: str, name: str) -> tuple[list[str], str]:
    """Returns the words of a list, and its name in recipes.

    Raises Failed if there is no such list or file, or it is not UTF-8.
    """
    if name.startswith(ISO):
        return iso_list(option, name)
    from shingletools.reading import option_files  # late: runs without lists do not need it

    try:
        content = shipped(name) if name in SHIPPED else option_files.read_file(option, name)
    except Failed as error:
        raise Failed(f"{error} (shipped: {', '.join(SHIPPED)}; {ISO}LANG for more)") from None
    label = name if name in SHIPPED else wire.file_label(name, content)
    return file_words(name, content), label


def shipped(name: str) -> bytes:
    """Returns a list that comes with the program, which may be in an archive."""
    import pkgutil  # late: a file does not need it

    data = pkgutil.get_data("shingletools.text", f"stop/{name}.txt")
    assert data is not None
    return data


def iso_list(option: str, name: str) -> tuple[list[str], str]:
    import stopwordsiso  # late: it reads all its lists

    language = name.removeprefix(ISO)
    if not stopwordsiso.has_lang(language):
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise Failed(f"{option}: {errors.printable(name)}: no such list (iso lists: {known})")
    return sorted(stopwordsiso.stopwords(language)), made_with(name, "stopwordsiso")


def file_words(name: str, content: bytes) -> list[str]:
    """Returns the words of a file, one a line; empty lines and lines that begin with # are skipped."""
    words = []
    for number, line in enumerate(content.removeprefix(wire.BOM).split(b"\n"), 1):
        try:
            word = wire.decode(line).strip()
        except errors.Rejected as error:
            raise Failed(f"{errors.printable(name)}:{number}: {error}") from None
        if "\r" in word:
            from shingletools.record.error_hints import LOOKS_LIKE, RETURNS  # late: most runs do not need it

            raise Failed(f"{errors.printable(name)}:{number}: a carriage return within a line; {LOOKS_LIKE}{RETURNS}")
        if word and not word.startswith("#"):
            words.append(word)
    return words
