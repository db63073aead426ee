"""Reads the pipeline of --made-by, as run does, and checks pairs against it."""

from fractions import Fraction

from shingletools.cli.options import Printed
from shingletools.commands.simshow.passages import Comparison
from shingletools.commands.simshow.report.pair_origin import Provenance
from shingletools.numbers.exact_ratios import DIGITS
from shingletools.record import wire
from shingletools.running.steps import CommandLine, command_lines, steps_of
from shingletools.system import errors
from shingletools.system.errors import Failed


def origin_of(command: str, date: str) -> Provenance:
    """Returns the recipe, the threshold and k of a pipeline, for the page. Raises Failed.

    >>> origin_of("canon docs.jsonl | shingle -k 7 | sketch | simjoin -t 0.8", "")[2:4]
    ('0.8', 7)
    """
    try:
        lines = command_lines(command)
        steps = steps_of(lines)
    except Failed as error:
        raise Failed(f"--made-by: {error}") from None
    except Printed:
        raise Failed("--made-by: --help and --version cannot be given here") from None
    recipe, threshold, k, removable, least, exact = "", "", None, None, None, False
    for step in steps:
        if of_stage := getattr(step.stage, "recipe", ""):
            recipe = wire.extended_recipe(recipe, of_stage)
        options = step.options
        if step.name == "shingle" and not (options.chars or options.word_chars or options.longest or options.spots):
            k = options.k
        if step.name == "simjoin":
            threshold = threshold_of(options.threshold, options.agreeing, options.distance)
            if options.copies == "once":  # this is for removal only
                removable = True
            elif options.measure == "overlap" or (options.agreeing is not None and not wire.has_step(recipe, "sketch")):
                removable = False
            least = options.threshold
            exact = recipe.endswith(f" | shingle k={k}") and options.measure == "jaccard" and options.weights is None
        if step.name in ("simcheck", "dedup"):  # simcheck says of each pair what may be removed
            removable = True
    canon = next((line.as_text() for line in lines if line.name == "canon"), "")
    exact = exact and canon != ""
    return Provenance(command, recipe, threshold, k, date, removable, canon, least, exact, dedup_words(lines[-1]))


def dedup_words(line: CommandLine) -> list[str]:
    """Returns the arguments of dedup but its pairs; none of another command.

    >>> dedup_words(CommandLine("dedup", ["--pairs", "-", "--keep", "longest", "docs.jsonl"]))
    ['--keep', 'longest', 'docs.jsonl']
    """
    words = [*line.words] if line.name == "dedup" else []
    for option in {"--pairs", "--known"}.intersection(words):
        del words[words.index(option) : words.index(option) + 2]
    return words


def disagreement(origin: Provenance, via: str, k: int, pair: Comparison) -> str:
    """Returns what says that a pair was not made so, "" if nothing does. via: the recipe of its words; k: of simshow.

    Similarities have six decimals, as simjoin writes them.
    """
    if origin.canon and not f"{origin.recipe} | ".startswith(f"{via} | "):
        return f"words made by {errors.shown(via)} cannot become {errors.shown(origin.recipe)}"
    names = f"{errors.shown(pair.a)} {errors.shown(pair.b)}"
    if pair.similarity is None:
        return ""
    similarity, rounding = Fraction(str(pair.similarity)), Fraction(1, 10**DIGITS)
    if origin.least is not None and similarity < origin.least - rounding:
        return f"{names} has a similarity of {pair.similarity}, less than the {origin.threshold} of simjoin"
    if origin.exact and k == origin.k and abs(similarity - pair.jaccard) > rounding:
        return f"{names} would have a similarity of {float(pair.jaccard):.6g}, and has {pair.similarity}"
    return ""


def threshold_of(threshold: Fraction | None, agreeing: int | None, distance: int | None) -> str:
    if agreeing is not None:
        return f"{agreeing} in common"
    if distance is not None:
        return f"{distance} differing bits"
    return "" if threshold is None else f"{float(threshold):g}"
