"""simtune: recommends a pipeline from a sample of documents. Its modules, in the order of the work:

command         the options
spec            the specification
tune_collector  takes labels, then documents; uses all the others
labels          the truth about documents and pairs, and two halves of the sample
sample          the documents of the sample, and what they represent
forms           ways to make shingles and measures, as values and as options
shingle_sets    the distinct sets of shingles of a sample
similarities    the similarities of sets with all others, as far as a bound allows
null_model      estimates how many pairs there would be without copies
form_result     what a form finds, how much of it chance would find, and how labels judge it
choice          chooses a form and a threshold
findings        the findings and the pipeline, as records or as a table
"""
