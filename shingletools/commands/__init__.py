"""A room for each command: `command` has its options, `spec` the specification, unless the command is a filter.

The other modules of a room are the algorithms that only this command uses. A room imports no other room. The exception
is `simindex`, which uses `simjoin`, because adding unless known is a join.
"""
