"""What every command promises of records: which are bad, what is said of them, and what becomes of the others."""

import json
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from harness import Ran, jsonl, program, run_here, run_process
from suite import AT_ONCE, DRIVEN, FILTERS, ODD, ON_DISK, ONE_WAY, SUITE, WAYS, Command, good, of

ICONV = "; iconv -f ENCODING -t UTF-8 makes UTF-8 of it"

every_command = pytest.mark.parametrize("command", WAYS)


def bad_lines(command: str) -> list[tuple[bytes, str]]:
    """Lines, and why they are bad."""
    each = of(command)
    named, name, quoted = each.identity.encode(), each.field.encode(), json.dumps(each.payload).encode()
    not_an_id = f'field "{each.identity}" is neither a string nor an integer of 64 bits'
    return [
        (b"", "not JSON (empty line)"),
        (b" \t", "not JSON (empty line)"),
        (b"{", "not JSON (column 2)"),
        (b'{"id":1 2}', "not JSON (column 9)"),
        (b'{"id":nan}', "not JSON (column 7)"),
        (b'{"id":NaN}', "not JSON (NaN: write null)"),
        (b'{"id":-Infinity}', "not JSON (-Infinity: write null)"),
        (b'{"id":1,"x":"a\tb"}', "not JSON (column 15)"),
        (b'{"id":1,"%b":"\\ud800"}' % name, "not JSON (lone surrogate)"),
        (b'{"id":1,"x":-1e999}', "not JSON (number beyond a double)"),
        (b'{"id":1,"x":%b}' % (b"[" * 9999 + b"]" * 9999), "nested too deeply"),
        (b"[" * 190, "not JSON (column 191)"),
        (b"[" * 191, "not JSON (column 192)"),  # of which orjson says that memory has failed; of these, too
        (b"[" * 250, "not JSON (column 251)"),
        (b'{"id":1,"x":' + b"[" * 250, "not JSON (column 263)"),
        (b"[" * 250 + b"x", "not JSON (column 251)"),
        (b"[" * 1025 + b"]" * 1025, "nested too deeply"),
        (b"[" * 1_000_000, "nested too deeply"),
        (b'{"id":1,"x":1e999,"y":' + b"[" * 1500, "not JSON (number beyond a double)"),
        (b'{"id":1,"x":%b}' % (b"1" * 5000), "not JSON (number beyond a double)"),
        (b"\xef\xbb\xbf" * 3000, "not JSON (column 2)"),
        (b"[1]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
        (b"null", "not a JSON object"),
        (b'{"id":1,"%b":"\xff"}' % name, f"not UTF-8 (byte {len(name) + 13})"),
        (b'{"id":1,"%b":"\xed\xa0\x80"}' % name, f"not UTF-8 (byte {len(name) + 13})"),
        (b"\x00\x01\x02", "not JSON (column 1)"),
        (b'{"%b":%b}' % (name, quoted), f'field "{each.identity}" is missing'),
        (b'{"%b":null,"%b":%b}' % (named, name, quoted), not_an_id),
        (b'{"%b":1.0,"%b":%b}' % (named, name, quoted), not_an_id),
        (b'{"%b":true,"%b":%b}' % (named, name, quoted), not_an_id),
        (b'{"%b":99999999999999999999,"%b":%b}' % (named, name, quoted), not_an_id),
        *(() if command in each.by_id else wrong_payloads(each, named, name, quoted)),
        *each.wrong,
    ]


def wrong_payloads(each: Command, named: bytes, name: bytes, quoted: bytes) -> list[tuple[bytes, str]]:
    also = b"".join(b",%b:%b" % (json.dumps(field).encode(), json.dumps(value).encode()) for field, value in each.also)
    wrong = [
        (b'{"%b":1%b}' % (named, also), f'field "{each.field}" is missing'),
        (b'{"%b":1%b,"%b":null}' % (named, also, name), f'field "{each.field}" is {each.form}'),
        (b'{"%b":1%b,"%b":["a"]}' % (named, also, name), f'field "{each.field}" is {each.form}'),
    ]
    if each.recipes:
        line = b'{"%b":1%b,"%b":%b,"via":["a"]}' % (named, also, name, quoted)
        wrong.append((line, 'field "via" is not a string'))
    return wrong


def around(command: str) -> tuple[bytes, bytes]:
    """Good lines before and after a bad one."""
    return jsonl(good(command, "é")), jsonl(good(command, 2), good(command, 3))


@cache
def made_of_good(run: Callable[..., Ran], command: str) -> bytes:
    """What comes out where no line is bad."""
    return run(command, stdin=b"".join(around(command)), cwd=Path.cwd()).good()


def check_bad_record(run: Callable[..., Ran], command: str, line: bytes, cause: str, folder: Path) -> None:
    """What becomes of a bad line between good ones."""
    cause += ICONV if cause.startswith("not UTF-8") else ""
    before, after = around(command)
    (folder / "docs.jsonl").write_bytes(before + line + b"\n" + after)
    (folder / "bad").write_bytes(b"of the run before\n" * 99)

    ran = run(command, "docs.jsonl", "--rejects", "bad", cwd=folder)
    assert (ran.status, ran.err) == (1, f"{program(command)}: docs.jsonl:2: {cause}\n")
    assert ran.out == made_of_good(run, command)
    assert (folder / "bad").read_bytes() == line + b"\n"

    ran = run(command, "--strict", "--rejects", "bad", "-o", "out", "docs.jsonl", cwd=folder)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: docs.jsonl:2: {cause}\n")
    assert (folder / "bad").read_bytes() == line + b"\n"
    assert sorted(path.name for path in folder.iterdir()) == ["bad", "docs.jsonl"]


@pytest.mark.parametrize("command", DRIVEN)
def test_bad_record(command: str, tmp_path: Path) -> None:
    """A sample of them, one in a process; test_all_bad_records_at_once has all lines in one run."""
    check_bad_record(run_process, command, *bad_lines(command)[6], tmp_path)
    for line, cause in bad_lines(command)[1::6]:
        check_bad_record(run_here, command, line, cause, tmp_path)


@pytest.mark.parametrize("command", FILTERS)
def test_a_field_that_is_only_carried_may_nest_as_deeply_as_can_be_read(command: str) -> None:
    """orjson reads 1024 levels, and writes 254 only; but what a filter does not consume is not written anew."""
    lines = [
        jsonl(good(command, levels) | {"x": None}).replace(b"null", b"[" * n + b"]" * n)
        for levels, n in ((60, 59), (61, 60), (254, 253), (501, 500), (1024, 1023), (1025, 1024))
    ]
    carrying = of(command).carrying
    ran = run_process(command, *([carrying, "x"] if carrying else []), stdin=b"".join(lines))
    assert (ran.status, ran.err) == (1, f"{command}: -:6: nested too deeply\n")
    for line, came, n in zip(ran.out.splitlines(), lines, (59, 60, 253, 500, 1023), strict=False):
        assert b'"x": %b%b' % (b"[" * n, b"]" * n) in came
        assert b'"x":%b%b' % (b"[" * n, b"]" * n) in line.replace(b'"x": ', b'"x":')


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@every_command
def test_all_bad_records_at_once(command: str, ending: bytes, tmp_path: Path) -> None:
    bad = bad_lines(command)
    lines = [line for line, _ in bad]
    stdin = b"".join(line + ending + jsonl(good(command, i)) for i, line in enumerate(lines))
    alone = run_here(command, stdin=jsonl(*(good(command, i) for i in range(len(lines)))), cwd=tmp_path)
    remarks, expected = alone.err.splitlines(), alone.out  # of texts that are shorter than k
    assert alone.status == 0
    for jobs in ("1", "2") if command in FILTERS else "1":
        options = ["--all-messages", "-v", "-j", jobs, "--rejects", tmp_path / "bad"]
        ran = run_here(command, *options, stdin=stdin, cwd=tmp_path)
        assert ran.status == 1
        assert ran.out == expected
        said = ran.err.replace(ICONV, "").splitlines()
        *complaints, figures = [line for line in said if not line.startswith(ON_DISK) and line not in remarks]
        assert len(complaints) == len(lines)
        if ending == b"\n":  # a carriage return moves the column in which a line ends too early
            assert complaints == [f"{program(command)}: -:{2 * i + 1}: {cause}" for i, (_, cause) in enumerate(bad)]
        assert figures.startswith(
            f"{program(command)}: {len(lines) + of(command).documents} records, {len(lines)} rejected, "
        )
        assert (tmp_path / "bad").read_bytes() == b"".join(line + ending for line in lines)


@pytest.mark.parametrize("command", DRIVEN)
def test_line_numbers_start_again_with_each_file(command: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(jsonl(good(command, 1)) + b"x\n")
    (tmp_path / "b\x1b[31m").write_bytes(b"y")
    ran = run_here(command, "a", "b\x1b[31m", "-", stdin=b"z\n", cwd=tmp_path)
    assert ran.status == 2
    assert ran.err.splitlines() == [
        f"{program(command)}: a:2: not JSON (column 1)",
        f"{program(command)}: b\\x1b[31m:1: not JSON (column 1)",
        f"{program(command)}: -:1: not JSON (column 1)",
        f"{program(command)}: b\\x1b[31m: not one good record",
        f"{program(command)}: -: not one good record",
    ]


@pytest.mark.parametrize("command", ONE_WAY)
@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines.removesuffix(b"\n"),
        lambda lines: lines.replace(b"\n", b"\r\n"),
        lambda lines: b"\xef\xbb\xbf" + lines,
        lambda lines: lines.replace(b"{", b" \t{ ").replace(b'":', b'" : '),
    ],
    ids=["no final newline", "CRLF", "BOM", "blanks"],
)
def test_harmless_differences(command: str, change: object, tmp_path: Path) -> None:
    assert callable(change)
    lines = jsonl(good(command, "a"), good(command, "b"))
    expected = run_here(command, stdin=lines, cwd=tmp_path)
    each = of(command)
    assert len(expected.records()) == (len(each.gives("a", "b", each.payload)) if each.gives else 2)
    changed = [run_here(command, stdin=change(lines), cwd=tmp_path)]
    for name in "ab":
        (tmp_path / name).write_bytes(change(jsonl(good(command, name))))
    changed.append(run_here(command, "a", "b", cwd=tmp_path))
    for ran in changed:
        if each.verbatim:
            assert [
                json.loads(line.decode("utf-8-sig")) for line in ran.good().split(b"\n") if line
            ] == expected.records()
        else:
            assert ran.good() == expected.good()


# orjson 3.13 lacks memory for such a line; the kernel leaves it for its name
DENSE = b'{  "x\\u0079":[%b],' % b",".join([b"1"] * 5000)


@pytest.mark.parametrize("command", [*WAYS, "canon -j2"])
def test_a_good_line_that_orjson_refuses(command: str, tmp_path: Path) -> None:
    lines = jsonl(good(command, "a"), good(command, "b"))
    expected = run_here(command, stdin=lines, cwd=tmp_path).records()
    found = run_here(command, stdin=lines.replace(b"{", DENSE), cwd=tmp_path).records()
    for record in found:
        assert record.pop("xy", [1] * 5000) == [1] * 5000
    assert found == expected


@pytest.mark.parametrize("options", ["--array", "--array --number --id n", "--number --id n"])
def test_such_a_line_in_other_formats(options: str, tmp_path: Path) -> None:
    line = DENSE + b'"text":"A"}'
    stdin = line if "array" not in options else b"[%b]" % line.replace(b",", b",\n")
    ran = run_here("canon", *options.split(), stdin=stdin.replace(b'"text"', b'"id":1,"text"'), cwd=tmp_path)
    number = {"n": 1, "named": "--id n --text text"} if "--id" in options else {}
    assert ran.records() == [{**number, "xy": [1] * 5000, "id": 1, "text": "a", "via": "canon/4"}]


@every_command
def test_separators_inside_strings_do_not_part_lines(command: str, tmp_path: Path) -> None:
    stdin = jsonl({**good(command, "x" + ODD), "note": ODD}, good(command, "y"))
    out = run_here(command, stdin=stdin, cwd=tmp_path).records()
    each = of(command)
    if each.gives:
        assert out[0].pop("note", ODD) == ODD
        assert out == each.gives("x" + ODD, "y", each.payload)
    else:
        assert (out[0]["id"], out[0]["note"]) == ("x" + ODD, ODD)


@every_command
def test_no_input_no_output(command: str, tmp_path: Path) -> None:
    """But the score of what found nothing; and of no documents there is nothing to say, which fails."""
    nothing = of(command).nothing
    ran = run_here(command, cwd=tmp_path)
    assert (ran.status, ran.out) == ((0, nothing) if nothing is not None else (2, b"")), ran
    ran = run_here(command, "-o", tmp_path / "out", "--rejects", tmp_path / "bad", cwd=tmp_path)
    assert (ran.status, ran.out, (tmp_path / "bad").read_bytes()) == (0 if nothing is not None else 2, b"", b"")
    assert (tmp_path / "out").read_bytes() == nothing if nothing is not None else not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", [way for each in SUITE if each.recipes for way in each.ways])
def test_empty_payloads(command: str, tmp_path: Path) -> None:
    each = of(command)
    stdin = jsonl(*(good(command, number) | {each.field: ""} for number in (1, 2)))
    out = run_here(command, stdin=stdin, cwd=tmp_path).records()
    if each.produces is not None:
        assert [record[each.produces] for record in out] == ["", ""]
    else:  # a join of nothing, documents of empty parts, or what is said of nothing
        assert out == (each.gives(1, 2, "") if each.gives and (each.late or each.nothing != b"") else [])


@pytest.mark.parametrize("command", [each.ways[0] for each in SUITE if not each.documents])
def test_a_line_of_megabytes(command: str, tmp_path: Path) -> None:
    each = of(command)
    unit = each.payload + " "
    long = (unit * (2_000_000 // len(unit))).strip()
    stdin = jsonl(*(good(command, number) | {each.field: long} for number in (1, 2)))
    out = run_here(command, stdin=stdin, cwd=tmp_path).records()
    if each.gives:
        assert out == each.gives(1, 2, long)
    else:
        assert [record["id"] for record in out] == [1, 2]


@pytest.mark.parametrize("command", AT_ONCE)
def test_strict_lets_out_all_records_before_the_bad_one(command: str, tmp_path: Path) -> None:
    before, after = (jsonl(*(good(command, i) for i in some)) for some in (range(3), range(3, 6)))
    expected = run_here(command, stdin=before, cwd=tmp_path).good()
    for jobs in ("1", "2"):
        ran = run_here(command, "--strict", "-j", jobs, stdin=before + b"bad\n" + after, cwd=tmp_path)
        assert (ran.status, ran.out) == (2, expected)


@pytest.mark.parametrize(
    "command",
    [
        "simgroup -v pairs",
        "simgroup -v -t 0.4 pairs",
        "simgroup -v --star pairs",
        "dedup -v --pairs pairs docs",
        "dedup -v --pairs pairs -t 0.4 docs",
        "dedup -v --known pairs docs",
        "simscore -v --truth truth pairs",
        "simscore -v --bands 0.5,0.9 --truth truth pairs",
    ],
)
def test_pairs_judged_different_are_no_pairs(command: str, tmp_path: Path) -> None:
    """The output is that without them; they are counted, and a label that says neither is bad."""
    pairs = [
        {"a": a, "b": b, "similarity": (a + b) / 20, **({} if label is None else {"label": label})}
        for number, (a, b) in enumerate(combinations(range(7), 2))
        for label in [(None, 1, "yes", True, "different", 0, False)[number % 7]]
    ]
    if "--known" in command:  # in which other pairs may have two sides
        pairs = [{**pair, "against": True} for pair in pairs]
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number, "text": "x"} for number in range(9))))
    (tmp_path / "truth").write_bytes(jsonl({"members": [0, 1, 2, 3]}))
    ran = {}
    for kind in (None, "same", "all", "bad"):
        some = [pair for pair in pairs if pair.get("label") not in ("different", 0, False)]
        some = {None: [], "same": some, "all": pairs, "bad": [*pairs, {**pairs[0], "label": "perhaps"}]}[kind]
        (tmp_path / "pairs").write_bytes(jsonl(*some))
        ran[kind] = run_here(*command.split(), cwd=tmp_path)
    assert ran["all"].out == ran["same"].out != ran[None].out
    assert (ran["all"].status, ran["bad"].status) == (0, 2 if "dedup" in command else 1)
    assert ran["all"].err.rstrip().endswith(", 9 pairs judged different")
    assert "judged" not in ran["same"].err
    assert 'field "label" is neither 1, true, yes or same, nor 0, false, no or different' in ran["bad"].err
