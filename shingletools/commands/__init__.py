"""A room for each command: `command` has its options, `spec` what is wanted, where that is more than a filter.

The other modules of a room are the algorithms that only this command uses. A room imports no other room. The exception
is `simindex`, which asks `simjoin`, because adding unless known is a join.
"""
