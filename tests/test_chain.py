"""Filters in a chain give what they give one by one, and so do those that the kernel does at once."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from agreement import CHAINS, WHOLE, chain_of
from harness import DOCS, filtered, run
from shingletools import kernel
from shingletools.commands.canon.canonizer import Canonizer, Rules
from shingletools.commands.canon.rules import Rule
from shingletools.kernel import _kernel
from shingletools.kernel.line_columns import Field, Kind
from shingletools.kernel.lines import FilterFields, Link
from shingletools.record.filter_chain import Chain
from shingletools.record.record_batch import RecordBatch
from shingletools.record.stage import Filter
from shingletools.system.errors import Rejected

GOOD = b'{"id":1,"text":"A b"}\n'
Counted = list[tuple[int, int]]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """How many filters the kernel did at once, and of how many lines, for each time that it was asked."""
    calls: Counted = []
    linked_lines: Any = getattr(kernel, "linked_lines", len)  # which only C has

    def count(links: tuple[Link, ...], *arguments: Any) -> Any:
        done = linked_lines(links, *arguments)
        calls.append((len(links), done[1]))
        return done

    monkeypatch.setattr(kernel, "linked_lines", count, raising=False)
    return calls


def in_c(links: Counted) -> Counted:
    """What is counted; the numpy kernel is not asked."""
    return links if kernel.NAME == "c" else []


def test_ordinary_lines_pass_all_filters_at_once(counted: Counted) -> None:
    number = DOCS.read_bytes().count(b"\n")
    assert number > 1
    filtered(chain_of(WHOLE), DOCS.read_bytes())
    assert counted == in_c([(3, number)])


@pytest.mark.parametrize(
    ("pipeline", "links"),
    [
        ("canon --html | shingle | sketch -n 3", [1, 2]),
        ("canon | shingle | sketch --keep", [2, 1]),
        ("canon | shingle --hash md5 | sketch", [1, 1, 1]),
        ("canon | shingle --id x | sketch --id x", [1, 2]),
        ("canon | canon --stop en | shingle --mod 2 | sketch --simhash", [4]),
        ("canon | shingle --text words", [1, 1]),
        ("canon --text words,text | shingle | sketch -n 3", [3]),
        ("canon | canon --text words,text | shingle", [1, 2]),
        ("canon --offsets --text words,none,text", [1]),
        ("canon | shingle | sketch -n 600 --super 300", [2, 1]),
    ],
)
def test_as_many_are_done_at_once_as_can_be(pipeline: str, links: list[int], counted: Counted) -> None:
    made, rejections = filtered(chain_of(pipeline), b'{"id":1,"x":2,"text":"a b","words":"c"}\n')
    assert made.count(b"\n") == 1
    assert not rejections
    assert counted == in_c([(number, 1) for number in links])


def test_a_name_that_json_escapes(counted: Counted) -> None:
    made, rejections = filtered(chain_of(r"canon --text a\\b | shingle --text a\\b"), b'{"id":1,"a\\\\b":"d"}\n')
    assert b'"shingles":"' in made
    assert (counted, rejections) == ([], [])


def test_a_line_is_rejected_by_the_filter_that_it_came_to() -> None:
    chain = chain_of("canon | shingle -k 2 | sketch -n 2")
    bad = [
        b'{"id":1,"text":"A","sketch":1,"sketch":2}',
        b'{"id":1}',
        b'{"id":1,"text":"A","shingles":1,"shingles":2}',
        b'{"id":1.5,"text":"A"}',
    ]
    made, rejections = filtered(chain, GOOD + b"\n".join([bad[0], bad[1], GOOD + bad[2], bad[3]]))
    assert made == 2 * filtered(chain, GOOD)[0]
    causes = ["sketch", "text", "shingles", "id"]
    assert [(place, step) for place, step, _, _ in rejections] == [(1, 3), (2, 1), (4, 2), (5, 1)]
    assert all(f'field "{name}"' in cause for name, (_, _, cause, _) in zip(causes, rejections, strict=True))
    assert [line for *_, line in rejections] == bad


def test_a_strict_filter_ends_a_batch_at_its_first_bad_line() -> None:
    """What others reject goes on; good lines behind it do not come out."""
    bad = {1: b"{}\n", 2: b'{"id":1,"text":"A","shingles":1,"shingles":2}\n'}
    for strict in (1, 2):
        chain = Chain(chain_of(WHOLE).filters, {strict})
        made, rejections = filtered(chain, GOOD + bad[3 - strict] + GOOD + bad[strict] + GOOD + bad[3 - strict])
        assert made == 2 * filtered(chain, GOOD)[0]
        assert [each[:2] for each in rejections] == [(1, 3 - strict), (3, strict)]


def raising(error: Exception) -> Callable[[str], str]:
    """A rule for words, which fails with one of them."""

    def rule(word: str) -> str:
        if word == "bad":
            raise error
        return word

    return rule


def chain_with(error: Exception) -> Chain:
    """The second of its filters fails."""
    canonizer = Canonizer(Rules(words=(Rule("fail", True, raising(error)),)))
    failing = Filter("text", "text", "fail", canonizer, link=canonizer.link)
    first, *rest = chain_of(WHOLE).filters
    return Chain([first, (failing, "id"), *rest])


def test_a_function_may_reject_in_the_midst() -> None:
    chain = chain_with(Rejected("no such word"))
    made, rejections = filtered(chain, GOOD + b'{"id":2,"text":"A BAD"}\n' + GOOD)
    assert made == 2 * filtered(chain, GOOD)[0]
    assert rejections == [(1, 2, "no such word", b'{"id":2,"text":"A BAD"}')]


@pytest.mark.parametrize("error", [ZeroDivisionError, MemoryError])
def test_a_fault_is_none_of_the_line(error: type[Exception]) -> None:
    with pytest.raises(error):
        filtered(chain_with(error()), GOOD + b'{"id":2,"text":"A BAD"}\n' + GOOD)


def test_a_chain_without_filters_and_without_lines() -> None:
    assert filtered(Chain([]), b"one\ntwo") == (b"one\ntwo", [])
    assert [filtered(chain_of(pipeline), b"") for pipeline in CHAINS] == [(b"", [])] * len(CHAINS)


def test_the_kernel_goes_on_behind_an_odd_line(counted: Counted) -> None:
    made, rejections = filtered(chain_of(WHOLE), 10 * (9 * GOOD + b"{}\n") + GOOD)
    assert made == 91 * filtered(chain_of(WHOLE), GOOD)[0]
    assert [place for place, *_ in rejections] == list(range(9, 100, 10))
    assert counted[:11] == in_c(10 * [(3, 9)] + [(3, 1)])


@pytest.mark.parametrize(("before", "batches", "lines"), [(1, 1, 1), (7, 1, 1), (8, 10, 0)])
def test_few_ordinary_lines_in_a_row_make_no_batch(before: int, batches: int, lines: int) -> None:
    """A batch costs more than they do; all lines between two batches are together."""
    chain = chain_of(WHOLE)
    recipe = " | ".join(stage.recipe for stage, _ in chain.filters).encode()
    sketches = Field(b"sketch", Kind.GROUPS, 8, 4 * 84)
    wanted = Field(b"id", Kind.ID), Field(b"via", Kind.EQUAL, text=recipe), sketches
    made = chain(RecordBatch(10 * (before * GOOD + b"{}\n")), wanted)
    assert len(made[0].rejected) == 10
    found = [bool(each.columns) for each in made]
    assert found == ([True] * batches + [False] * lines if kernel.NAME == "c" else [False])
    rows = [each.rows or each.lines.count(b"\n") for each in made]
    assert sum(rows) == 10 * before
    assert [each.before for each in made] == [sum(rows[:number]) for number in range(len(rows))]


def test_each_way_of_rejection_among_many() -> None:
    """Places, where all filters have rejected many before."""
    kinds = [
        b"{}",
        b'{"id":1,"text":"a","shingles":1,"shingles":2}',
        b'{"id":1,"text":"a","sketch":1,"sketch":2}',
        GOOD[:-1],
    ]
    chosen = [place * place // 7 % 4 for place in range(3000)]
    made, rejections = filtered(chain_of(WHOLE), b"\n".join(kinds[kind] for kind in chosen))
    assert made.count(b"\n") == chosen.count(3)
    assert [each[:2] for each in rejections] == [(place, kind + 1) for place, kind in enumerate(chosen) if kind < 3]


@pytest.mark.parametrize("pipeline", CHAINS)
def test_a_chain_is_pickled(pipeline: str) -> None:
    chain = chain_of(pipeline)
    filtered(chain, GOOD)
    again = pickle.loads(pickle.dumps(chain))
    data = DOCS.read_bytes() + b"{}\n"
    assert filtered(again, data) == filtered(chain, data)
    assert [type(each) for each in again.sections] == [type(each) for each in chain.sections]


@pytest.mark.parametrize("name", ["c", "numpy"])
def test_a_chain_works_with_whatever_kernel_there_is(name: str) -> None:
    chain, data = chain_of(CHAINS[1]), DOCS.read_bytes() + b"{}\n"
    code = """
import pickle, sys
from shingletools import kernel
chain, data = pickle.load(sys.stdin.buffer)
from shingletools.record.record_batch import RecordBatch
(made,) = chain(RecordBatch(data))
sys.stdout.buffer.write(pickle.dumps((kernel.NAME, (made.lines, [each[:4] for each in made.rejected]))))
"""
    made = run("python3", "-P", "-c", code, stdin=pickle.dumps((chain, data)), env={"SHINGLETOOLS_KERNEL": name}).good()
    assert pickle.loads(made) == (name, filtered(chain, data))


def test_links_that_are_none() -> None:
    fields = FilterFields(b"id", b"text", b"text", False, b"x")
    words = _kernel.WordMemo(str.lower).link()
    for links, wrong, error in (
        ((), fields, ValueError),
        (((),), fields, TypeError),
        (((1, ()),), fields, ValueError),
        ((words, _kernel.link_minima(b"", b"1234", 0, False)), fields, ValueError),
        ((words, _kernel.link_minima(b"12345678", b"12345678", 3, False)), fields, ValueError),
        ((words, _kernel.FingerprintMemo(str.encode, 1, b"").link(0, 0, 1, ())), fields, ValueError),
        ((words, _kernel.FingerprintMemo(str.encode, 1, b"").link(1, 3, 1, ())), fields, ValueError),
        *(
            (
                (words, _kernel.FingerprintMemo(str.encode, 1, b"").link(1, 0, 1, (1, bytes(size), True))),
                fields,
                ValueError,
            )
            for size in (0, 7, 8, 16, 23, 25, 32)
        ),
        ((words,), fields[:5], TypeError),
        ((words,), (*fields[:4], 1), TypeError),
    ):
        with pytest.raises(error):
            _kernel.linked_lines(links, wrong, GOOD, 0)  # type: ignore[arg-type]
    for at in (-1, len(GOOD) + 1):
        with pytest.raises(ValueError, match="no place"):
            _kernel.linked_lines((words,), fields, GOOD, at)


def test_several_lines_of_one_behind_lines_that_go() -> None:
    """Whichever filter rejects a line, the message has its place in the input."""
    several = b'{"id":"s%d","text":"one\\n\\ntwo","x":1}\n'
    twice = b'{"id":"t","text":"three","x":1,"x":2}\n'  # only parts looks at what it carries
    data = twice + several % 1 + b"{\n" + several % 2 + b"{\n" + twice + several % 3
    made, gone = filtered(chain_of("canon | parts --carry x | shingle -k 1"), data)
    assert [each[:2] for each in gone] == [(0, 2), (2, 1), (4, 1), (5, 2)]
    assert made.count(b"\n") == 3
