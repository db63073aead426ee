"""dedup: removes near-duplicates by pairs or groups, and documents that an archive has.

command                 the options
spec                    the specification
side_input              reads files of pairs, groups or ids
pair_input              reads pairs
archive_pairs           reads which documents an archive has
decisions_by_pairs      reads pairs of the input, and decides by them
decisions_by_groups     reads groups, and decides by them
preference              the order in which documents are preferred
value_order             compares the values of a field
dedup_collector         the collector
rewritten_files         the collector of documents of other formats, which are written as they were read
documents               the documents of a batch, as arrays: ids, and the fields that dedup needs
duplicate_marks         the fields of a removed document that say why; kept and removed lines
"""
