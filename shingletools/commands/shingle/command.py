"""turn canonical words into shingles: every run of k words, as fingerprints"""

import argparse
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from shingletools.cli.argument_types import add_memory, count, memory_of, memory_within, one_name
from shingletools.commands.shingle.frequency_limits import FrequencyLimit, check_limits_meet, frequency_limit
from shingletools.kernel.lines import FingerprintFilter, no_link
from shingletools.record import wire
from shingletools.record.command_registry import COUNTS, CommandInfo, Product
from shingletools.record.stage import Filter, MakeFirstPass, Stage
from shingletools.system.errors import Failed, printable
from shingletools.system.files import check_regular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shingletools.commands.shingle.fingerprints import Hashing, Rolling, Runs, Shingler
    from shingletools.commands.shingle.frequency_filter import FrequencyChoice
    from shingletools.commands.shingle.secret_keys import FingerprintKey
    from shingletools.commands.shingle.two_pass_filter import ShingleCounting

COMMAND_INFO = CommandInfo(
    example=("canon docs.jsonl | shingle -k 10 -o docs.shingles",),
    makes=(
        Product("shingle", "sketch or simjoin comes next", ("shingles",)),
        Product(COUNTS, "shingle --df-table or sketch --weights takes them", ("df",)),
    ),
    takes=("canon", "parts"),
    text=True,
    spark=True,
)

ROLLING = "rolling"
KEYED = (ROLLING, "blake3")
SPOT_AND_WORD = 2  # the shortest spot signature
DEFAULT_COUNT_BYTES = 1 << 29  # bytes of memory for counting the input, without -S
MAX_KEYED_UNITS = 32  # units: whether long sums collide can depend on single bits of the multiplier, and so reveal them


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--text", metavar="NAME", type=one_name, default="text", help="the field that holds the words (default text)")
    add("-k", metavar="K", type=count, default=10, help="words, or other units, in a shingle (default 10)")
    units = parser.add_mutually_exclusive_group()
    units.add_argument("--chars", action="store_true", help="take characters as units instead of words")
    units.add_argument("--word-chars", action="store_true", help="take the characters of each word alone as units")
    units.add_argument("--longest", metavar="N", type=count, help="take the N longest lines of the text as units")
    units.add_argument(
        "--spots",
        metavar="LIST",
        help="begin shingles at stop words (en, ru, zh, iso:LANG or a FILE), and go on with other words",
    )
    add = parser.add_argument_group("fingerprints").add_argument
    add(
        "--hash",
        choices=[ROLLING, "blake3", "crc32", "md5", "sha1"],
        default=ROLLING,
        help="how a shingle becomes a fingerprint (default rolling)",
    )
    add("--key-file", metavar="FILE", help="make fingerprints that depend on the secret in FILE")
    add("--mod", metavar="M", type=count, default=1, help="keep 1 in M fingerprints, a fair sample (default 1)")
    written = parser.add_argument_group("what is written instead")
    form = written.add_mutually_exclusive_group()
    form.add_argument("--readable", action="store_true", help="write the words of the shingles, as a JSON list")
    form.add_argument("--df", action="store_true", help="write a table of shingles, document frequencies and weights")
    written.add_argument(
        "--header", action="store_true", help="begin the table of --df with the line that --df-table and --merge need"
    )
    written.add_argument(
        "--merge", action="store_true", help="read tables of --df --header, and write one table of all"
    )
    counted = parser.add_argument_group("shingles of few or many documents")
    add = counted.add_argument
    add(
        "--max-df",
        metavar="N",
        type=frequency_limit,
        help="leave out shingles in more than N documents, or P%% of all",
    )
    add(
        "--min-df",
        metavar="N",
        type=frequency_limit,
        help="leave out shingles in fewer than N documents, or P%% of all",
    )
    add(
        "--df-table",
        metavar="FILE",
        help="take document frequencies from FILE, made by --df --header; without it, count the input",
    )
    add_memory(counted, "count on disk")


def build(options: argparse.Namespace) -> Stage:
    from shingletools.commands.shingle import fingerprints, secret_keys  # late, here and below: few runs need all

    check(options)
    runs = fingerprints.Runs(options.k, options.chars, options.longest, None, options.word_chars)
    spots = None
    if options.spots is not None:
        from shingletools.text.wordlists import word_list  # as above

        words, spots = word_list("--spots", options.spots)
        if not words:
            raise Failed(f"--spots: {printable(options.spots)}: the list has no words, so no shingle can begin")
        runs = runs._replace(spots=frozenset(words))
    changed_hash = options.hash if options.hash != ROLLING else None
    how = (
        ("k", options.k),
        ("chars", options.chars),
        ("word-chars", options.word_chars),
        ("longest", options.longest),
        ("spots", spots),
        ("hash", changed_hash),
    )
    key = secret_keys.PUBLIC
    reads: tuple[str, ...] = () if options.spots is None else (options.spots,)
    if options.key_file is not None:
        key, reads = secret_keys.read_key(options.key_file, wire.recipe("shingle", *how)), (*reads, options.key_file)
    parts = [*how, ("key", key.label or None), ("mod", options.mod if options.mod > 1 else None)]
    if options.readable:
        return filter_of(options, Shingling([*parts, ("readable", True)], runs, runs.__call__, None, reads))
    plain = hashing = hashing_of(runs, options.hash, key)
    if options.mod > 1:
        from shingletools.commands.shingle.numpy_fingerprints import sampled  # numpy, which only --mod needs

        hashing = partial(sampled, plain, options.mod)
    if options.df:
        return counting_stage(options, runs, hashing, wire.recipe("shingle", *parts), reads)
    rolling = plain if isinstance(plain, fingerprints.Rolling) else None
    shingling = Shingling(parts, runs, hashing, rolling, reads)
    if not is_limited(options):
        return filter_of(options, shingling)
    if options.df_table is None:
        return filter_after_counting(options, shingling, hashing)
    from shingletools.commands.shingle import frequency_filter  # BLAKE3, which most runs do not need

    digits = fingerprints.HASHES[options.hash][1] if options.hash != ROLLING else 16
    recipe = wire.recipe("shingle", *parts)
    chosen = frequency_filter.read_table(options.df_table, recipe, digits, options.min_df, options.max_df)
    return limited_filter(options, shingling._replace(reads=(*reads, options.df_table)), hashing, chosen)


class Shingling(NamedTuple):
    """The functions that make shingles, and their recipe."""

    parts: "Sequence[tuple[str, object]]"  # of the recipe
    runs: "Runs"
    shingler: "Shingler"
    rolling: "Rolling | None"  # its links do the same work in the kernel
    reads: tuple[str, ...]
    listed: FingerprintFilter = ()  # the fingerprints that are kept or left out
    after: str | None = None  # the recipe that texts must have


def is_limited(options: argparse.Namespace) -> bool:
    return options.max_df is not None or options.min_df is not None


def limited_filter(
    options: argparse.Namespace, shingling: Shingling, hashing: "Hashing", chosen: "FrequencyChoice"
) -> Filter:
    """Returns the filter that leaves out shingles by a table, or by a first reading."""
    from shingletools.commands.shingle.frequency_filter import listed  # as in `build`

    parts, shingler = [*shingling.parts, *chosen.recipe], partial(listed, hashing, chosen.listing)
    listing, after = chosen.listing.listed, chosen.after
    return filter_of(options, shingling._replace(parts=parts, shingler=shingler, listed=listing, after=after))


def filter_after_counting(options: argparse.Namespace, shingling: Shingling, hashing: "Hashing") -> Filter:
    """Returns the filter that reads its files twice: it counts shingles, then filters by their counts.

    Raises Failed unless all files can be read twice.
    """
    from shingletools.commands.shingle import two_pass_filter  # numpy, which a table does not need
    from shingletools.commands.shingle.fingerprint_counts import FingerprintCounts  # likewise

    check_regular(options.files, "--max-df and --min-df without --df-table read")
    files = two_pass_filter.CountedFiles(options.files, options.id, options.text, options.min_df, options.max_df)
    memory = memory_within(options, DEFAULT_COUNT_BYTES)

    def first() -> "ShingleCounting":
        gathering = two_pass_filter.ShingleGathering(hashing, shingling.rolling, options.mod)
        filtering = partial(limited_filter, options, shingling, hashing)
        return two_pass_filter.ShingleCounting(files, gathering, FingerprintCounts(memory), filtering)

    return filter_of(options, shingling, first=first)


def counting_stage(
    options: argparse.Namespace, runs: "Runs", hashing: "Hashing", recipe: str, reads: tuple[str, ...]
) -> Stage:
    """Returns the collector that writes a table of document frequencies."""
    from shingletools.commands.shingle import document_frequencies  # BLAKE3, which --help does not need

    return document_frequencies.CountSpec(
        text_field=options.text,
        runs=runs,
        hashing=hashing,
        recipe=recipe,
        memory=memory_of(options),
        least=options.min_df or FrequencyLimit(1),
        reads=reads,
        header=options.header or options.merge,
        merge=options.merge,
        sampled=options.mod > 1,
    ).with_maker(document_frequencies.collector_of)


def filter_of(options: argparse.Namespace, shingling: Shingling, first: MakeFirstPass | None = None) -> Filter:
    """Returns the filter that makes shingles, and counts texts with few of them."""
    from shingletools.commands.shingle.text_remarks import CountingShingler, advice, remarks  # as in `build`

    words = not (options.chars or options.word_chars or options.longest or options.readable)
    why = None
    if options.mod == 1 and options.spots is not None:
        why = "no stop word of --spots begins a shingle in them (canon --stop drops stop words)"
    elif is_limited(options) or options.spots is not None:
        given = (
            ("--spots", options.spots is not None),
            ("--mod", options.mod > 1),
            ("--min-df", options.min_df),
            ("--max-df", options.max_df),
        )
        why = f"{' and '.join(name for name, limits in given if limits)} left out all that they have"
    rolling = shingling.rolling
    function = CountingShingler(shingling.shingler, shingling.runs, rolling)
    return Filter(
        options.text,
        "shingles",
        wire.recipe("shingle", *shingling.parts),
        function,
        link=no_link if rolling is None else partial(rolling.link, options.mod, shingling.listed),
        reads=shingling.reads,
        listed=options.readable,
        after=shingling.after,
        tally=function.tally,
        remarks=partial(remarks, options.k if options.longest is None else 0, why),
        advice=partial(advice, options.text) if words else None,
        first=first,
    )


def check(options: argparse.Namespace) -> None:
    """Raises Failed for options that cannot be combined."""
    keyed = options.key_file is not None
    table = options.df_table is not None
    limited = is_limited(options)
    for wrong, why in (
        (
            options.readable and (options.hash != ROLLING or options.mod > 1 or keyed),
            "--readable cannot be combined with --hash, --mod or --key-file",
        ),
        (options.readable and limited, "--readable cannot be combined with --max-df or --min-df"),
        (
            keyed and options.hash not in KEYED,
            f"--key-file cannot be combined with --hash {options.hash}, only with {' and '.join(KEYED)}",
        ),
        (
            keyed and options.hash == ROLLING and options.k > MAX_KEYED_UNITS,
            f"-k {options.k}: sums of more than {MAX_KEYED_UNITS} units would reveal the key; "
            "use --hash blake3 with --key-file",
        ),
        (
            options.df and (options.chars or options.word_chars or options.longest or options.spots is not None),
            "--df cannot be combined with --chars, --word-chars, --longest or --spots",
        ),
        (options.spots is not None and options.k < SPOT_AND_WORD, f"--spots needs -k {SPOT_AND_WORD} or more"),
        (options.word_chars and options.k == 1, "--word-chars needs -k 2 or more: all texts share the space"),
        (options.df and (options.max_df is not None or table), "--df cannot be combined with --max-df or --df-table"),
        (table and not limited, "--df-table needs --max-df or --min-df"),
        *((not options.df and getattr(options, name), f"--{name} needs --df") for name in ("header", "merge")),
        *(
            (
                not options.df and (table or not limited) and getattr(options, name.replace("-", "_")) is not None,
                f"--{name} needs --df, or --max-df or --min-df without --df-table",
            )
            for name in ("buffer-size", "temporary-directory")
        ),
    ):
        if wrong:
            raise Failed(why)
    check_limits_meet(options.min_df, options.max_df)


def hashing_of(runs: "Runs", name: str, key: "FingerprintKey") -> "Hashing":
    """Returns the shingler that makes fingerprints by the hash of this name."""
    from shingletools.commands.shingle.fingerprints import Hashed, Rolling, rolling_each  # as in `build`

    if name != ROLLING:
        return Hashed(runs, name, key)
    if runs.spots is not None:
        return partial(rolling_each, runs, Rolling(runs.k, key))
    if runs.longest is None:
        return Rolling(runs.k, key, runs.kind)
    from shingletools.commands.shingle.numpy_fingerprints import RollingUnits  # numpy, which other units do not need

    return RollingUnits(runs, key)
