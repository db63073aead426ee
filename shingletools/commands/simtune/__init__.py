"""simtune: what a sample of documents says of k, n and t. What each file does, in the order of the work:

command         options become what is wanted
spec            what is wanted
tune_collector  takes documents, and labels: here all comes together
sample          which documents are in the sample
shingled        a sample's sets of shingles, equal ones once
judged          which documents of a sample belong together
counting        exact similarities of all pairs of sets, as far as a bound allows, by bins
forms           signatures: what each finds and misses of such pairs, and what it costs
measured        all figures of one way to make shingles
wording         shares, thresholds and pipelines, as texts
advice          the rules: figures become a pipeline, with its reasons
evidence        a sample and what is true of it, to be measured
findings        what is written of the figures
finding_tables  findings as records or as a table
"""
