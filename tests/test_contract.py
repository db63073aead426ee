"""What every command promises, in one suite: bad records, exit statuses, files, atomic output, workers."""

import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

import pytest

from harness import DOCS, Ran, jsonl, program, run, run_here, shell
from shingletools import kernel
from shingletools.streams import BLOCK
from suite import AT_ONCE, FILTERS, SUITE, WAYS, Command, good, inputs, of

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
        (b'{"id":1,}', "not JSON (column 8)"),
        (b'{"id":NaN}', "not JSON (column 7)"),
        (b'{"id":1,"%b":"\\ud800"}' % name, f"not JSON (lone surrogate, column {len(name) + 13})"),
        (b'{"id":1,"x":-1e999}', "not JSON (number beyond a double, column 13)"),
        (b'{"id":1,"x":%b}' % (b"[" * 9999 + b"]" * 9999), "nested too deeply"),
        (b"[" * 190, "not JSON (column 191)"),
        (b"[" * 191, "not JSON (column 192)"),  # of which orjson says that memory has failed; of these, too
        (b"[" * 250, "not JSON (column 251)"),
        (b'{"id":1,"x":' + b"[" * 250, "not JSON (column 263)"),
        (b"[" * 250 + b"x", "not JSON (column 251)"),
        (b"[" * 1024, "not JSON (column 1025)"),
        (b"[" * 1025, "nested too deeply"),
        (b"[" * 1500, "nested too deeply"),
        (b'{"id":1,"x":' + b"[" * 1500, "nested too deeply"),
        (b"[" * 1_000_000, "nested too deeply"),
        (b'{"id":1,"x":1e999,"y":' + b"[" * 1500, "not JSON (number beyond a double, column 13)"),
        (b'{"id":1,"x":%b}' % (b"1" * 5000), "not JSON (number beyond a double, column 13)"),
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
    ]  # fmt: skip


def wrong_payloads(each: Command, named: bytes, name: bytes, quoted: bytes) -> list[tuple[bytes, str]]:
    wrong = [
        (b'{"%b":1}' % named, f'field "{each.field}" is missing'),
        (b'{"%b":1,"%b":null}' % (named, name), f'field "{each.field}" is {each.form}'),
        (b'{"%b":1,"%b":["a"]}' % (named, name), f'field "{each.field}" is {each.form}'),
    ]
    if each.recipes:
        wrong.append((b'{"%b":1,"%b":%b,"via":["a"]}' % (named, name, quoted), 'field "via" is not a string'))
    return wrong


def deep(command: str) -> bytes:
    """Nested so deeply that what was read cannot be written."""
    return jsonl(good(command, "d") | {"x": None}).rstrip().replace(b"null", b"[" * 600 + b"]" * 600)


BAD = [(command, line, cause) for command in WAYS for line, cause in bad_lines(command)]
BAD += [(command, deep(command), "nested too deeply") for command in FILTERS]
bad_records = pytest.mark.parametrize(
    ("command", "line", "cause"), BAD, ids=[f"{command}-{line[:30]!r}-{cause}" for command, line, cause in BAD]
)


def check_bad_record(run: Callable[..., Ran], command: str, line: bytes, cause: str, folder: Path) -> None:
    """What becomes of a bad line between good ones."""
    before, after = jsonl(good(command, "é")), jsonl(good(command, 2), good(command, 3))
    (folder / "docs.jsonl").write_bytes(before + line + b"\n" + after)
    (folder / "good.jsonl").write_bytes(before + after)
    expected = run(command, "good.jsonl", cwd=folder).good()

    ran = run(command, "docs.jsonl", "--rejects", "bad", cwd=folder)
    assert (ran.status, ran.err) == (1, f"{program(command)}: docs.jsonl:2: {cause}\n")
    assert ran.out == expected
    assert (folder / "bad").read_bytes() == line + b"\n"

    ran = run(command, "--strict", "--rejects", "bad", "-o", "out", "docs.jsonl", cwd=folder)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: docs.jsonl:2: {cause}\n")
    assert (folder / "bad").read_bytes() == line + b"\n"
    assert sorted(path.name for path in folder.iterdir()) == ["bad", "docs.jsonl", "good.jsonl"]


@bad_records
def test_bad_record(command: str, line: bytes, cause: str, tmp_path: Path) -> None:
    check_bad_record(run_here, command, line, cause, tmp_path)


@every_command
@pytest.mark.parametrize("number", [0, 6])
def test_bad_record_in_a_process(command: str, number: int, tmp_path: Path) -> None:
    """A sample of the same; test_all_bad_records_at_once has all lines in one process."""
    check_bad_record(run, command, *bad_lines(command)[number], tmp_path)


@pytest.mark.parametrize("command", FILTERS)
def test_what_is_read_but_cannot_be_written_again_is_rejected(command: str) -> None:
    """A field that the command only carries may nest as deeply as can be written, not as deeply as can be read.

    orjson reads 1024 levels and writes 254, and a record is written anew. Once all that a command does not consume
    passes as it came, these records will pass, too, and this test is the one to change.
    """
    lines = [
        jsonl(good(command, levels) | {"x": None}).replace(b"null", b"[" * n + b"]" * n)
        for levels, n in ((254, 253), (501, 500), (1024, 1023), (1025, 1024))
    ]
    ran = run(command, stdin=b"".join(lines))
    assert [record["id"] for record in map(json.loads, ran.out.splitlines())] == [254]
    assert (ran.status, ran.err.splitlines()) == (
        1,
        [f"{command}: -:{number}: nested too deeply" for number in (2, 3, 4)],
    )


@pytest.mark.slow
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@every_command
def test_all_bad_records_at_once(command: str, ending: bytes, tmp_path: Path) -> None:
    bad = bad_lines(command)
    lines = [line for line, _ in bad]
    stdin = b"".join(line + ending + jsonl(good(command, i)) for i, line in enumerate(lines))
    expected = run(command, stdin=jsonl(*(good(command, i) for i in range(len(lines))))).good()
    for jobs in ("1", "2"):
        ran = run(command, "-v", "-j", jobs, "--rejects", tmp_path / "bad", stdin=stdin)
        assert ran.status == 1
        assert ran.out == expected
        *complaints, figures = ran.err.splitlines()
        assert len(complaints) == len(lines)
        if ending == b"\n":  # a carriage return moves the column in which a line ends too early
            assert complaints == [f"{program(command)}: -:{2 * i + 1}: {cause}" for i, (_, cause) in enumerate(bad)]
        assert figures.startswith(f"{program(command)}: {len(lines)} records, {len(lines)} rejected, ")
        assert (tmp_path / "bad").read_bytes() == b"".join(line + ending for line in lines)


@every_command
def test_line_numbers_start_again_with_each_file(command: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(jsonl(good(command, 1)) + b"x\n")
    (tmp_path / "b\x1b[31m").write_bytes(b"y")
    ran = run(command, "a", "b\x1b[31m", "-", stdin=b"z\n", cwd=tmp_path)
    assert ran.status == 1
    assert ran.err.splitlines() == [
        f"{program(command)}: a:2: not JSON (column 1)",
        f"{program(command)}: b\\x1b[31m:1: not JSON (column 1)",
        f"{program(command)}: -:1: not JSON (column 1)",
    ]


@every_command
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
    assert len(expected.records()) == (1 if each.gives else 2)
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


@every_command
def test_separators_inside_strings_do_not_part_lines(command: str) -> None:
    odd = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh\x00"
    stdin = jsonl({**good(command, "x" + odd), "note": odd}, good(command, "y"))
    out = run(command, stdin=stdin).records()
    each = of(command)
    if each.gives:
        assert out == each.gives("x" + odd, "y", each.payload)
    else:
        assert (out[0]["id"], out[0]["note"]) == ("x" + odd, odd)


@every_command
def test_no_input_no_output(command: str, tmp_path: Path) -> None:
    assert run(command).good() == b""
    assert run(command, "-o", tmp_path / "out", "--rejects", tmp_path / "bad").good() == b""
    assert (tmp_path / "out").read_bytes() == (tmp_path / "bad").read_bytes() == b""


@pytest.mark.parametrize("command", [way for each in SUITE if each.recipes for way in each.ways])
def test_empty_payloads(command: str) -> None:
    each = of(command)
    out = run(command, stdin=jsonl({"id": 1, each.field: ""}, {"id": 2, each.field: ""})).records()
    if each.produces is None:
        assert out == []
    else:
        assert [record[each.produces] for record in out] == ["", ""]


@pytest.mark.slow
@every_command
def test_a_line_of_fifty_megabytes(command: str) -> None:
    each = of(command)
    unit = each.payload + " "
    long = (unit * (50_000_000 // len(unit))).strip()
    out = run(command, stdin=jsonl(*({each.identity: number, each.field: long} for number in (1, 2)))).records()
    if each.gives:
        assert out == each.gives(1, 2, long)
    else:
        assert [record["id"] for record in out] == [1, 2]


@every_command
def test_usage(command: str, tmp_path: Path) -> None:
    for argv, message in [
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["-j", "0"], 'argument -j/--jobs: not a whole number from 1 to 1024: "0"'),
        (["--rej", "x"], "unrecognized arguments: --rej"),
        (["-\x1b]0;title\a.jsonl"], r"unrecognized arguments: -\x1b]0;title\x07.jsonl"),
    ]:
        ran = run_here(command, *argv, cwd=tmp_path)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err == f"{program(command)}: {message} (see {program(command)} --help)\n"


@every_command
def test_help_and_version(command: str) -> None:
    assert (
        run(command, "--help")
        .good()
        .startswith(f"usage: {program(command)} [OPTIONS] [FILE ...]\n\n{program(command)}: ".encode())
    )
    assert run(command, "-h", "--nonsense").good() == run(command, "--help").good()
    version = run(command, "--version").good().decode()
    assert version == f"{program(command)} (shingletools) 0.1.0, kernel {kernel.NAME}, Unicode 14.0\n"


@every_command
def test_file_that_is_not_there(command: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(jsonl(good(command, 1)))
    for name, cause in [("none\n", "none\\n: No such file or directory"), (".", ".: Is a directory")]:
        ran = run(command, "a", name, "-o", "out", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: {cause}\n")
        assert [path.name for path in tmp_path.iterdir()] == ["a"]


@every_command
def test_options_may_follow_files(command: str, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(jsonl(good(command, name)))
    expected = run(command, "a", "b", cwd=tmp_path).good()
    assert run(command, "a", "-j", "1", "b", "-o", "out", cwd=tmp_path).good() == b""
    assert (tmp_path / "out").read_bytes() == expected
    (tmp_path / "-a").write_bytes(jsonl(good(command, "a")))
    assert run(command, "--", "-a", "b", cwd=tmp_path).good() == expected


@every_command
def test_output_replaces_its_own_input_and_keeps_its_mode(command: str, tmp_path: Path) -> None:
    path = tmp_path / "docs"
    path.write_bytes(jsonl(good(command, 1), good(command, 2)))
    path.chmod(0o640)
    (tmp_path / "link").symlink_to("docs")
    expected = run(command, path).good()
    assert run(command, path, "-o", tmp_path / "link").good() == b""
    assert path.read_bytes() == expected
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert (tmp_path / "link").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "link"]


@every_command
def test_a_new_output_gets_the_mode_the_shell_would_give(command: str, tmp_path: Path) -> None:
    assert shell(f"umask 027; {command} -o out </dev/null", tmp_path).good() == b""
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


@pytest.mark.slow
@every_command
def test_output_to_what_is_no_file(command: str, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(good(command, 1), good(command, 2)))
    expected = run(command, tmp_path / "docs").good()
    assert run(command, tmp_path / "docs", "-o", "/dev/stdout").good() == expected
    assert run(command, "docs", "-o", "-", cwd=tmp_path).good() == expected
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]
    assert shell(f"mkfifo pipe; {command} docs -o pipe & cat pipe; wait $!", tmp_path).good() == expected
    assert shell(f"{command} docs -o >(cat)", tmp_path).good() == expected
    ran = run(command, tmp_path / "docs", "-o", tmp_path / "no" / "folder")
    assert (ran.status, ran.err) == (2, f"{program(command)}: {tmp_path}/no/folder: No such file or directory\n")


@pytest.mark.slow
@every_command
@pytest.mark.parametrize("rejects", ["docs", "./docs", "out", "link"])
def test_rejects_never_overwrite_what_the_run_reads_or_writes(command: str, rejects: str, tmp_path: Path) -> None:
    content = jsonl(good(command, 1))
    (tmp_path / "docs").write_bytes(content)
    (tmp_path / "link").symlink_to("docs")
    ran = run(command, "docs", "-o", "out", "--rejects", rejects, cwd=tmp_path)
    message = f"{program(command)}: --rejects {rejects}: this run reads or writes that file already\n"
    assert (ran.status, ran.err) == (2, message)
    assert (tmp_path / "docs").read_bytes() == content


@every_command
def test_rejects_never_overwrite_a_redirected_stream(command: str, tmp_path: Path) -> None:
    content = b"bad\n" + jsonl(good(command, 1))
    (tmp_path / "docs").write_bytes(content)
    message = "this run reads or writes that file already"
    for script in (f"{command} --rejects docs < docs", f"{command} --rejects out docs > out"):
        ran = shell(script, tmp_path)
        assert ran.status == 2
        assert message in ran.err
        assert (tmp_path / "docs").read_bytes() == content
    if command == "canon":
        ran = run("canon", "--stop", "docs", "--rejects", "docs", stdin=content, cwd=tmp_path)
        assert (ran.status, (tmp_path / "docs").read_bytes()) == (2, content)


@every_command
def test_rejects_and_messages_do_not_share_a_file(command: str, tmp_path: Path) -> None:
    ran = shell(f"echo bad | {command} --rejects out 2> out || cat out", tmp_path)
    assert ran.good().decode() == f"{program(command)}: --rejects out: this run reads or writes that file already\n"
    ran = run(command, "--rejects", "-", stdin=b"bad\n", cwd=tmp_path)
    message = f"{program(command)}: --rejects -: needs the name of a file (standard output carries records only)\n"
    assert (ran.status, ran.err) == (2, message)


@every_command
def test_a_run_that_cannot_write_leaves_the_rejects_of_the_one_before(command: str, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"old")
    assert run(command, "-o", "no/folder", "--rejects", "bad", cwd=tmp_path).status == 2
    assert (tmp_path / "bad").read_bytes() == b"old"


@pytest.mark.slow
@every_command
@pytest.mark.parametrize("script", ["{0} docs >> docs", "{0} < docs >> docs", "{0} docs -o /dev/stdout >> docs"])
def test_no_command_feeds_itself(command: str, script: str, tmp_path: Path) -> None:
    content = jsonl(good(command, 1), good(command, 2))
    (tmp_path / "docs").write_bytes(content)
    ran = shell(script.format(command), tmp_path)
    name = "-" if "<" in script else "docs"
    message = f"{program(command)}: {name}: input file is output file (-o may name its own input)\n"
    assert (ran.status, ran.err) == (2, message)
    assert (tmp_path / "docs").read_bytes() == content


@pytest.mark.slow
@every_command
def test_output_to_a_redirected_stream_keeps_what_is_there(command: str, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(good(command, 1), good(command, 2)))
    expected = run(command, tmp_path / "docs").good()
    for name, number in (("/dev/stdout", 1), ("/dev/stderr", 2), ("out", 1)):
        assert shell(f"(echo header; {command} docs -o {name}) {number}> out 1>&{number}", tmp_path).good() == b""
        assert (tmp_path / "out").read_bytes() == b"header\n" + expected


@every_command
def test_output_needs_a_name(command: str, tmp_path: Path) -> None:
    ran = run(command, "-o", "new/", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"{program(command)}: new/: not the name of a file\n")
    ran = run(command, "-o", "", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"{program(command)}: the name of the output: not the name of a file\n")


@every_command
def test_arguments_that_are_not_utf8(command: str) -> None:
    ran = run(command, "--id", os.fsdecode(b"\xff"))
    assert (ran.status, ran.err) == (
        2,
        f"{program(command)}: argument --id: not UTF-8 (see {program(command)} --help)\n",
    )


@pytest.mark.parametrize("command", AT_ONCE)
def test_strict_lets_out_all_records_before_the_bad_one(command: str) -> None:
    before = jsonl(*(good(command, i) for i in range(3)))
    for jobs in ("1", "2"):
        ran = run(command, "--strict", "-j", jobs, stdin=before + b"bad\n" + before)
        assert (ran.status, ran.out) == (2, run(command, stdin=before).good())


@pytest.mark.slow
@every_command
def test_progress_and_figures_stay_off_standard_output(command: str, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(good(command, 1), good(command, 2)) + b"bad\n")
    quiet = run(command, "docs", cwd=tmp_path)
    ran = run(command, "--progress", "-v", "docs", cwd=tmp_path)
    assert (ran.status, ran.out) == (1, quiet.out)
    assert "100%" in ran.err
    assert "docs:3: not JSON (column 1)" in ran.err
    assert ran.err.splitlines()[-1].startswith(f"{program(command)}: 2 records, 1 rejected, ")
    from_pipe = run(command, "--progress", stdin=(tmp_path / "docs").read_bytes())
    assert (from_pipe.status, from_pipe.out) == (1, quiet.out)


@pytest.fixture(scope="session")
def stages() -> dict[str, bytes]:
    """Input of each command, larger than a few blocks, with bad records in it."""
    records = DOCS.read_bytes().splitlines()
    text = b"".join(line.replace(b'{"id":"', b'{"id":"%d-' % copy) + b"\n" for copy in range(8) for line in records)
    assert len(text) > 5 * BLOCK
    return {name: data.replace(b':"3-', b'="3-') for name, data in inputs(text).items()}


@pytest.mark.slow
@every_command
def test_any_number_of_workers_gives_the_same_bytes(command: str, stages: dict[str, bytes], tmp_path: Path) -> None:
    alone = run(command, "--rejects", tmp_path / "1", stdin=stages[program(command)])
    assert alone.status == 1
    (tmp_path / "file").write_bytes(stages[program(command)])
    for jobs in ("2", "5"):
        for source in ("- < file", "file", "/dev/stdin < file", "/dev/fd/3 3< file"):
            ran = shell(f"{command} -j {jobs} --rejects {jobs} {source}", tmp_path)
            name = source.partition(" ")[0]
            assert (ran.status, ran.out, ran.err.replace(f" {name}:", " -:")) == (1, alone.out, alone.err)
            assert (tmp_path / jobs).read_bytes() == (tmp_path / "1").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["2", "3"])
def test_records_larger_than_any_pipe_go_through_workers(jobs: str, tmp_path: Path) -> None:
    """Good ones and bad ones, so that both sides have much to say at the same time."""
    words = " ".join(map(str, range(500_000)))
    records = [{"id": i, "text": words[: 1 + 3_000_000 // (1 + i % 5)]} for i in range(12)]
    lines = b"".join(b"".join([jsonl(record), b"bad " * 600_000, b"\n"]) for record in records)
    alone = run("canon", "--rejects", tmp_path / "1", stdin=lines)
    assert (alone.status, alone.out.count(b"\n")) == (1, 12)
    ran = run("canon", "-j", jobs, "--rejects", tmp_path / "2", stdin=lines)
    assert (ran.status, ran.out, ran.err) == (1, alone.out, alone.err)
    assert (tmp_path / "2").read_bytes() == (tmp_path / "1").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("strict", ["", "--strict"])
def test_any_number_of_workers_reads_files_of_all_kinds(strict: str, tmp_path: Path) -> None:
    """Longer than what a worker takes at once, empty, without a last line feed, a pipe, with holes."""
    good = b'{"id":1,"text":"%b"}\n' % (b"word " * 100)
    (tmp_path / "long").write_bytes((good * 3000 + b"bad\n") * 3)
    (tmp_path / "empty").touch()
    (tmp_path / "endless").write_bytes(good + b"{")
    with (tmp_path / "sparse").open("wb") as file:
        file.write(good)
        file.truncate(3_000_000)
    os.mkfifo(tmp_path / "pipe")
    command = f"canon {strict} --rejects bad empty pipe long endless long sparse"
    runs = []
    for jobs in (1, 2, 5):
        ran = shell(f"(cat empty; head -3000 long) > pipe & {command} -j {jobs}", tmp_path)
        runs.append((ran.status, ran.out, ran.err, (tmp_path / "bad").read_bytes()))
    assert runs[1:] == runs[:1] * 2
    status, _, errors, rejects = runs[0]
    assert (status, errors.splitlines()[0]) == (2 if strict else 1, "canon: long:3001: not JSON (column 1)")
    assert len(errors.splitlines()) == rejects.count(b"\n") == (1 if strict else 3 + 1 + 3 + 1)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["--lines", "--number", "--whole"])
def test_numbers_and_names_do_not_depend_on_workers(way: str, tmp_path: Path) -> None:
    for name in "abc":
        lines = [b'{"text":"%b %d"}\n' % (name.encode(), i) for i in range(20000)]
        (tmp_path / name).write_bytes(b"".join(lines))
    alone = run("canon", way, "a", "b", "c", cwd=tmp_path)
    identities = [record["id"] for record in alone.records()]
    assert identities == (["a", "b", "c"] if way == "--whole" else list(range(1, 60001)))
    assert run("canon", way, "-j", "3", "a", "b", "c", cwd=tmp_path) == replace(alone, argv=ANY)


@pytest.mark.slow
@every_command
@pytest.mark.parametrize(
    "environment",
    [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}, {"PYTHONHASHSEED": "1"},
     {"PYTHONHASHSEED": "4294967295"}, {"PYTHONIOENCODING": "latin-1"}],
    ids=str,
)  # fmt: skip
def test_any_environment_gives_the_same_bytes(
    command: str, environment: dict[str, str], stages: dict[str, bytes]
) -> None:
    alone = run(command, stdin=stages[program(command)])
    ran = run(command, stdin=stages[program(command)], env=environment)
    assert (ran.status, ran.out, ran.err) == (1, alone.out, alone.err)


@every_command
def test_names_that_are_not_utf8(command: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / name).write_bytes(jsonl(good(command, 1)) + b"bad\n")
    ran = run(command, name, "-o", os.fsdecode(b"out\xe9"), cwd=tmp_path)
    assert (ran.status, ran.err) == (1, f"{program(command)}: caf\\udce9:2: not JSON (column 1)\n")
    assert (tmp_path / os.fsdecode(b"out\xe9")).exists()


@pytest.mark.parametrize(
    "command", ["canon --stop /dev/zero", "shingle --key-file /dev/urandom", "sketch --simhash --weights /dev/zero"]
)
def test_a_device_without_an_end(command: str) -> None:
    _, *_, option, device = command.split()
    ran = run(command)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(f"{program(command)}: {option}: {device}: a device, with more than 1048576 bytes")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("canon /dev/zero", "/dev/zero"),
        ("canon -j2 /dev/zero", "/dev/zero"),
        ("simjoin --against /dev/zero", "/dev/zero"),
        ("simgroup --singletons /dev/zero", "/dev/zero"),
        ("dedup --groups /dev/zero", "--groups: /dev/zero"),
    ],
)
def test_a_device_whose_line_has_no_end(command: str, said: str) -> None:
    ran = run(command)
    message = f"{program(command)}: {said}: a device, with a line of more than 1048576 bytes\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)


def test_an_empty_device() -> None:
    assert run("canon --stop /dev/null", stdin=jsonl({"id": 1, "text": "a"})).records()[0]["text"] == "a"
