"""The formats of files by their suffixes."""

import os

from shingletools.reading import compression_detection

READ_ONLY = "--xml is only read: export RIS, or remove copies from the JSON lines of canon --xml --extract"
TEXT, PAGE = "text", "html"  # plain text, which is read as lines or whole, and a page
# Documents in folders. Folders have logs and subtitles, too, which are documents only if they are named
TEXTS = frozenset({".txt", ".text", ".md", ".markdown", ".rst", ".adoc"})
PAGES = frozenset({".html", ".htm", ".xhtml"})
# All formats; "" for JSON lines
SUFFIXES = {f".{name}": name for name in ("csv", "tsv", "ris", "parquet", "arrow", "xlsx", "warc")}
SUFFIXES |= {
    ".tab": "tsv",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".nbib": "ris",
    ".bib": "ris",
    ".enw": "ris",
    ".ciw": "ris",
    ".jsonl": "",
    ".ndjson": "",
}
SUFFIXES |= dict.fromkeys((*TEXTS, ".log", ".srt"), TEXT) | dict.fromkeys(PAGES, PAGE)


def suffix(path: str) -> str:
    """Returns the suffix of a file, without that of a compressed file, in lower case."""
    stem, ending = os.path.splitext(path)
    return (os.path.splitext(stem)[1] if ending in compression_detection.SUFFIXES else ending).lower()
