"""simtune: what a sample of documents says of a pipeline. What each file does, in the order of the work:

command          options become what is wanted
spec             what is wanted
tune_collector   takes labels, and documents: here all comes together
sample           which documents are in the sample
judged           which documents belong together, which pairs are judged, and two halves
shingled         a sample's sets of shingles, equal ones once
compared         which pairs of sets are compared, and how similar they are
counting         exact similarities of all pairs of sets, as far as a bound allows, by bins
settings         what a pipeline may be: words, shingles, limit, measure and threshold
sureness         how good settings are by labels, and how sure that is
search           the best setting by the labels of one half
evidence         a sample and what is true of it, to be measured
forms            signatures: what each finds and misses of pairs, and what it costs
measured         all figures of one setting
guessed          what rules say: a setting, its figures, and why
run_rules        the rules for texts of many words
partners         what the nearest documents of each one say of a threshold
short_rules      the rules for texts of few words
guess            the rules without labels, one after the other
advice           what compares: shingles or sketches
wording          the pipeline, as the shell takes it
findings         what is written of the figures
finding_tables   findings as records or as a table
"""
