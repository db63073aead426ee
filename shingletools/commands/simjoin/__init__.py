"""simjoin: finds the pairs of signatures at or above a threshold. What each file does, in the order of the work:

command         the options
join_options    what makes a pair: threshold, measure, recall
spec            the specification of a join: join_options, the files and archives, and the memory
join_collector  takes records, runs the join, and writes the pairs: uses all the others
signature       what a kind of signature is; payloads as groups of hex digits
sketches        sketches as signatures
signatures      simhashes and sets of shingles as signatures, and the list of all kinds
signed_records  reads the records that a join takes
comparable      checks that all signatures have one kind and shape; sets the default threshold
store           keeps ids and payloads, in memory or on disk
limits          how much is worked on at once; does not change the output
factory         makes tables of payloads, after counting what all payloads share
table           the table that the join compares: rows of components, cut into bands
sets            tables of sets of shingles, and of sketches that propose pairs for sets to decide
weighed_sets    tables of sets whose shingles have weights
stored          a table on disk; only rows that are being compared are in memory
measures        Jaccard, Dice and other similarities, in whole numbers
buckets         finds copies; gathers the rows of each bucket, band by band
split_buckets   splits buckets with too many rows
candidates      which rows of a bucket are compared
indexed         finds all pairs with an archive
against         the files and archives of --against as one sequence of documents
join            collapses copies, compares candidates, and finds the pairs of originals
found_pairs     the pairs of documents, from those of originals and their copies
label_filter    the pairs that --within and --across allow
nearest         keeps the pairs of --best
forest          gives only enough pairs to connect what all pairs connect
pair_lines      writes the lines of pairs, here and on Spark
pair_arrays     arrays of pairs, and sorted ones merged
"""
