"""canon --offsets as a function, for modules that need the places of words."""

import shlex

from shingletools.cli.options import Printed, make_parser
from shingletools.reading.formats import format_options
from shingletools.record.command_registry import command_of
from shingletools.record.stage import Command, Filter
from shingletools.system import errors
from shingletools.system.errors import Failed

REFUSED_OPTIONS = tuple(  # options that are not about words
    "id text offsets jobs output rejects strict progress verbose explain whole lines number all_messages recursive "
    "csv tsv array ris parquet warc delimiter no_header files0_from include exclude".split()
)


def canonizing(options: str) -> Filter:
    """Returns canon --offsets with these options as a filter, whose function makes a wire.Placed of a text.

    options: as a shell would take them, or all of a command that begins with `canon`, of which files and how they are
    read do not count, except that --recursive and --warc have HTML. Places are then those in the text of the page.
    Raises Failed, without the word canon also for such options. The function may raise Rejected.

    >>> canonizing("--stop en").function("The Cat"), canonizing("canon --csv docs.csv --html").function("<b>A</b>")
    (Placed(words='cat', at='4-7', source='The Cat'), Placed(words='a', at='0-1', source='A'))
    """
    command: Command = command_of("canon")
    try:
        argv = shlex.split(options)
    except ValueError as error:
        raise Failed(f"canon: {str(error).lower()}") from None
    parser = make_parser("canon", command.__doc__ or "", command.add_options)
    command_line = argv[:1] == ["canon"]
    try:
        parsed = parser.parse(argv[command_line:])
    except Printed:
        raise Failed("canon: --help and --version cannot be given here") from None
    if command_line:
        reset = [option for option in REFUSED_OPTIONS if option not in format_options.HTML_FORMATS]
        vars(parsed).update({option: parser.get_default(option) for option in reset}, files=["-"])
    if parsed.files != ["-"]:
        raise Failed(f"canon: no file can be given here: {errors.printable(parsed.files[0])}")
    for option in () if command_line else REFUSED_OPTIONS:
        if getattr(parsed, option) != parser.get_default(option):
            raise Failed(f"canon: --{option.replace('_', '-')} cannot be given here")
    parsed.offsets = True
    stage = command.build(parsed).record_by_record
    assert stage is not None
    stage.check_fields(parsed.id)
    return stage
