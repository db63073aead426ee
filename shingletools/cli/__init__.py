"""The command line. Imports the kernel and `system`.

options         the parser, and the options that all commands have
argument_types  types of arguments

`completions/` has the scripts for bash, zsh and fish, and a table of all options, which `tests/completions.py` makes
from the parsers: a build does not have the packages that the parsers need. `installing.py` puts each command's rows
into the scripts.
"""
