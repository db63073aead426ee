"""The pipeline as a line for the shell."""

import shlex
from collections.abc import Sequence

from shingletools.cli.argument_types import quoted
from shingletools.commands.simtune.forms import SignatureForm
from shingletools.commands.simtune.settings import Setting, option
from shingletools.commands.simtune.spec import TuneSpec

FILE = "simtune.canon"  # canonized documents, which are read twice
OTHER = "simtune.other"  # canonized documents of --against
BOTH = "simtune.both"  # shingles of both, which are counted together
OWN = "simtune.own"  # sketches or shingles of the input
AGAINST = "simtune.against"  # sketches or shingles of --against


def pipeline(spec: TuneSpec, setting: Setting, options: Sequence[str], form: SignatureForm | None) -> str:
    """Returns a line for the shell, which reads the records that simtune read. It overwrites no file."""
    name = [] if spec.id_field == "id" else [option("--id", spec.id_field)]
    text = [] if spec.text_field == "text" else [option("--text", quoted(spec.text_field))]
    canon = [["canon", *name, *text, setting.way.rules]] if setting.way.rules else []
    plain = ["shingle", *name, *text, setting.way.units.options]
    shingle = ["shingle", *name, *text, setting.shingle]
    sketch = [[form.name.replace("sketch", " ".join(["sketch", *name]), 1)]] if form else []
    join = ["simjoin", *name, setting.join, *options]
    keep = f"{joined(canon or [['cat']])} > {FILE}"
    if not spec.others:
        if setting.most is None:
            return joined([*canon, shingle, *sketch, join])
        return f"(set -C; {keep}) && {joined([[*shingle, FILE], *sketch, join])}"
    join += ["--against", AGAINST]
    others = [shlex.quote(f"./{path}" if path.startswith("-") else path) for path in spec.others]
    first, *more = [*canon, shingle]
    if setting.most is None:
        made = joined([[*first, *others], *more, *sketch])
        return f"(set -C; {made} > {AGAINST}) && {joined([*canon, shingle, *sketch, join])}"
    kept = [keep]
    if canon:
        kept.append(f"{joined([[*canon[0], *others]])} > {OTHER}")
        others = [OTHER]
    kept += [
        f"{joined([[*shingle, FILE, *others]])} > {BOTH}",
        f"n=$({joined([[*plain, FILE], ['wc -l']])})",
        f"{joined([['head -n $n', BOTH], *sketch])} > {OWN}",
        f"{joined([['tail -n +$((n + 1))', BOTH], *sketch])} > {AGAINST}",
    ]
    return f"(set -C; {' && '.join(kept)}) && {joined([[*join, OWN]])}"


def joined(stages: Sequence[Sequence[str]]) -> str:
    return " | ".join(" ".join(filter(None, stage)) for stage in stages)
