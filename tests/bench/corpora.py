"""Corpora for the benches, from Debian's archive: needs apt, dpkg-deb, and the archive or a copy of it.

usage: python tests/bench/corpora.py FOLDER

descriptions.jsonl: the long description of each package of main, in English; full of siblings.
descriptions.ru.jsonl, descriptions.zh.jsonl: those that are translated into Russian, and into Chinese.
texts.jsonl: 20,000 texts of 230 words, put together of runs of those descriptions; one in five is near another.
guide.jsonl, guide.html.jsonl: the installation guide's pages in some 19 languages, for 9 architectures each, as text
and as HTML. What is there already is left alone; so is the machine's own list of packages.
"""

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from shingletools.commands.canon.html import html_reader

ARCHITECTURES = "amd64 arm64 armel armhf i386 mips64el mipsel ppc64el s390x".split()
LEAST = 200  # characters of a page
TEXTS, WORDS = 20_000, 230
CHARSET = re.compile(rb"charset=[\"']?([\w-]+)")

Document = tuple[str, str]  # id, text


def apt(*words: str, folder: Path, options: Sequence[str] = ()) -> None:
    settings = [part for option in ("APT::Sandbox::User=root", *options) for part in ("-o", option)]
    subprocess.run(["apt-get", "-qq", *settings, *words], cwd=folder, check=True, stdout=sys.stderr)


def descriptions(folder: Path, language: str) -> Iterator[Document]:
    lists = folder.resolve() / "lists"
    (lists / "partial").mkdir(parents=True)
    options = [f"Dir::State::lists={lists}", f"Acquire::Languages={language}", "Acquire::GzipIndexes=false"]
    apt("update", folder=folder, options=options)
    seen = set()
    # The name of a list has what may not stand in the name of a file as %5f, and perhaps an ending
    for path in sorted(lists.glob(f"*Translation-{language[:2]}*")):
        unpack = {".lz4": ["lz4", "-dc"], ".xz": ["xz", "-dc"], ".bz2": ["bzip2", "-dc"]}.get(path.suffix, ["cat"])
        text = subprocess.run([*unpack, path], check=True, stdout=subprocess.PIPE).stdout.decode()
        for paragraph in text.split("\n\n"):
            package = re.search("^Package: (.+)$", paragraph, re.MULTILINE)
            description = re.search(f"^Description-{language}: (.+(?:\n .*)*)", paragraph, re.MULTILINE)
            if package and description and package[1] not in seen:
                seen.add(package[1])
                lines = (line.removeprefix(" ") for line in description[1].split("\n"))
                yield package[1], "\n".join("" if line == "." else line for line in lines)


def texts(source: Path) -> Iterator[Document]:
    rng = random.Random(230)
    words = [word for _, text in read(source) for word in text.split()]
    every: list[list[str]] = []
    for number in range(TEXTS):
        if number % 5:
            text: list[str] = []
            while len(text) < WORDS:
                start = rng.randrange(len(words))
                text += words[start : start + rng.randrange(10, 40)]
            every.append(text[:WORDS])
        else:
            every.append(list(rng.choice(every or [words[:WORDS]])))
            for _ in range(rng.choice([0, 1, 2, 5])):
                every[-1][rng.randrange(WORDS)] = f"changed{rng.randrange(1000)}"
        yield f"text {number}", " ".join(every[-1])


def guide(folder: Path) -> Iterator[Document]:
    """HTML."""
    for architecture in ARCHITECTURES:
        package = f"installation-guide-{architecture}"
        place = folder / package
        place.mkdir()
        apt("download", package, folder=place)
        subprocess.run(["dpkg-deb", "-x", next(place.glob("*.deb")), place], check=True)
        pages = place / "usr/share/doc" / package
        for page in sorted(pages.glob("*/*.html")):
            data = page.read_bytes()
            charset = CHARSET.search(data[:800])
            yield (
                f"{architecture}/{page.relative_to(pages).with_suffix('')}",
                data.decode(charset[1].decode() if charset else "utf-8", "replace"),
            )


def text_of(documents: Iterator[Document]) -> Iterator[Document]:
    to_text = html_reader()
    for name, page in documents:
        text = " ".join(to_text(page).split())
        if len(text) >= LEAST:
            yield name, text


def read(path: Path) -> Iterator[Document]:
    with path.open() as lines:
        for line in lines:
            record = json.loads(line)
            yield record["id"], record["text"]


def written(path: Path, make: Callable[[Path], Iterator[Document]]) -> Path:
    """The corpus, made now if it is not there."""
    if not path.exists():
        with TemporaryDirectory(dir=path.parent) as name:
            new = Path(name, "new")
            with new.open("w") as lines:
                for document, text in make(Path(name)):
                    lines.write(json.dumps({"id": document, "text": text}, ensure_ascii=False) + "\n")
            new.rename(path)
    return path


def build(folder: Path) -> dict[str, Path]:
    """The corpora by name."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = written(folder / "guide.html.jsonl", guide)
    short = written(folder / "descriptions.jsonl", lambda lists: descriptions(lists, "en"))
    return {
        "descriptions": short,
        "texts": written(folder / "texts.jsonl", lambda _: texts(short)),
        "guide": written(folder / "guide.jsonl", lambda _: text_of(read(pages))),
        "guide.html": pages,
    }


def build_translations(folder: Path) -> dict[str, Path]:
    """Descriptions in other languages, by the language's name."""
    folder.mkdir(parents=True, exist_ok=True)
    return {
        "ru": written(folder / "descriptions.ru.jsonl", lambda lists: descriptions(lists, "ru")),
        "zh": written(folder / "descriptions.zh.jsonl", lambda lists: descriptions(lists, "zh_CN")),
    }


if __name__ == "__main__":
    for made in (build, build_translations):
        for corpus in made(Path(sys.argv[1])).values():
            print(corpus)
