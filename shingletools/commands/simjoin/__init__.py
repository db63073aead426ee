"""simjoin: sketches become the pairs at or above a threshold. What each file does, in the order of the work:

command         the options
join_options    what makes a pair: threshold, measure, recall
spec            the specification of a join: that, the files and archives, and the memory
join_collector  takes records, runs the join, and writes the pairs: it uses all the others
digit_groups    payloads as groups of hex digits
sketches        sketches as signatures: how they are read, when two are a pair, what a pair says
signatures      what each kind of signature must have; the same for simhashes and sets of shingles
signed_records  what a join takes of each record
comparable      checks that all signatures have one kind and shape; sets the default threshold
store           keeps ids and payloads, in memory or on disk
limits          how much is worked on at once; they do not change the output
factory         makes tables of payloads, after counting what all payloads share
table           what the join compares: rows of components, cut into bands
sets            the same for sets of shingles, and for sketches that propose pairs for sets to decide
weighed_sets    the same for sets whose shingles have weights
counted         finds pairs of sets with enough tokens in common, by counting
stored          a table on disk; only rows that are being compared are in memory
measures        Jaccard, Dice and other similarities, in whole numbers
buckets         finds copies; gathers the rows of each bucket, band by band
split_buckets   cuts buckets with too many rows again
candidates      which rows of a bucket are compared
indexed         finds all pairs with an archive
against         the files and archives of --against as one sequence of documents
join            collapses copies, compares candidates, and gives all pairs
label_filter    tells which pairs --within and --across allow, by numbers of labels
nearest         keeps the pairs of --best
forest          gives only enough pairs to connect what all pairs connect
pair_lines      pairs as lines, here and on Spark
pair_arrays     arrays of pairs, and sorted ones merged
"""
