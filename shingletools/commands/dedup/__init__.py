"""dedup: documents of which no two are a pair, or one of each group, or none that an archive has.

command          the options
spec             what is wanted
side_input       reads files of records that decide
pairs            reads pairs with an archive
neighbours       reads pairs of the input, and decides by them
group_members    reads groups, and decides by them
verdicts         what both have in common
preference       the order in which documents are preferred
values           values of a field
choice           the collector
on_disk          the collector in a limit of memory
restored         the collector of documents of other formats, which are written as they were read
document_reader  reads documents
blocks           documents of several lines, as arrays
cutting          lines of documents, cut into those that are kept and those that are removed
marks            what is said of documents that are removed
"""
