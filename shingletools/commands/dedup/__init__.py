"""dedup: removes near-duplicates by pairs or groups, and documents that an archive has.

command          the options
spec             the specification
side_input       reads files of pairs, groups or ids
pairs            reads pairs with an archive
neighbours       reads pairs of the input, and decides by them
group_members    reads groups, and decides by them
verdicts         the interface of both
preference       the order in which documents are preferred
values           compares the values of a field
choice           the collector
on_disk          the collector within a limit of memory
restored         the collector of documents of other formats, which are written as they were read
document_reader  reads documents
blocks           documents of several lines, as arrays
cutting          lines of documents, cut into those that are kept and those that are removed
marks            the fields of a removed document that say why
"""
