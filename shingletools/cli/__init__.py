"""What a command line needs. Imports the kernel and `system`.

options    the parser, and the options that every command has
arguments  what options take

`completions/` has what bash, zsh and fish complete: a script for each shell, and a table of all options, which
`tests/completions.py` makes from the parsers. It is kept here because the parsers need what the commands need, and a
build does not have that. `installing.py` puts each command's rows into the scripts.
"""
