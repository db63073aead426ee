"""The argument that is a pipeline: the commands' own parsers and messages."""

import os

import pytest

from shingletools.running.steps import CommandLine
from shingletools.spark.pipeline import build, parse
from shingletools.system.errors import Failed

ONE_PROCESS = "--items, --removed and a reference from standard input need one process; run it in the shell"


@pytest.mark.parametrize(
    ("pipeline", "names"),
    [
        ("canon|shingle -k 10|sketch", ["canon", "shingle", "sketch"]),
        (" canon --delete '[|]' --delete \"a|b\" --delete \\| | simjoin -t 4/5 ", ["canon", "simjoin"]),
        ("simjoin | simgroup -t 0.9", ["simjoin", "simgroup"]),
        ("simgroup --star --singletons x", ["simgroup"]),
        ("dedup --groups x", ["dedup"]),
        (f"canon | repeats --against {os.devnull} --cut | shingle", ["canon", "repeats", "shingle"]),
    ],
)
def test_steps(pipeline: str, names: list[str]) -> None:
    assert [step.name for step in parse(pipeline)] == names


def test_recipes_are_the_commands() -> None:
    steps = parse("canon --stop en --stem en | shingle -k 3 --chars | sketch -n 12 --seed x")
    recipes = [each.recipe for step in steps if (each := step.stage.record_by_record)]
    assert recipes[0].startswith("canon/4 stop=en stem=en@PyStemmer-")
    assert recipes[1:] == ["shingle k=3 chars", "sketch n=12 seed=x"]


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("", 'the pipeline: "" is none of parts, canon, shingle, sketch, simjoin, simgroup, dedup, repeats'),
        (
            "canon || shingle",
            'the pipeline: "" is none of parts, canon, shingle, sketch, simjoin, simgroup, dedup, repeats',
        ),
        (
            "canon | sort",
            'the pipeline: "sort" is none of parts, canon, shingle, sketch, simjoin, simgroup, dedup, repeats',
        ),
        ("canon 'x", "the pipeline: no closing quotation"),
        ("shingle -k 0", 'shingle: argument -k: not a whole number from 1 to 1000000: "0" (see shingle --help)'),
        ("shingle --nonsense", "shingle: unrecognized arguments: --nonsense (see shingle --help)"),
        ("sketch -n 5 --super 2", "sketch: 5 min-hashes cannot be divided into groups of 2"),
        ("canon docs.jsonl", "canon: docs.jsonl: --in says what to read"),
        ("canon > out", "canon: >: --in says what to read"),
        ("canon -o x", "canon: -o: --out says where to write"),
        ("canon -j 2", "canon: -j: Spark has workers of its own (--master)"),
        ("simjoin -S 1M", "simjoin: -S: Spark divides memory and disk itself"),
        ("canon --strict", "canon: --strict: records are worked on in no order, so none is the first bad one"),
        ("canon --csv", "canon: --in holds records: what says how to read files is for the shell"),
        ("canon --files0-from names", "canon: --files0-from: --in says what to read"),
        ("canon --lines", "canon: --in holds records: what says how to read files is for the shell"),
        ("shingle --df", "shingle: this form of its output is made in one process; run it in the shell"),
        (
            "shingle --df --header --min-df 2",
            "shingle: this form of its output is made in one process; run it in the shell",
        ),
        ("shingle --df -S 1M", "shingle: -S: Spark divides memory and disk itself"),
        (
            "shingle --max-df 2",
            "shingle: --max-df and --min-df without --df-table read the input twice: name files",
        ),
        ("shingle --max-df 2 docs", "shingle: docs: --in says what to read"),
        ("canon --id text", 'canon: the id, the payload and via need fields of their own, not "text", "via", "named"'),
        ("simjoin | canon", "canon cannot read what simjoin writes"),
        (
            "simjoin --against x | simgroup",
            "simgroup: pairs of simjoin --against make no groups, for its sides may use the same ids; "
            "dedup --known takes them",
        ),
        ("simgroup | simjoin", "simjoin cannot read what simgroup writes"),
        ("dedup", "dedup: --pairs, --groups, --known or --without is needed to say which documents are duplicates"),
        ("canon | repeats", "repeats: without --against, one process needs all documents; run it in the shell"),
        ("canon | repeats --against .", "repeats: one process asks an archive of passages; run it in the shell"),
        ("repeats --against b --items i", f"repeats: {ONE_PROCESS}"),
        ("repeats --against b --cut --removed r", f"repeats: {ONE_PROCESS}"),
        ("repeats --against -", f"repeats: {ONE_PROCESS}"),
        ("repeats -S 1M", "repeats: -S: Spark divides memory and disk itself"),
        ("repeats --against no/bench", "repeats: --against: no/bench: No such file or directory"),
        (
            "dedup --groups x --annotate --removed y",
            "dedup: --removed cannot be combined with --annotate, which removes nothing",
        ),
    ],
)
def test_what_is_refused(pipeline: str, message: str) -> None:
    with pytest.raises(Failed) as error:
        parse(pipeline)
    assert str(error.value) == message


def test_no_command_of_the_suite_is_forgotten() -> None:
    for name in ("canon", "shingle", "sketch", "simjoin", "simgroup"):
        assert build(CommandLine(name)).name == name
