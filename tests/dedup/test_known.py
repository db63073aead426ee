"""dedup by pairs, groups and --known, --keep by values, and reasons: against a brute force over all of them."""

import json
import random
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import DOCS, Ran, Record, jsonl, pipe, run, run_here, shell

IDS = [number if spelled else f"{number}" for number in range(8) for spelled in (True, False)]
VALUES = (
    *"3 1 0.10 0.1 1E5 100000 -7 -0 0 9007199254740993 9007199254740992 1e-300".split(),
    *"18446744073709551616 18446744073709551617 true null [1]".split(),
    *r'"2026-01-31" "2026-02-01" "2026-02-01T00:00" "" "\u00e9" "é" "\ud83d\ude00"'.split(),
    *('"\uffff"', '" \\t"', '{"n":1}', None),
)
NUMBERS = (
    *'9 "10" "9" "+9.50" "-.5" "1e1" "007" "9007199254740993" 9007199254740992 "9007199254740992.5"'.split(),
    *('"1E-300"', '"0"', '""', '" 9.0"', '"  "', "null", None),
)
SIMILARITIES = ("0.9", "0.90", "9e-1", "1", "1.0", "0.857143", "0", "0.123456789012345", None)
RULES = ("first", "longest", "shortest", "min:n", "max:n", "none")


def key(name: object) -> tuple[str, object]:
    """1 and "1" are two ids; Python holds 1 and true for one, too."""
    return type(name).__name__, name


def order_of(spelled: str | None) -> tuple[int, Fraction, str] | None:
    """Numbers by what they are, exactly; behind them strings by code points; all else, and blanks, are no value."""
    if spelled is None or spelled[0] in "tn[{":
        return None
    if spelled[0] == '"':
        text = json.loads(spelled)
        return (1, Fraction(0), text) if text.strip() else None
    return 0, Fraction(spelled), ""


def orders_of(every: Sequence[str | None]) -> list[tuple[int, Fraction, str] | None]:
    """The same of all values that are compared: where each spells a number, that is what it is."""
    found = [order_of(spelled) for spelled in every]
    try:
        return [(0, Fraction(each[2]), "") if each and each[0] else each for each in found]
    except ValueError:
        return found


class Case:
    """Documents, groups and pairs at random."""

    def __init__(self, rng: random.Random) -> None:
        self.names = rng.sample(IDS, rng.randrange(len(IDS) + 1))
        self.texts = ["é" * rng.randrange(4) for _ in self.names]
        values = rng.choice([VALUES, NUMBERS])
        self.as_text = values is VALUES
        self.values = [rng.choice(values) for _ in self.names]
        shuffled = rng.sample(IDS, len(IDS))
        cuts = sorted(rng.choices(range(len(IDS) + 1), k=4))
        self.groups = [shuffled[start:end] for start, end in pairwise(cuts)]
        self.known = [self.pair(rng) for _ in range(rng.randrange(7))]
        self.t = rng.choice([None, None, "0.857143", "6/7", "0.123456789012345"])
        near = [self.pair(rng) for _ in range(rng.choice([0, 3, 10, 40]))]
        self.pairs = [(a, b, each) for a, b, each in near if key(a) != key(b) and (self.t is None or each is not None)]
        self.least = rng.choice([1, 1, 1, 2, 3])
        there = {key(name) for name in self.names}  # with which a pair of one side would fail the run
        self.against = [rng.random() < 0.7 or (key(b) in there and key(a) != key(b)) for a, b, _ in self.known]

    @staticmethod
    def pair(rng: random.Random) -> tuple[object, object, str | None]:
        return rng.choice(IDS), rng.choice([*IDS, "old"]), rng.choice(SIMILARITIES)

    def lines(self) -> list[str]:
        return [
            f'{{"id":{json.dumps(name)}, "text":"{text}"{"" if value is None else f",{chr(34)}n{chr(34)}: {value}"}}}'
            for name, text, value in zip(self.names, self.texts, self.values, strict=True)
        ]

    def write(self, folder: Path) -> None:
        (folder / "docs").write_text("".join(f"{line}\n" for line in self.lines()), "utf-8")
        (folder / "groups").write_bytes(jsonl(*({"members": group} for group in self.groups)))
        (folder / "pairs").write_text("".join(said(*pair, False) for pair in self.pairs))
        both = zip(self.known, self.against, strict=False)
        (folder / "known").write_text("".join(said(*pair, against) for pair, against in both))

    def verdicts(self, rule: str) -> list[Record]:
        """What each document is to say: nothing if it stays."""
        found: list[Record] = []
        for name in self.names:
            mine = [(similarity, other) for a, other, similarity in self.known if key(a) == key(name)]
            if mine:
                best = max(mine, key=lambda each: Fraction(each[0] or -1))  # the first of several
                found.append({"duplicate_of": best[1], "duplicate_by": reason("known", best[0])})
                continue
            if self.by_pairs:
                found.append(self.verdict(name, rule))
                continue
            (group,) = [group for group in self.groups if key(name) in map(key, group)] or [[]]
            kept = self.kept(group, rule) if len(group) > self.least else name
            if kept is None or key(kept) != key(name):
                found.append({"duplicate_of": kept, "duplicate_by": {"rule": rule}})
            else:
                found.append({})
        return found

    by_pairs = False

    def verdict(self, name: object, rule: str) -> Record:
        """By pairs: documents one by one, each against all that are kept."""
        known = {key(a) for a, *_ in self.known}
        rest: list[object] = [other for other in self.names if key(other) not in known]
        kept: list[object] = []
        while rest:
            best = self.kept(rest, rule)
            rest.remove(best)
            if not any(self.similar(best, other) for other in kept):
                kept.append(best)
        alike = [(other, max(found)) for other in kept if (found := self.similar(name, other))]
        if not alike:
            return {}
        other, (_, spelled) = max(alike, key=lambda each: each[1][0])  # the first of several
        return {"duplicate_of": other, "duplicate_by": reason(rule, spelled)}

    def similar(self, one: object, two: object) -> list[tuple[Fraction, str | None]]:
        """The similarities of the pairs of two documents, below 0 if there is none; and as they are spelled."""
        return [
            (Fraction(each or -1), each)
            for a, b, each in self.pairs
            if {key(a), key(b)} == {key(one), key(two)} and (self.t is None or Fraction(each or 0) >= Fraction(self.t))
        ]

    def figures(self, verdicts: Sequence[Record]) -> str:
        """What -v adds for pairs."""
        there = {key(name) for name in self.names}
        enough = [(a, b) for a, b, each in self.pairs if self.t is None or Fraction(each or 0) >= Fraction(self.t)]
        others = sum(key(a) not in there or key(b) not in there for a, b in enough)
        reasons = [says["duplicate_by"] for says in verdicts if says]
        alike = [each["similarity"] for each in reasons if each["rule"] != "known" and "similarity" in each]
        lowest = f"lowest similarity {round(min(alike), 6)}, median {round(median(alike), 6)}, " if alike else ""
        return f", {lowest}{others} pair{'s' * (others != 1)} of other documents"

    def kept(self, group: Sequence[object], rule: str) -> object:
        known = {key(a) for a, *_ in self.known}
        named = [name for some in self.groups if len(some) > self.least for name in some]
        choices = {key(name) for name in [*named, *(name for pair in self.pairs for name in pair[:2])]} - known
        every = [each for each in zip(self.names, self.texts, self.values, strict=True) if key(each[0]) in choices]
        values = [value for *_, value in every]
        found = [*map(order_of, values)] if self.as_text else orders_of(values)
        orders = dict(zip((key(name) for name, *_ in every), found, strict=True))
        there = [
            (name, len(text), orders.get(key(name)))  # documents without pairs may come in any order
            for name, text in zip(self.names, self.texts, strict=True)
            if key(name) in map(key, group) and (self.by_pairs or key(name) in choices)
        ]
        if rule == "none":
            return None
        if rule == "longest":
            return max(there, key=lambda each: each[1])[0]
        if rule == "shortest":
            return min(there, key=lambda each: each[1])[0]
        valued = [each for each in there if each[2] is not None]
        if rule == "first" or not valued:
            return there[0][0]
        return (min if rule == "min:n" else max)(valued, key=lambda each: each[2] or (0, Fraction(0), ""))[0]


def said(a: object, b: object, similarity: str | None, against: bool) -> str:
    members = [f'"a":{json.dumps(a)}', f'"b": {json.dumps(b)}']
    members += [] if similarity is None else [f'"similarity":{similarity}']
    members += ['"against":true'] if against else []
    return f"{{{','.join(members)}}}\n"


def reason(rule: str, similarity: str | None) -> Record:
    return {"rule": rule} if similarity is None else {"rule": rule, "similarity": float(similarity)}


def with_fields(line: str, fields: Record) -> str:
    more = "".join(f",{json.dumps(name)}:{json.dumps(value, separators=(',', ':'))}" for name, value in fields.items())
    return line[:-1] + more + "}"


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from(RULES), st.sampled_from(["", "groups", "pairs"]), st.booleans())
def test_brute_force(seed: int, rule: str, by: str, known: bool) -> None:
    case = Case(random.Random(seed))
    known = known or not by
    rule = "longest" if by == "pairs" and rule == "none" else rule
    case.known = case.known if known else []
    case.groups = case.groups if by == "groups" else []
    case.by_pairs = by == "pairs"
    options = "-v" + " --known known" * known
    options += f" --{by} {by} --keep {rule}" if by else ""
    options += f" --larger-than {case.least}" if by == "groups" else ""
    options += f" -t {case.t}" if by == "pairs" and case.t else ""
    options += " --as text" if by and case.as_text and ":" in rule else ""
    verdicts, lines = case.verdicts(rule), case.lines()
    both = list(zip(lines, verdicts, strict=True))
    by_known = sum(says.get("duplicate_by", {}).get("rule") == "known" for says in verdicts)
    go = sum(map(bool, verdicts))
    rules = [f"{go - by_known} by --keep {rule}"] * bool(by) + [f"{by_known} by --known"] * known
    more = case.figures(verdicts) if case.by_pairs else ""
    figures = f"{len(lines) - go} kept, {go} removed ({', '.join(rules)}){more}\n"

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        case.write(folder)
        ran = run_here(f"dedup {options} --removed gone docs", cwd=folder)
        assert (ran.status, ran.err.split(" MB/s, ")[1]) == (0, figures)
        assert ran.out.decode().split("\n")[:-1] == [line for line, says in both if not says]
        assert (folder / "gone").read_text("utf-8").split("\n")[:-1] == [
            with_fields(line, says) if says["duplicate_by"]["rule"] == "known" else line for line, says in both if says
        ]
        assert run_here(f"dedup {options} docs", cwd=folder).out == ran.out
        dry = run_here(f"dedup {options} --removed gone2 -o out --dry-run docs", cwd=folder)
        assert (dry.status, dry.out, dry.err.split(" MB/s, ")[1]) == (0, b"", figures)
        assert sorted(path.name for path in folder.iterdir()) == ["docs", "gone", "groups", "known", "pairs"]
        if rule != "none":
            ran = run_here(f"dedup {options} --annotate docs", cwd=folder)
            assert ran.out.decode().split("\n")[:-1] == [with_fields(line, says) for line, says in both]
            assert ran.err.endswith(figures.replace("removed", "marked"))


def test_what_an_archive_has_goes_from_real_texts(tmp_path: Path) -> None:
    """Pipelines as users write them; what is left has no pair with the archive, and no group loses all that is new."""
    sketches = pipe(DOCS.read_bytes(), "canon", "shingle -k 10", "sketch").splitlines(keepends=True)
    documents = DOCS.read_bytes().splitlines(keepends=True)
    (tmp_path / "old").write_bytes(b"".join(sketches[::2]))
    (tmp_path / "new").write_bytes(b"".join(sketches[1::2]))
    (tmp_path / "docs").write_bytes(b"".join(documents[1::2]))
    script = """simjoin -t 0.8 --against old -o known new && simjoin -t 0.8 new | simgroup > groups &&
        dedup --known known --groups groups --removed gone -o left docs && cat known"""
    pairs = [json.loads(line) for line in shell(script, tmp_path).good().splitlines()]
    left, gone = ([json.loads(line)["id"] for line in (tmp_path / name).open("rb")] for name in ("left", "gone"))
    known = {pair["a"] for pair in pairs}
    assert len(known) > 20
    assert known <= set(gone)
    assert sorted(left + gone) == sorted(json.loads(line)["id"] for line in documents[1::2])
    groups = [json.loads(line)["members"] for line in (tmp_path / "groups").open("rb")]
    assert any(known & set(group) and not known >= set(group) for group in groups)
    for group in groups:
        assert len(set(group) & set(left)) == (not known >= set(group))
    marked = run("dedup --known known --groups groups --annotate docs", cwd=tmp_path).records()
    best = {pair["a"]: max(other["similarity"] for other in pairs if other["a"] == pair["a"]) for pair in pairs}
    says = {each["id"]: each["duplicate_by"] for each in marked if "duplicate_by" in each}
    assert {name for name in says if says[name] != {"rule": "first"}} == known
    assert all(says[name] == {"rule": "known", "similarity": best[name]} for name in known)


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (b'{"a":1}', 'field "b" is missing'),
        (b'{"b":1}', 'field "a" is missing'),
        (b'{"a":1.5,"b":1}', 'field "a" is neither a string nor an integer of 64 bits'),
        (b'{"a":1,"b":null}', 'field "b" is neither a string nor an integer of 64 bits'),
        (b'{"a":1,"b":1,"similarity":"1"}', 'field "similarity" is not a number'),
        (b'{"a":1,"b":1,"similarity":true}', 'field "similarity" is not a number'),
        (b'{"a":1,"b":1,"against":1}', 'field "against" is neither true nor false'),
        (
            b'{"a":1,"b":1,"against":false}',
            "a pair of the input with itself: --known takes pairs of the input with an archive",
        ),
        (b'{"a":1,"b":1,"a":2}', 'field "a" occurs twice'),
        (b'{"a":1,"b":1,"\\u0062":2}', 'field "b" occurs twice'),
        (b'{"a":1,"b":1,"similarity":1,"similarity":1}', 'field "similarity" occurs twice'),
        (b'{"members":[1,2]}', 'field "a" is missing'),
        (b"{", "not JSON (column 2)"),
        (b"", "not JSON (empty line)"),
        (b"[" * 250, "not JSON (column 251)"),
    ],
)
@pytest.mark.parametrize("place", [0, 2])
def test_pairs_that_are_none_fail_the_run(place: int, line: bytes, cause: str, tmp_path: Path) -> None:
    """Before anything is written: it would decide what goes."""
    lines = [b'{"a":1,"b":2,"similarity":0.5,"against":true}'] * 3
    lines.insert(place, line)
    (tmp_path / "known").write_bytes(b"\n".join(lines) + b"\n")
    ran = run_here("dedup --known known --removed gone -o out", stdin=jsonl({"id": 1}), cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.partition(";")[0].rstrip("\n") == f"dedup: known:{place + 1}: {cause}"  # a hint may follow
    assert [path.name for path in tmp_path.iterdir()] == ["known"]


@pytest.mark.parametrize("option", ["--groups known", "--pairs known"])
def test_pairs_of_two_sides_are_refused_where_those_of_one_are_due(option: str, tmp_path: Path) -> None:
    good = {"members": [1, 2]} if "--groups known" in option else {"a": 1, "b": 2}
    pair = {"a": 1, "b": 1, "similarity": 1.0, "against": True}
    for spelled in (jsonl(pair), jsonl(pair).replace(b"against", b"\\u0061gainst")):
        (tmp_path / "known").write_bytes(jsonl(good) + spelled)
        ran = run_here(f"dedup {option}", stdin=jsonl({"id": 1}), cwd=tmp_path)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err == (
            "dedup: known:2: pairs of simjoin --against make no groups, for its sides may use the same ids; "
            "dedup --known takes them\n"
        )


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for option in ("--known", "--pairs"):
        ran = run_here(f"dedup {option} none", cwd=tmp_path)
        assert (ran.status, ran.err) == (2, f"dedup: {option.split()[-1]}: none: No such file or directory\n")
    ran = run_here("dedup --known - -", stdin=jsonl({"a": 1, "b": 1}), cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "dedup: standard input can be read only once: name a FILE\n")
    (tmp_path / "docs").write_bytes(jsonl({"id": 1}, {"id": 2}))
    ran = run_here("dedup --known - docs", stdin=jsonl({"a": 1, "b": 1}), cwd=tmp_path)
    assert ran.good() == b'{"id": 2}\n'
    for script in ("dedup --known known docs --removed known", "dedup --known known docs -o known"):
        (tmp_path / "known").write_bytes(jsonl({"a": 1, "b": 1}))
        ran = run_here(script, cwd=tmp_path)
        assert ran.status == 2
        assert "this run read" in ran.err
        assert (tmp_path / "known").read_bytes() == jsonl({"a": 1, "b": 1})


def test_of_several_files_the_most_similar_counts(tmp_path: Path) -> None:
    """Of equals the first, whichever file it is in; each document is named as the archive spells its id."""
    (tmp_path / "one").write_bytes(
        jsonl({"a": "x", "b": 1, "similarity": 0.5, "against": True}, {"a": "y", "b": "1", "similarity": 0.5})
    )
    (tmp_path / "two").write_bytes(
        jsonl({"a": "x", "b": "x", "similarity": 0.75}, {"a": "y", "b": "y", "similarity": 0.5}, {"a": "z", "b": 0})
    )
    stdin = jsonl({"id": "x"}, {"id": "y"}, {"id": "z"}, {"id": 1})
    for files, best in (("one two", ["x", "1", 0]), ("two one", ["x", "y", 0])):
        options = "".join(f" --known {name}" for name in files.split())
        records = run_here(f"dedup --annotate{options}", stdin=stdin, cwd=tmp_path).records()
        assert [record.get("duplicate_of") for record in records] == [*best, None]


def test_a_bad_document_is_not_counted_as_known(tmp_path: Path) -> None:
    """Nor does it use up its id; a second document of an id stays."""
    (tmp_path / "known").write_bytes(jsonl({"a": 1, "b": 1}))
    bad = b'{"id":1,"duplicate_by":1,"duplicate_by":2}\n'
    stdin = bad + jsonl({"id": 1}, {"id": 1}, {"id": 2}, {"text": 1})
    ran = run_here("dedup --known known --removed gone --rejects bad -v", stdin=stdin, cwd=tmp_path)
    assert (ran.status, ran.out) == (1, jsonl({"id": 1}, {"id": 2}))
    assert (tmp_path / "gone").read_bytes() == (b'{"id": 1,"duplicate_of":1,"duplicate_by":{"rule":"known"}}\n')
    assert ran.err.splitlines()[:-1] == [
        'dedup: -:1: field "duplicate_by" occurs twice',
        'dedup: -:5: field "id" is missing',
        "dedup: -:3: id 1 was seen before, so the document stays",
    ]
    assert ran.err.endswith("2 kept, 1 removed (1 by --known)\n")
    assert (tmp_path / "bad").read_bytes() == bad + jsonl({"text": 1})


def test_a_dry_run_ends_as_the_run_would(tmp_path: Path) -> None:
    """It touches no file: not what it would replace, either. Bad records are reported."""
    (tmp_path / "known").write_bytes(jsonl({"a": 1, "b": 1}))
    for name in ("out", "gone", "bad"):
        (tmp_path / name).write_bytes(b"of another run\n")
    command = "dedup --known known -o out --removed gone --rejects bad"
    stdin = jsonl({"id": 1}, {"id": 2}) + b"{\n"
    dry = run_here(f"{command} --dry-run", stdin=stdin, cwd=tmp_path)
    assert (dry.status, dry.out) == (1, b"")
    assert [(tmp_path / name).read_bytes() for name in ("out", "gone", "bad")] == [b"of another run\n"] * 3
    ran = run_here(f"{command} -v", stdin=stdin, cwd=tmp_path)
    assert (ran.status, ran.out) == (1, b"")
    said = [each.err.splitlines() for each in (dry, ran)]
    assert said[0][0] == said[1][0] == "dedup: -:3: not JSON (column 2)"
    assert said[0][1].split(", ")[-2:] == said[1][1].split(", ")[-2:] == ["1 kept", "1 removed (1 by --known)"]
    assert run_here(f"{command} --dry-run --strict", stdin=stdin, cwd=tmp_path).status == 2
    assert run_here("dedup --known none --dry-run", cwd=tmp_path).status == 2


def doubt(name: str) -> str:
    return (
        f'id {name} is b in a pair of --known without "against":true: if these are pairs of the input with '
        'itself, give them to --pairs; if an archive uses the same ids, add "against":true'
    )


@pytest.mark.parametrize("keep", ["first", "longest", "min:n", "none"])
@pytest.mark.parametrize("spelled", ["b", "\\u0062"], ids=["at once", "by line"])
def test_pairs_of_the_input_with_itself_are_refused(keep: str, spelled: str, tmp_path: Path) -> None:
    """Of 1, 2 and 3, each like the next, only 3 would stay, and it is not like 1. The first that is b fails the run."""
    (tmp_path / "groups").write_bytes(b"")
    documents = [{"id": name, "text": "", "n": 1} for name in (1, 2, 3)]
    (tmp_path / "docs").write_bytes(jsonl(*documents))
    command = f"dedup --known known --groups groups --keep {keep} docs"

    def ran_with(*pairs: Record) -> Ran:
        (tmp_path / "known").write_bytes(jsonl(*pairs).replace(b'"b"', f'"{spelled}"'.encode()))
        return run_here(command, cwd=tmp_path)

    ran = ran_with({"a": 1, "b": 2, "similarity": 0.8}, {"a": 2, "b": 3, "similarity": 0.8})
    assert (ran.status, ran.err) == (2, f"dedup: docs:2: {doubt('2')}\n")
    assert ran.out == b""
    assert ran_with({"a": 2, "b": "old"}, {"a": "2", "b": 1}).err == f"dedup: docs:1: {doubt('1')}\n"
    for pairs in (
        [{"a": 1, "b": "2"}, {"a": 2, "b": "old"}],  # "2" is no document of the input
        [{"a": 1, "b": 2, "against": True}, {"a": 2, "b": 3, "against": True}],
        [{"a": 1, "b": 1}, {"a": 2, "b": 2}],  # no document makes a pair with itself
    ):
        ran = ran_with(*pairs)
        assert (ran.status, ran.out, ran.err) == (0, jsonl(documents[2]), "")


def test_pairs_that_simjoin_made_of_the_input_are_refused(tmp_path: Path) -> None:
    """Before anything stands in place of an output; with groups of these pairs, one of each group stays."""
    script = f"canon {DOCS} | shingle | sketch | simjoin > pairs && simgroup pairs > groups"
    shell(script, tmp_path).good()
    ran = run_here(f"dedup --known pairs -o out --removed gone {DOCS}", cwd=tmp_path)
    assert ran.status == 2
    assert 'is b in a pair of --known without "against":true' in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["groups", "pairs"]
