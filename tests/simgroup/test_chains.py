"""What simgroup says of a group that chains of pairs make: that it joins what differs."""

from pathlib import Path

import pytest

from harness import jsonl, run


@pytest.mark.parametrize(
    ("sizes", "warned"), [((999,), False), ((1000,), True), ((101, 900), True), ((100, 900), False)]
)
def test_only_large_chains_among_many_are_reported(sizes: tuple[int, ...], warned: bool) -> None:
    """The first size is that of a chain; the others' documents are in groups of two. No pair is one too many."""
    chain, others = sizes[0], sum(sizes[1:])
    lines = jsonl(
        *({"a": number, "b": number + 1} for number in range(chain - 1)),
        *({"a": -number, "b": -number - 1} for number in range(1, others, 2)),
    )
    assert run("simgroup", stdin=lines).err == ""  # as simjoin --forest may leave of any pairs
    lines += jsonl({"a": 0, "b": 2})
    said = (
        f"simgroup: the group of 0 has {chain} of {sum(sizes)} documents, {chain - 3} of them without a pair with it:"
        " chains join what differs, so remove by pairs\n"
    )
    assert run("simgroup", stdin=lines).err == (said if warned else "")


def test_documents_in_no_pair_count(tmp_path: Path) -> None:
    chain = jsonl({"a": 0, "b": 2}, *({"a": number, "b": number + 1} for number in range(99)))
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number} for number in range(1000))))
    assert "the group of 0" not in run("simgroup", "--singletons", tmp_path / "docs", stdin=chain).err
    chain += jsonl({"a": 99, "b": 100})
    assert "has 101 of 1000 documents, 98 of" in run("simgroup", "--singletons", tmp_path / "docs", stdin=chain).err


def test_a_star_is_not_reported() -> None:
    """A thousand copies of one text are no chain, however many they are."""
    assert run("simgroup", stdin=jsonl(*({"a": "x", "b": number} for number in range(2000)))).err == ""
