"""Reads the pipeline of --made-by, as run does."""

from fractions import Fraction

from shingletools.cli.options import Printed
from shingletools.commands.simshow.report.pair_origin import Provenance
from shingletools.record import wire
from shingletools.running.pipeline_parser import steps_of
from shingletools.system.errors import Failed


def origin_of(command: str, date: str) -> Provenance:
    """Returns the recipe, the threshold and k of a pipeline, for the page. Raises Failed.

    >>> origin_of("canon docs.jsonl | shingle -k 7 | sketch | simjoin -t 0.8", "")[2:4]
    ('0.8', 7)
    """
    try:
        steps = steps_of(command)
    except Failed as error:
        raise Failed(f"--made-by: {error}") from None
    except Printed:
        raise Failed("--made-by: --help and --version cannot be given here") from None
    recipe, threshold, k, removable = "", "", None, True
    for step in steps:
        if made := getattr(step.stage, "recipe", ""):
            recipe = wire.extended_recipe(recipe, made)
        options = step.options
        if step.name == "shingle" and not (options.chars or options.word_chars or options.longest or options.spots):
            k = options.k
        if step.name == "simjoin":
            threshold = threshold_of(options.threshold, options.agreeing, options.distance)
            removable = options.agreeing is None or wire.has_step(recipe, "sketch")
    return Provenance(command, recipe, threshold, k, date, removable)


def threshold_of(threshold: Fraction | None, agreeing: int | None, distance: int | None) -> str:
    if agreeing is not None:
        return f"{agreeing} in common"
    if distance is not None:
        return f"{distance} differing bits"
    return "" if threshold is None else f"{float(threshold):g}"
