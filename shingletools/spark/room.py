"""How much memory one task may take, and how much a collector needs."""

from pyspark import SparkContext

from shingletools.commands.dedup.choice import Dedup
from shingletools.commands.dedup.neighbours import ByPairs
from shingletools.commands.simgroup.grouping import Groups, Stars
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.store import InMemory
from shingletools.numbers.ids_on_disk import IdsOnDisk
from shingletools.record.collector import Collector

BASE = 100 << 20  # bytes of Python
PARTNER = 64  # bytes for each document and each of its partners that --best may keep
SIGNED = 128  # bytes for each document of a join, besides its signature and its id
SETS, COUNTED = 4, 7  # memory in multiples of the bytes of sets, and of sets that are counted
ASKING = 64 << 20  # bytes for blocks of archives, which stay on disk
ID, STAR = 90, 40  # bytes for each id of a group, besides its own, and with --star for each pair
DOCUMENT, PAIR = 160, 32  # bytes for each id of documents that dedup takes, besides its own, and for each pair
HERE, ELSEWHERE = 1 << 30, 1 << 29  # bytes for a task, if Spark runs on this machine, and on a cluster


def room(context: SparkContext, asked: int | None) -> int:
    """The bytes of memory that one task may take: those asked for, or the default."""
    if asked is not None:
        return asked
    return HERE if f"{context.master}".startswith("local") else ELSEWHERE


def needed(collector: Collector) -> int:
    """About how many bytes a process takes with what a collector has taken, and to finish.

    For a million sketches of 336 bytes it gives 570 MB; measured were 594.
    """
    if isinstance(collector, JoinCollector):
        return BASE + of_join(collector)
    if isinstance(collector, Groups) and not isinstance(collector.ids, IdsOnDisk):
        pairs = collector.method.pairs.holding if isinstance(collector.method, Stars) else 0
        ids = len(collector.ids.data) + ID * len(collector.ids)
        return BASE + ids + STAR * pairs
    if isinstance(collector, Dedup):
        verdicts, both = collector.verdicts, (collector.ids, collector.known.archive)
        pairs = len(verdicts.pairs.similarity) if isinstance(verdicts, ByPairs) else 0
        return BASE + sum(len(ids.data) + DOCUMENT * len(ids) for ids in both) + PAIR * pairs
    raise TypeError(type(collector).__name__)


def of_join(collector: JoinCollector) -> int:
    store, signature = collector.store, collector.comparable.signature
    asking = 0 if collector.against is None else ASKING
    if signature is None or not isinstance(store, InMemory):
        return asking
    sets = COUNTED if collector.spec.wanted.agreeing is not None else SETS
    times = 1 if signature.fixed(collector.comparable.size) else sets
    ids = sum(len(each.data) + SIGNED * len(each) for each in store.ids)
    best = PARTNER * (collector.spec.wanted.best or 0) * sum(map(len, store.ids))
    return asking + ids + best + times * sum(len(data) for data, _ in store.payloads)
