"""The command line. Imports the kernel and `system`.

options         the parser, and the options that all commands have
argument_types  types of arguments
"""
