"""simjoin: sketches into the pairs at or above a threshold. What each file does, in the order of the work:

command     options become what is wanted
wanted      what makes a pair: threshold, measure, recall
spec        what is wanted of a join, beside that: of which documents, and with how much memory
collector   takes records one by one, lets them be joined, and writes the pairs: here all comes together
signatures  the kinds of signatures: how they are read, in how much two must agree, what a pair says of it
comparable  whether all signatures are of one kind and shape; the threshold where none is said
store       keeps ids and payloads, in memory or on disk
limits      of how much is worked on at once, whatever comes out
memory      a limit of memory; arrays on disk
sorter      entries of keys and values, sorted and looked up, in memory or on disk
factory     makes tables of payloads, once what all have in common has been counted
table       what the join compares: rows of components; into how many bands they are cut
sets        the same for sets of shingles; and for sketches that propose what sets decide
counted     pairs of sets with so many in common, by counting
stored      a table on disk, of which those rows are loaded that are being compared
measures    what Jaccard, Dice and other similarities mean in whole numbers
buckets     finds copies; brings the rows of each bucket together, band by band
finer       cuts buckets with too many rows again
candidates  which rows of a bucket are compared
indexed     all pairs with an archive on disk
against     files and archives of --against as one sequence of documents
join        collapses copies, compares candidates, and gives all pairs
forest      gives only enough pairs to connect what all would connect
pair_lines  pairs as lines, here and on Spark
pairs       arrays of pairs
interval    how far an estimate may be off
"""
