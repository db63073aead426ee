"""Pairs by their definition: brute force over all documents, with Python's sets and fractions; and those of a join."""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from math import isqrt

from connected import connected
from harness import Record, collect, finished, read_by_definition
from shingletools.commands.simjoin.forest import Forest
from shingletools.commands.simjoin.join import Join
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record.collector import CollectorContext
from shingletools.record.events import Progress
from shingletools.system.memory_limit import Memory

Document = Sequence[int] | AbstractSet[int]  # components of a sketch, or the shingles of a set
Labels = dict[str, str]  # as JSON spells them
Pair = tuple[int, int]

ON_DISK = Memory(0, "/tmp")  # the least memory that is possible
# Everything in many portions
SMALL = Limits(
    least_share=1600,
    sampled=2,
    splits=3,
    touched=100,
    sizes=3,
    documents=5,
    portion=5,
    candidates=4,
    sorted_in_memory=7,
    sorted_on_disk=10,
    compared=4,
    large=2,
)

# As JSON spells them; two that are one value as JSON readers see it are equal
VALUES = ['"a"', '"b"', '"\\u0061"', '"1"', "1", "1.0", "1e0", "10E-1", "true", "false", "null", "0.1", '"\\u0000"']
FIELDS = ("site", "meta.lang")

# By what both have in common and what each has; of cosine the square
RATIOS: dict[str, Callable[[int, int, int], Fraction]] = {
    "jaccard": lambda common, a, b: Fraction(common, a + b - common),
    "dice": lambda common, a, b: Fraction(2 * common, a + b),
    "cosine": lambda common, a, b: Fraction(common * common, a * b),
    "overlap": lambda common, a, b: Fraction(common, min(a, b)),
    "containment": lambda common, a, b: max(Fraction(common, a), Fraction(common, b)),
}


def reaches(measure: str, ratio: Fraction, threshold: Fraction) -> bool:
    return bool(ratio) and ratio >= (threshold**2 if measure == "cosine" else threshold)


def agreeing(one: Document, two: Document) -> int:
    """Shingles in both, or components that agree."""
    return len({*one} & {*two}) if isinstance(one, AbstractSet) else sum(map(int.__eq__, one, two))


def brute_force(
    documents: Sequence[Document],
    wanted: JoinOptions,
    side: int | None = None,
    labels: Sequence[Labels] = (),
    weights: Sequence[int] | None = None,
) -> list[Record]:
    """What simjoin writes, by looking at every pair; documents from `side` on are those of --against."""
    found: dict[Pair, Fraction] = {}
    of_all: list[Pair] = []  # that are copies
    for a, b in combinations(range(len(documents)), 2):
        one, two = documents[a], documents[b]
        if not one or not two or (side is not None and not a < side <= b) or not allowed(wanted, labels, a, b):
            continue
        ratio = similarity(wanted.measure, one, two, weights)
        enough = reaches(wanted.measure, ratio, wanted.similarity or Fraction(0))
        if wanted.agreeing is not None:
            enough = agreeing(one, two) >= wanted.agreeing > 0
        if enough:
            found[a, b] = ratio
            of_all += [(a, b)] * (one == two)
    copies = dict(sorted(((b, a) for a, b in of_all), reverse=True)) if wanted.copies_once else {}
    chosen = {*found} if wanted.best is None else kept(found, wanted.best, side is None)
    made = []
    for a, b in sorted(chosen):
        if copies.get(b, a) == a and a not in copies:
            root = Fraction(isqrt(10**60 * found[a, b].numerator // found[a, b].denominator), 10**30)
            exact = root if wanted.measure == "cosine" else found[a, b]
            pair: Record = {"a": a, "b": b, "similarity": round(float(exact), 6)}
            if wanted.measure == "containment":
                sizes = [weight_of(documents[each], weights) for each in (a, b)]
                pair["contained"] = "both" if sizes[0] == sizes[1] else "a" if sizes[0] < sizes[1] else "b"
            if wanted.agreeing is not None and isinstance(documents[a], AbstractSet):
                pair["shared"] = agreeing(documents[a], documents[b])
            if b in copies:
                pair["copy"] = True
            made.append(pair if side is None else {**pair, "against": True})
    return made


def weight_of(tokens: Iterable[int], weights: Sequence[int] | None) -> int:
    return sum(1 if weights is None else weights[token] for token in tokens)


def similarity(measure: str, one: Document, two: Document, weights: Sequence[int] | None = None) -> Fraction:
    if not isinstance(one, AbstractSet):
        return Fraction(agreeing(one, two), len(one))
    common = weight_of({*one} & {*two}, weights)
    return RATIOS[measure](common, weight_of(one, weights), weight_of(two, weights)) if common else Fraction(0)


def value(spelled: str) -> object:
    read = json.loads(spelled, parse_float=Decimal)
    return type(read), read


def allowed(wanted: JoinOptions, labels: Sequence[Labels], a: int, b: int) -> bool:
    equal = {field: value(labels[a][field]) == value(labels[b][field]) for field in wanted.scope.fields}
    return all(equal[field] for field in wanted.scope.within) and not any(equal[field] for field in wanted.scope.across)


def kept(found: dict[Pair, Fraction], best: int, both: bool) -> set[Pair]:
    """The pairs with the best partners of each document, or of each on the first side."""
    chosen: set[Pair] = set()
    for each in {end for pair in found for end in (pair if both else pair[:1])}:
        own = [(-alike, a + b - each, (a, b)) for (a, b), alike in found.items() if each in ((a, b) if both else (a,))]
        chosen |= {pair for *_, pair in sorted(own)[:best]}
    return chosen


def lines(documents: Sequence[Document], labels: Sequence[Labels] = (), digits: int = 16) -> list[bytes]:
    """Records. Shingles come in any order, some of them twice; labels stand before and behind, one in an object."""
    rng = random.Random(3)
    made = []
    for number, document in enumerate(documents):
        if isinstance(document, AbstractSet):
            words = [f"{token:0{digits}x}" for token in sorted(document) for _ in range(rng.randint(1, 2))]
            payload = f'"shingles":"{" ".join(rng.sample(words, len(words)))}"'
        else:
            payload = f'"sketch":"{" ".join(f"{word:08x}" for word in document)}"'
        site, lang = labels[number].values() if labels else ("1", "1")
        around = f'"site":{site},', f',"meta":{{"x":1,"lang":{lang}}}'
        made.append(f'{{{around[0] if labels else ""}"id":{number},{payload}{around[1] if labels else ""}}}\n'.encode())
    return made


def joined(
    records: Iterable[bytes],
    wanted: JoinOptions,
    side: int | None = None,
    memory: Memory | None = None,
    limits: Limits = DEFAULT,
) -> list[Record]:
    """With a limit of memory, the definition reads all lines, else the kernel those that are ordinary."""
    join = JoinCollector(
        JoinSpec("id", wanted, () if side is None else ("other",), memory), CollectorContext(2), limits
    )
    if memory is not None:
        read_by_definition(join)
    for number, line in enumerate(records):
        collect(join, line, int(side is not None and number >= side))
    return [*map(json.loads, finished(join).splitlines())]


def found_by(join: Join | Forest, jobs: int = 1) -> Iterator[Pairs]:
    """Returns the pairs that a join finds, after the whole search, which ends with all of the work done."""
    found: list[Iterable[Pairs]] = []

    def whole() -> Iterator[Progress]:
        found.append((yield from join.search(jobs)))

    *_, last = whole()
    assert last.share == 1
    return iter(found[0])


def ends(pairs: Iterable[Record]) -> list[Pair]:
    return [(pair["a"], pair["b"]) for pair in pairs]


def check_forest(found: list[Record], every: list[Record], documents: int) -> None:
    """Checks that pairs are some of all, and just enough to connect what all connect."""
    assert found == [pair for pair in every if pair in found]
    numbers = range(documents)
    assert connected(ends(found), numbers) == connected(ends(every), numbers)
    assert len(found) == documents - len({*map(min, connected(ends(every), numbers).values())})


def check_all(records: list[bytes], wanted: JoinOptions, expected: list[Record], side: int | None = None) -> None:
    """Checks a join from memory and from disk, in few portions and in many; if it can be one, a forest of it, too."""
    for memory, limits in product([None, ON_DISK], [DEFAULT, SMALL]):
        assert joined(records, wanted, side, memory, limits) == expected
    if wanted.best is None and not wanted.copies_once:
        for limits in (DEFAULT, SMALL):
            one, other = (joined(records, wanted._replace(forest=True), side, each, limits) for each in (None, ON_DISK))
            assert one == other
            check_forest(one, expected, len(records))
