"""The field names given to a command once, which its records then carry to later commands."""

import contextlib
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from shingletools.record import wire
from shingletools.record.wire import field_after
from shingletools.system.errors import Rejected

if TYPE_CHECKING:
    import argparse


class Names(NamedTuple):
    """The fields that hold a record's id and its text or words."""

    id: str = "id"
    text: str = "text"

    def spelled(self) -> str:
        """Returns the value of the field `named`: the options that say these names.

        >>> Names("Nr", "the body").spelled()
        "--id Nr --text 'the body'"
        """
        return shlex.join(["--id", self.id, "--text", self.text])


DEFAULT_NAMES = Names()


def all_names(options: "argparse.Namespace") -> Names:
    """Returns the names that the options of a command set for its input."""
    text = vars(options).get("text", "text")
    return Names(options.id, text if isinstance(text, str) else field_after(text))


def names_of(options: "argparse.Namespace", files: Sequence[str]) -> Names:
    """Returns the names in files of another side than the input's: see steps.names_of_side."""
    found: Names = all_names(options) if options.names_of is None or not files else options.names_of(files)
    return found


def names_in_value(value: object) -> Names:
    """Returns the names in a value of the field `named`; the default names if it is any other value.

    >>> names_in_value("--id Nr --text 'the body'"), names_in_value("Anna")
    (Names(id='Nr', text='the body'), Names(id='id', text='text'))
    """
    if isinstance(value, str) and value.startswith("--id "):
        with contextlib.suppress(ValueError):
            match shlex.split(value):
                case ["--id", id_field, "--text", text_field]:
                    return Names(id_field, text_field)
    return DEFAULT_NAMES


def names_on_line(line: bytes) -> Names:
    """Returns the names that the record on a line carries; the default names if there are none.

    >>> names_on_line(b'{"Nr":1,"text":"a","named":"--id Nr --text text"}').id
    'Nr'
    """
    if b'"named"' in line:
        with contextlib.suppress(Rejected):
            return names_in_value(wire.parse_json(line.partition(b"\n")[0]).get(wire.NAMED))
    return DEFAULT_NAMES
