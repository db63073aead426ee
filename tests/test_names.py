"""Names of fields that are said once: the records carry them to the commands that follow."""

import gc
import gzip
import json
import os
import shlex
import shutil
from pathlib import Path

import pytest

import shingletools
from harness import has_open, jsonl, pipe, run, run_here, shell
from shingletools.kernel import CHOICES
from shingletools.reading.streams import first_line
from shingletools.record.field_names import DEFAULT_NAMES, Names, names_in_value, names_on_line

NR, BODY = "Kunden Nr", "Nachricht.Körper"
SAID = f"--id '{NR}' --text '{BODY}'"
TEXTS = ("The cat sat on the mat", "the CAT sat on the mat!", "Another thing", "The cat sat on a mat", "")
DOCUMENTS = [{NR: number, BODY: text, "x": 1.5} for number, text in enumerate(TEXTS)]
USUALLY = [{"id": number, "text": text, "x": 1.5} for number, text in enumerate(TEXTS)]
# What follows the first command, without a name
REST = (
    "shingle -k 2 | simjoin -t 0.4",
    "shingle -k 2 | sketch | simjoin -t 0.4",
    "canon --stop en | shingle -k 1 | simjoin",
    "shingle -k 2 | sketch --keep | simjoin --verify -t 0.4",
    "repeats -k 5 --drop 1/2 | shingle -k 1 | simjoin -t 0.4",
    "repeats -k 2 | shingle -k 1 | simjoin -t 0.1 | simgroup",
    "shingle -k 2 | simjoin -t 0.4 --best 1",
)


def made(script: str, folder: Path) -> bytes:
    """What a script writes; one command runs in this process."""
    if set(script) & set("|&;<>"):
        return shell(script, folder).good()
    return run_here(*shlex.split(script), cwd=folder).good()


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("once")
    more = [{"url": number, "content": f"{text} x", "lang": number % 2} for number, text in enumerate(TEXTS[:4])]
    usual = [{"id": each["url"], "text": each["content"], "lang": each["lang"]} for each in more]
    for name, records in (("docs", DOCUMENTS), ("usual", USUALLY), ("second", more), ("second usual", usual)):
        (folder / name).write_bytes(jsonl(*records))
    options = "--id url --text content"
    for command in (
        "canon usual -o words",
        f"canon {SAID} docs -o named",
        *("canon --offsets usual -o a", "canon --offsets 'second usual' -o b"),
        *(f"canon --offsets {SAID} docs -o c", f"canon --offsets {options} second -o d"),
        *(f"shingle -k 2 {name} -o {name}.shingles" for name in ("a", "b", "c", "d", "words", "named")),
        *(f"sketch {name}.shingles -o {name}.sketches" for name in ("a", "b", "c", "d", "words", "named")),
        "simjoin -t 0.4 --against b.shingles a.shingles -o across",
        "simjoin -t 0.4 words.shingles -o pairs",
    ):
        made(command, folder)
    return folder


@pytest.fixture
def here(once: Path, tmp_path: Path) -> Path:
    return shutil.copytree(once, tmp_path / "here")


@pytest.mark.parametrize("rest", REST)
def test_the_first_command_says_them_for_all(rest: str, here: Path) -> None:
    expected = shell(f"canon usual | {rest}", here).good()
    assert expected
    assert shell(f"canon {SAID} docs | {rest}", here).good() == expected
    assert shell(f"gzip -c named | {rest.replace(' | ', ' -j 2 | ')}", here).good() == expected
    pipeline = f"canon {SAID} | {rest}"
    for options in ([], ["-j", "2"]):
        assert run_here("shingletools run", *options, pipeline, "docs", cwd=here).good() == expected
        assert run_here("shingletools run", *options, rest, "named", cwd=here).good() == expected
        ran = run_here("shingletools run", *options, rest, stdin=(here / "named").read_bytes(), cwd=here)
        assert ran.good() == expected
        said = ["--id", NR, "--text", BODY, *options]
        assert run_here("shingletools run", *said, f"canon | {rest}", "docs", cwd=here).good() == expected
    records = [json.loads(line) for line in (here / "named").read_bytes().splitlines()]
    for given in (records, shingletools.run(f"canon {SAID}", DOCUMENTS), here / "named"):
        assert b"".join(shingletools.run(rest, given).lines()) == expected
    assert b"".join(shingletools.run(pipeline, DOCUMENTS).lines()) == expected


@pytest.mark.parametrize("kernel", CHOICES)
def test_what_the_records_carry(kernel: str, here: Path) -> None:
    """The same bytes however they are made; the usual names are not written."""
    chain = "shingle -k 2 | sketch -n 3"
    environment = {"SHINGLETOOLS_KERNEL": kernel}
    carried = f'"named":"{SAID}"'.encode()
    (here / "odd").write_bytes(b'{"%b":7,"n\\u0061med":[1],"%b":"A"}\n' % (NR.encode(), BODY.encode()))
    files = [here / "docs", here / "odd", here / "docs"]
    made = run("canon", "--id", NR, "--text", BODY, *files, env=environment).good()
    assert made.count(carried) + 1 == made.count(b"\n") == 2 * len(DOCUMENTS) + 1
    assert made.splitlines()[0] == (
        f'{{"{NR}": 0, "{BODY}": "the cat sat on the mat", "x": 1.5,"named":"{SAID}","via":"canon/4"}}'.encode()
    )
    assert made.splitlines()[len(DOCUMENTS)] == (
        f'{{"{NR}":7,"n\\u0061med":"{SAID}","{BODY}":"a","via":"canon/4"}}'.encode()
    )
    piped = pipe(made, *chain.split(" | "))
    ran = run("shingletools run", f"canon {SAID} | {chain}", *files, env=environment)
    assert ran.good() == piped
    assert b'"named"' not in shell(f"canon --id id --text text usual | {chain}", here).good()
    assert b'"named":"--id id --text a"' in run("canon --text a", stdin=b'{"id":1,"a":"b"}').good()
    assert b'"named":"--id n --text text"' in run("canon --id n --text a,b", stdin=b'{"n":1,"a":"b","b":""}').good()
    assert b'"named":"--id n --text t"' in run("canon --lines --id n --text t", stdin=b"a b\n").good()


def test_a_name_that_a_command_is_given_counts() -> None:
    """Rather than one that records carry, which canon writes anew, also if it is the usual one."""
    line = jsonl({"id": 1, "n": 2, "a": "A b", "text": "C d", "named": "--id n --text a"})
    assert run("canon", stdin=line).good() == line.replace(b"A b", b"a b").replace(b"}", b',"via":"canon/4"}')
    made = run("canon --id id --text text", stdin=line).records()[0]
    assert (made["text"], made["named"]) == ("c d", "--id id --text text")
    assert run("shingle --readable --id id", stdin=line).records()[0]["shingles"] == ["A b"]
    said = run("shingletools run --id id --text text", "canon | shingle --readable -k 2 --text a", stdin=line).records()
    assert said[0]["shingles"] == ["A b"]
    for value in ("Anna", "--id n", "--id n --text a b", "--id 'n --text a", ["--id n --text a"], "--text a --id n"):
        made = run("canon", stdin=jsonl({"id": 1, "text": "C d", "named": value})).records()[0]
        assert (made["text"], made["named"]) == ("c d", value)
    assert names_in_value("--id n --text a") == Names("n", "a")
    assert names_on_line(b'{"named"') == names_on_line(b'"named"') == DEFAULT_NAMES


def test_commands_that_read_documents_by_their_ids(here: Path) -> None:
    """They find the names in the documents' own file, wherever an option names it."""
    for one, other in [
        ("simshow --brief --docs words pairs", "simshow --brief --docs named pairs"),
        ("simscore --truth pairs --docs words pairs", "simscore --truth pairs --docs named pairs"),
        ("simscore --field x --truth words pairs", "simscore --field x --truth named pairs"),
        ("simgroup --singletons words pairs", "simgroup --singletons named pairs"),
        ("simjoin --against words.shingles words.shingles", "simjoin --against named.shingles named.shingles"),
        (
            "simindex add A words.sketches && simjoin --against A words.sketches",
            "simindex add B named.sketches && simjoin --against B named.sketches",
        ),
        (
            "simindex drop A --ids words && simjoin --against A words.sketches",
            "simindex drop B --ids named && simjoin --against B named.sketches",
        ),
        ("dedup --pairs pairs words | wc -l", "dedup --pairs pairs named | wc -l"),
        ("dedup --pairs pairs --keep longest words | wc -l", "dedup --pairs pairs --keep longest named | wc -l"),
        ("dedup --pairs - words < pairs | wc -l", "dedup --pairs - named < pairs | wc -l"),
        ("parts words | canon | shingle -k 2 | simjoin", "parts named | canon | shingle -k 2 | simjoin"),
    ]:
        assert made(other, here) == made(one, here), other
    tuned = run_here("simtune -k 2 named", cwd=here).good().decode().replace(f"{SAID} ", "")
    assert tuned.replace(f"--id '{NR}' ", "") == run_here("simtune -k 2 words", cwd=here).good().decode()
    ran = run_here("dedup --pairs pairs docs", cwd=here)
    hint = f'field "id" is missing; the record has "{NR}", "{BODY}": --id NAME says which is meant'
    assert ran.err.splitlines()[0] == f"dedup: docs:1: {hint}"
    expected = run_here("dedup --keep longest --pairs pairs usual", cwd=here).records()
    ran = run_here(
        "shingletools run",
        "--id",
        NR,
        "--text",
        BODY,
        "canon | shingle -k 2 | simjoin -t 0.4 | dedup --keep longest --pairs - docs",
        "docs",
        cwd=here,
    )
    assert [record[NR] for record in ran.records()] == [record["id"] for record in expected]


@pytest.mark.parametrize(
    "command",
    [
        "simjoin --against {other}.shingles {one}.shingles",
        "simjoin --against {other}.sketches {one}.sketches",
        "simjoin -t 0.4 -S 10M --against {other}.shingles < {one}.shingles",
        "cat {one}.shingles | simjoin -t 0.4 --against - {other}.shingles",
        "repeats -k 2 --against {other} {one} | shingle -k 1 | simjoin -t 0.1",
        "repeats -k 2 --against {other} --items items {one} > out && cat items",
        "cat {other} | repeats -k 2 --against - --items items {one} > out && cat items",
        "simshow --brief --docs {one} --against {other} across",
        "simshow --json --docs {one} --against {other} across",
        "dedup --without {other} {one} | wc -l",
        "simscore --docs {one} --field lang --truth {other} across",
        "simtune -k 2 --field lang --truth {other} {one} 2> err | grep labelled",
        "simtune -k 2 --against {other} {one} | grep sample",
    ],
)
def test_each_side_has_its_own(command: str, here: Path) -> None:
    """As a benchmark and a corpus, or two shops; a name that is given holds for both."""
    sides = ("a", "b"), ("c", "d"), ("a", "d"), ("c", "b")
    usual, *others = (made(command.format(one=one, other=other), here) for one, other in sides)
    assert usual
    assert others == [usual] * 3
    if "<" not in command and "cat {" not in command and "--field" not in command:
        alone = command.format(one="c", other="d").split(" | ")[0].split(" > ")[0]
        assert 'field "url" is missing' in shell(alone.replace(" ", " --id url ", 1), here).err


def test_parts(here: Path) -> None:
    """Parts carry them, and what is put together of them is as it was."""
    cut = shell(f"parts --by line {SAID} docs", here).good()
    assert cut.count(f'"named":"{SAID}"'.encode()) == cut.count(b"\n")
    together = [json.loads(line) for line in pipe(cut, "parts --together").splitlines()]
    assert together == [{NR: each[NR], BODY: each[BODY]} for each in DOCUMENTS]
    ran = run_here("shingletools run", f"parts --by line {SAID} | canon | parts --together", "docs", cwd=here)
    assert ran.good() == pipe(pipe(cut, "canon"), "parts --together")


def test_standard_input_is_read_from_its_beginning(here: Path) -> None:
    """Also if it is compressed, longer than what is read at once, or not there."""
    many = b"".join(b'{"n":%d,"text":"%b"}\n' % (number, b"a b c d e f g h i " + b"w" * 300) for number in range(5000))
    made = run("canon --id n", stdin=many).good()
    expected = pipe(made, "shingle --id n")
    assert pipe(made, "shingle") == pipe(made, "shingle -j 2") == expected
    assert pipe(gzip.compress(made), "shingle") == expected
    (here / "long").write_bytes(made)
    assert shell("shingle < long", here).good() == expected
    assert shell("(sleep .1; cat long) | shingle", here).good() == expected
    assert shell("shingle /dev/stdin < long", here).good() == expected
    assert run("shingle", stdin=b"").status == 0
    assert run("shingle", stdin=b"\x1f\x8b\x08bad").status == 2


@pytest.mark.parametrize("data", [jsonl(*DOCUMENTS), gzip.compress(jsonl(*DOCUMENTS)), b"\x1f\x8b\x08bad", b""])
def test_a_file_whose_first_line_was_read_is_closed(data: bytes, here: Path) -> None:
    """Even if nothing collects garbage."""
    (here / "docs").write_bytes(data)
    gc.disable()
    try:
        first_line(str(here / "docs"))
        assert not has_open(os.getpid(), here)
    finally:
        gc.enable()
