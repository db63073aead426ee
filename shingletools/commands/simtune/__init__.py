"""simtune: recommends a pipeline from a sample of documents. Its modules, in the order of the work:

command         the options
spec            the specification
tune_collector  takes labels, then documents; uses all the others
sample          the documents of the sample
label_scores    the truth about documents and pairs, and two halves of the sample
shingled        the distinct sets of shingles of a sample
compared        the pairs of sets that are compared, and their similarity
counting        counts pairs by bins of their exact similarity, as far as a bound allows
settings        settings of a pipeline: words, shingles, limit, measure and threshold
confidence      scores of settings by labels, with confidence intervals
search          the best setting by the labels of one half
evidence        the sample, its judgement and its measurements
forms           signatures: which pairs each finds, and its cost
measured        the figures of one setting
guessed         what a rule chooses: a setting, its figures, and the reasons
run_rules       the rules for long texts
partners        estimates a threshold from nearest documents
short_rules     the rules for short texts
guess           tries the rules one after the other
advice          chooses shingles or sketches for the join
wording         the pipeline as a line for the shell
findings        the findings on the sample
finding_tables  findings as records or as a table
"""
