"""What shells complete of the commands, made from their parsers by shtab; with --refresh the files are written anew.

They lie in the source tree, not made when the package is built: the parsers need all that the commands need, which a
build does without.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import shtab

from documents import TOP
from harness import parser_of
from shingletools.commands.dedup.spec import FIRST, LONGEST, NONE, SHORTEST
from shingletools.running import overview
from shingletools.text.wordlists import SHIPPED
from suite import LISTERS, PROGRAMS

FOLDER = TOP / "shingletools" / "completions"
NAMES = {"bash": "{}", "zsh": "_{}", "fish": "{}.fish"}
FILES = ("FILE", "PAIRS", "DOCS", "PATH")
FOLDERS = ("DIR",)
LISTS = ("LIST",)  # names of lists of stop words, or files
RULES = (FIRST, LONGEST, SHORTEST, NONE)  # those of dedup that have no argument
COMPLETED = (*PROGRAMS, *LISTERS)

LIST_OR_FILE = {
    "bash": "_shingletools_lists_and_files", "zsh": "_shingletools_lists",
    "fish": f"{' '.join(SHIPPED)} (__fish_complete_path (commandline -ct))",
    "preamble": {
        "bash": f"""
# $1=COMP_WORDS[1]
_shingletools_lists_and_files() {{
  compgen -W "{' '.join(SHIPPED)}" -- "$1"
  compgen -f -- "$1"
}}
""",
        "zsh": f"""
_shingletools_lists() {{
  _alternative "lists:stop words:({' '.join(SHIPPED)})" "files:file:_files"
}}
""",
    },
}  # fmt: skip
# bash parts words at =, which shtab does not know of
BEHIND_EQUALS = """
# completes the argument behind --option=, if that has choices
_shingletools_{0}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" option="${{COMP_WORDS[COMP_CWORD-1]}}" choices
  if [[ "$option" == = ]]; then
    option="${{COMP_WORDS[COMP_CWORD-2]}}"
  elif [[ "$word" == = ]]; then
    word=""
  else
    option=""
  fi
  choices="_shtab_{0}_${{option//[^[:word:]]/_}}_choices[*]"
  if [[ "$option" == --* && -n "${{!choices-}}" ]]; then
    COMPREPLY=($(compgen -W "${{!choices}}" -- "$word"))
  else
    _shtab_{0} "$@"
  fi
}}

complete -o bashdefault -F _shingletools_{0} {0}
"""


def parser_for(command: str) -> argparse.ArgumentParser:
    """The command's, also if it has none itself."""
    if command not in LISTERS:
        return parser_of(command)
    parser = argparse.ArgumentParser(prog=command, description=overview.__doc__, add_help=False)
    short, long, version = overview.OPTIONS
    parser.add_argument(short, long, action="store_true", help="list the commands")
    parser.add_argument(version, action="store_true", help="tell what is installed")
    return parser


def completion(command: str, shell: str) -> str:
    """A script for the shell, which completes options, their choices, files and folders."""
    parser = parser_for(command)
    bare = [action for action in parser._actions if action.nargs == "?"]  # the argument stands behind a =
    action: Any
    for action in parser._actions:
        if action.metavar in (*FILES, *FOLDERS):
            action.complete = shtab.DIRECTORY if action.metavar in FOLDERS else shtab.FILE
        if action.metavar in LISTS:
            action.complete = LIST_OR_FILE
        if action.metavar == "RULE":
            action.choices = RULES
        if action in bare:
            action.nargs = 0
        if action.help == argparse.SUPPRESS and action.metavar in FILES:
            action.help = "the input"
    script = shtab.complete(parser, shell)
    for action in bare:
        script = with_bare(script, shell, action)
    if shell == "bash":
        ending = f"complete -o bashdefault -F _shtab_{command} {command}"
        assert script.count(ending) == 1
        script = script.replace(ending, BEHIND_EQUALS.format(command))
    return "\n".join(line.rstrip() for line in script.split("\n")).rstrip() + "\n"


def with_bare(script: str, shell: str, action: argparse.Action) -> str:
    """A script that completes the argument of an option, too, which may be there behind a =."""
    (option,), choices = action.option_strings, " ".join(map(str, action.choices or ()))
    lines = script.split("\n")
    starts = {"zsh": f'  "{option}[', "fish": f" -l {option[2:]} "}
    if shell not in starts:
        return script
    (place,) = (number for number, line in enumerate(lines) if starts[shell] in line)
    if shell == "zsh":
        line = lines[place].replace(f"{option}[", f"{option}=-[").removesuffix('"')
        lines[place] = f'{line}::{action.metavar}:({choices})"'
    else:
        lines[place] = lines[place].replace(starts[shell], f'{starts[shell]}-a "{choices}" ')
    return "\n".join(lines)


def scripts() -> dict[Path, str]:
    """Each file, and what it should hold."""
    return {
        FOLDER / shell / name.format(command): completion(command, shell)
        for shell, name in NAMES.items()
        for command in COMPLETED
    }


if __name__ == "__main__" and sys.argv[1:] == ["--refresh"]:
    for path, script in scripts().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script, "utf-8")
