"""Jobs of a new user, typed as in the manual: what is left is what brute force leaves of the original file."""

import csv
import gzip
import io
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from harness import jsonl, shell

WORDS = [f"{first}{second}{third}" for first in "bdgk" for second in "aeo" for third in ("l", "nt", "rs", "zik")]
UNIQUE = "canon {0} | shingle -k 3 | simjoin -t 0.8 | dedup --pairs - {1} {0} -o kept"
K = 3
BY_NAMES = (  # the names are said to the command that reads the table, and to the one that writes it
    "canon --tsv --id n --text body table.tsv | shingle -k 3 | simjoin -t 0.8 | "
    "dedup --pairs - --tsv --id n --keep max:date table.tsv -o kept"
)


def texts(seed: int, number: int = 24) -> list[str]:
    """Texts of which some are copies with other capitals and marks, some are nearly copies, and some share a half."""
    rng, made = random.Random(seed), [WORDS[:20]]
    while len(made) < number:
        old, new = rng.choice(made), rng.sample(WORDS, 20)
        made.append(rng.choice([new, [*old], [*old[:-1], "other"], [*old[:10], *new[:10]]]))
    return [", ".join(word.title() if rng.random() < 0.3 else word for word in words) + "." for words in made]


def runs_of(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[at : at + K]) for at in range(max(1, len(words) - K + 1))} if words else set()


def similarity(one: str, other: str) -> Fraction:
    mine, theirs = runs_of(one), runs_of(other)
    return Fraction(len(mine & theirs), len(mine | theirs)) if mine else Fraction(0)


def same_words(one: str, other: str) -> Fraction:
    return Fraction(re.findall(r"\w+", one.lower()) == re.findall(r"\w+", other.lower()))


def kept(given: Sequence[str], order: Iterable[int] | None = None) -> list[int]:
    """Which texts stay, in an order of preference: each that is not alike to one that stays already."""
    stay: list[int] = []
    for number in order or range(len(given)):
        if not any(similarity(given[number], given[one]) >= Fraction(4, 5) for one in stay):
            stay.append(number)
    assert len(stay) < len(given)
    return sorted(stay)


def records(given: Sequence[str]) -> bytes:
    return jsonl(*({"id": number, "text": text} for number, text in enumerate(given)))


def files(folder: Path, suffix: str, contents: Sequence[str]) -> list[str]:
    folder.mkdir()
    for number, content in enumerate(contents):
        (folder / f"{number:02}.{suffix}").write_text(content)
    return [f"{folder.name}/{number:02}.{suffix}" for number in range(len(contents))]


def unique(folder: Path, options: str, more: str = "") -> bytes:
    """What the manual's pipeline writes."""
    shell(UNIQUE.format(options, more), cwd=folder).good()
    return (folder / "kept").read_bytes()


def of_folder(here: Path) -> None:
    given = texts(1)
    names = files(here / "docs", "txt", given)
    assert unique(here, "--recursive docs").decode().splitlines() == [names[number] for number in kept(given)]


def of_csv(here: Path) -> None:
    """Rows with line feeds in quotes; the longest text of those that are alike is kept."""
    given = [text.replace(", ", ',\n"', 1) for text in texts(2)]
    rows = []
    for number, text in enumerate(given):
        row = io.StringIO()
        csv.writer(row).writerow([f"n{number}", text, "" if number % 2 else "a;b"])
        rows.append(row.getvalue())
    (here / "table.csv").write_text("id,text,note\r\n" + "".join(rows), newline="")
    stay = kept(given, sorted(range(len(given)), key=lambda number: -len(given[number])))
    found = unique(here, "--csv table.csv", "--keep longest").decode()
    assert found == "id,text,note\r\n" + "".join(rows[number] for number in stay)
    with (here / "table.csv").open(newline="") as file:
        every = list(csv.reader(file))
    assert list(csv.reader(io.StringIO(found, newline=""))) == [every[0], *(every[number + 1] for number in stay)]


def of_parquet(here: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    given = texts(3)
    times = [datetime(2020, 1, 1 + number, 3, 4, 5, number, tzinfo=UTC) for number in range(len(given))]
    table = pa.table(
        {
            "text": given,
            "at": pa.array(times, pa.timestamp("us", "Europe/Berlin")),
            "tags": pa.array([["a"] * (number % 3) for number in range(len(given))], pa.list_(pa.string())),
            "of": pa.array([None if number % 4 else number / 8 for number in range(len(given))], pa.float32()),
        }
    ).replace_schema_metadata({"made": "here"})
    pq.write_table(table, here / "table.parquet", row_group_size=7)
    table = pq.read_table(here / "table.parquet")  # the format has a name of its own for what is in lists
    shell(UNIQUE.format("--parquet table.parquet", "").replace("-o kept", "-o kept.parquet"), cwd=here).good()
    found = pq.read_table(here / "kept.parquet")
    assert found.schema.equals(table.schema, check_metadata=True)
    assert found.equals(table.take(kept(given)))


def of_warc(here: Path) -> None:
    given, records = texts(4), []
    for number, text in enumerate(given):
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>%b" % text.encode()
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/{number}\r\nWARC-Record-ID: <urn:{number}>"
            f"\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        records.append(gzip.compress(head.encode() + body + b"\r\n\r\n"))
    (here / "crawl.warc.gz").write_bytes(b"".join(records))
    assert unique(here, "--warc crawl.warc.gz") == b"".join(records[number] for number in kept(given))


def of_messages(here: Path) -> None:
    """The file of a chat, as Telegram exports it, whose messages a line of Python takes out."""
    given = texts(5)
    messages = [{"id": number, "date": "2020-01-02", "text": text, "n": 1.50} for number, text in enumerate(given)]
    (here / "result.json").write_text(json.dumps({"name": "é", "messages": messages}, indent=1))
    taking = "import json; print(json.dumps(json.load(open('result.json'))['messages'], ensure_ascii=False))"
    shell(f'python3 -c "{taking}" > messages.json', cwd=here).good()
    assert json.loads(unique(here, "--array messages.json")) == [messages[number] for number in kept(given)]


def of_laws(here: Path) -> None:
    """Paragraphs that other laws have, too, are taken out of each but the first."""
    given = texts(6)
    laws = [given[start : start + 4] for start in range(0, len(given), 4)]
    (here / "laws.jsonl").write_bytes(
        jsonl(
            *({"id": f"§{number}", "text": "\n\n".join(law), "year": 1900 + number} for number, law in enumerate(laws))
        )
    )
    script = """parts laws.jsonl -o paragraphs
        canon paragraphs | shingle -k 3 | simjoin -t 0.8 | dedup --pairs - paragraphs | parts --together"""
    stay = kept(given)
    expected = {
        f"§{number}": [given[at] for at in range(4 * number, 4 * number + 4) if at in stay]
        for number in range(len(laws))
    }
    found = {each["id"]: each["text"].strip().split("\n\n") for each in shell(script, cwd=here).records()}
    assert found == {name: paragraphs for name, paragraphs in expected.items() if paragraphs}


def of_pages(here: Path) -> None:
    """What is around the main text does not count; the names of duplicates end with zero bytes, to be moved away."""
    given = texts(7)
    around = "<nav>{}</nav><main><h1></h1><p>{}</p></main><footer>{}</footer>"
    pages = [around.format(number, text, "Home " * number) for number, text in enumerate(given)]
    names = files(here / "pages", "html", pages)
    script = UNIQUE.format("--recursive pages", "-0 --removed gone").replace("canon", "canon --html=main")
    shell(f"{script}\nmkdir -p away && xargs -0r mv --backup=numbered -t away -- < gone", cwd=here).good()
    stay = [names[number] for number in kept(given)]
    assert (here / "kept").read_text().split("\0")[:-1] == stay
    assert sorted(str(path.relative_to(here)) for path in (here / "pages").iterdir()) == stay
    assert len([*(here / "away").iterdir()]) == len(given) - len(stay)


def of_code(here: Path) -> None:
    given = ["def " + text.lower().replace(", ", "():\n    return ") for text in texts(8)]
    names = files(here / "src", "py", given)
    shell("find src -name '*.py' -print0 | sort -z > names", cwd=here).good()
    found = unique(here, "--whole --files0-from names").decode().splitlines()
    assert found == [names[number] for number in kept(given)]


def of_tsv(here: Path) -> None:
    """A table with ids of its own and a column of dates; the latest is kept."""
    given = texts(9)
    dates = [f"{2000 + number * 7 % 11}-0{1 + number % 9}-01" for number in range(len(given))]
    rows = [f'{date}\t{text}\t"{number}\n' for number, (date, text) in enumerate(zip(dates, given, strict=True))]
    (here / "table.tsv").write_text("date\tbody\tn\n" + "".join(rows))
    shell(BY_NAMES, cwd=here).good()
    order = sorted(range(len(given)), key=lambda number: dates[number], reverse=True)
    assert (here / "kept").read_text() == "date\tbody\tn\n" + "".join(rows[number] for number in kept(given, order))


def of_subtitles(here: Path) -> None:
    """Captions that roll: each line is there again in the next caption."""
    said, lines = texts(10), []
    for number in range(1, len(said)):
        lines += [f"{number}", f"00:{number:02}:00,000 --> 00:{number:02}:09,500", *said[number - 1 : number + 1], ""]
    (here / "talk.srt").write_text("".join(f"{line}\r\n" for line in lines), newline="")
    found = unique(here, "--lines talk.srt")
    assert found == b"".join(f"{lines[number]}\r\n".encode() for number in kept(lines))


def of_citations(here: Path) -> None:
    given = texts(11)
    refs = [f"TY  - JOUR\nTI  - {text}\nID  - {number}\nER  - \n\n" for number, text in enumerate(given)]
    (here / "refs.ris").write_text("".join(refs))
    assert unique(here, "--ris refs.ris").decode() == "".join(refs[number] for number in kept(given))


def of_today(here: Path) -> None:
    """What yesterday's documents have goes from today's, and then what these repeat among themselves."""
    old, new = texts(12)[:12], texts(13)[:12]
    (here / "old").write_bytes(records(old))
    (here / "new").write_bytes(records(new))
    script = """canon old | shingle -k 3 > yesterday; canon new | shingle -k 3 > today
        simjoin -t 0.8 --against yesterday today > known
        simjoin -t 0.8 today | dedup --known known --pairs - new"""
    left = [at for at, text in enumerate(new) if not any(similarity(text, each) >= Fraction(4, 5) for each in old)]
    assert 0 < len(left) < len(new)
    assert [each["id"] for each in shell(script, cwd=here).records()] == [
        left[at] for at in kept([new[at] for at in left])
    ]


def of_shards(here: Path) -> None:
    """Tables without ids stay apart, under their own names; so do files of records, whose ids are enough."""
    given = texts(14)
    shards = {f"s{at}": range(at, len(given), 3) for at in range(3)}
    for name, places in shards.items():
        (here / f"{name}.csv").write_text("text\n" + "".join(f'"{given[at]}"\n' for at in places))
        (here / name).write_bytes(jsonl(*({"id": at, "text": given[at]} for at in places)))
    script = """mkdir out
        for f in s?.csv; do canon --csv $f | jq -c --arg f $f '.row = .id | .id = "\\($f) \\(.row)"'; done > rows
        shingle -k 3 rows | simjoin | dedup --pairs - rows --removed gone > kept
        for f in s?.csv; do jq -c --arg f $f 'select(.id == "\\($f) \\(.row)") | .id = .row' gone |
            dedup --without - --csv $f -o out/$f; done
        canon s? | shingle -k 3 | simjoin | dedup --pairs - s? --removed gone > kept
        for f in s?; do dedup --without gone $f -o out/$f; done"""
    shell(script, cwd=here).good()
    order = [at for places in shards.values() for at in places]
    stay = kept(given, order)
    for name, places in shards.items():
        left = [given[at] for at in places if at in stay]
        assert (here / "out" / f"{name}.csv").read_text() == "text\n" + "".join(f'"{text}"\n' for text in left)
        assert [json.loads(line)["text"] for line in (here / "out" / name).open()] == left


def of_columns(here: Path) -> None:
    """Rows go that are alike by one column or by the other."""
    one, other = texts(15), texts(16)
    rows = [f'n{at},"{first}","{second}"\n' for at, (first, second) in enumerate(zip(one, other, strict=True))]
    (here / "table.csv").write_text("Nr,A,B\n" + "".join(rows))
    script = """F='--csv --id Nr table.csv'; for column in A B; do canon --text $column $F | shingle -k 3 | simjoin
        done | dedup --pairs - $F"""
    stay: list[int] = []
    for at in range(len(rows)):
        if not any(similarity(each[at], each[old]) >= Fraction(4, 5) for each in (one, other) for old in stay):
            stay.append(at)
    assert len(stay) < min(len(kept(one)), len(kept(other)))
    assert shell(script, cwd=here).good().decode() == "Nr,A,B\n" + "".join(rows[at] for at in stay)


def of_partners(here: Path) -> None:
    """Of each document, all that have anything in common with it, the most similar first."""
    given = texts(17)
    (here / "docs").write_bytes(records(given))
    script = """canon docs | shingle -k 3 | simjoin -m 1 |
        jq -c '[.a,.b,.similarity],[.b,.a,.similarity]' | jq -sc 'sort_by(.[0],-.[2],.[1])[]'"""
    expected = [
        [one, other, round(float(-minus), 6)]
        for one, text in enumerate(given)
        for minus, other in sorted((-similarity(text, each), at) for at, each in enumerate(given) if at != one)
        if minus
    ]
    found = [json.loads(line) for line in shell(script, cwd=here).good().splitlines()]
    assert found == expected


def of_copies(here: Path) -> None:
    """Each document that is kept, with those that it stands for: each is alike to it."""
    given = texts(18)
    (here / "docs").write_bytes(records(given))
    script = """canon docs | shingle -k 3 | simjoin | dedup --pairs - --annotate docs |
        jq -sc 'group_by(.duplicate_of // .id)[] | map(.id)'"""
    groups = [json.loads(line) for line in shell(script, cwd=here).good().splitlines()]
    assert [group[0] for group in groups] == kept(given)
    assert sorted(at for group in groups for at in group) == [*range(len(given))]
    assert all(similarity(given[group[0]], given[at]) >= Fraction(4, 5) for group in groups for at in group)


def of_quotations(here: Path) -> None:
    """Pairs that share seven words in a row, or as many runs of three; these texts have each word once."""
    given = texts(19)
    (here / "docs").write_bytes(records(given))
    found = shell("canon docs | shingle -k 3 | simjoin -m 5", cwd=here).records()
    sets = [runs_of(text) for text in given]
    assert [(each["a"], each["b"], each["shared"]) for each in found] == [
        (a, b, len(sets[a] & sets[b]))
        for a in range(len(given))
        for b in range(a + 1, len(given))
        if len(sets[a] & sets[b]) >= 5
    ]
    assert len(found) > len(given) - len(kept(given))


def of_benchmark(here: Path) -> None:
    """Documents that contain an item go, whatever its capitals and marks."""
    given = texts(20)
    items = [" ".join(re.findall(r"\w+", given[at].lower())[:8]) for at in (0, 5)]
    (here / "docs").write_bytes(records(given))
    (here / "items").write_bytes(records(items))
    script = "canon items > b; canon docs | repeats -k 8 --against b --removed gone --drop 1/100 > left"
    shell(script, cwd=here).good()
    words = [" ".join(re.findall(r"\w+", text.lower())) for text in given]
    expected = [at for at, text in enumerate(words) if not any(item in text for item in items)]
    assert [json.loads(line)["id"] for line in (here / "left").open()] == expected
    assert len(expected) < len(given)


def of_two_files(here: Path) -> None:
    given = texts(21)
    files(here / "docs", "txt", [given[0], "Before this: " + given[0] + " And after this"])
    found = shell("shingletools compare docs/00.txt docs/01.txt --brief", cwd=here).good().decode()
    assert found.endswith(": 20 words in 1 passage, 100% of a, 80% of b, longest 20\n")


@pytest.mark.parametrize(
    "job",
    [
        *(of_folder, of_csv, of_parquet, of_warc, of_messages, of_laws, of_pages, of_code, of_tsv, of_subtitles),
        *(of_citations, of_today, of_shards, of_columns, of_partners, of_copies, of_quotations, of_benchmark),
        of_two_files,
    ],
    ids=lambda job: job.__name__,
)
def test_job(job: Callable[[Path], None], tmp_path: Path) -> None:
    job(tmp_path)


@pytest.mark.parametrize(
    "job", [of_folder, of_csv, of_parquet, of_warc, of_messages, of_code, of_tsv], ids=lambda job: job.__name__
)
def test_job_in_one_command(job: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which finds the format, and removes only texts with the same words, for these are short."""
    formats = "--recursive --csv --parquet --warc --array"
    bare = f'set -- {{0}}; case " {formats} " in *" $1 "*) shift; esac; shingletools unique "$@" {{1}} -o kept 2> told'
    monkeypatch.setitem(job.__globals__, "UNIQUE", bare)
    by_names = "shingletools unique --id n --text body --keep max:date table.tsv -o kept 2> told"
    monkeypatch.setitem(job.__globals__, "BY_NAMES", by_names)
    monkeypatch.setitem(job.__globals__, "similarity", same_words)
    job(tmp_path)
    assert (tmp_path / "told").read_text().count("\n") == 4
