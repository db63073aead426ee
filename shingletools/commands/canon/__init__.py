"""canon: documents become canonical words.

command     the options
canonizer   the rules in their order
placed      the same words with the places that they come from
letters     where folded letters come from
origins     where texts that rules made come from
rules       what a rule is, and small ones

On texts:

patterns    rules of one's own
html        a page's text
extracted   a page's text for people
confined    a parser that may be ended
article     another library's guess at the main text
markup      where a page's text stands in it
tokens      what a page consists of
foreign     what a browser reads by other rules
references  characters that pages spell by names and numbers
folding     letters that become others
repertoire  the characters that there are
variants    letters that are typed in several ways
homoglyphs  letters of another script that look alike
hyphens     words that a hyphen parts at a line's end

On words:

words       what a word is
chinese     words of texts without spaces
stopwords   words that are left out
adjectives  adjectives that are left out
lemmas      dictionary forms
russian     dictionary forms of Russian
stems       what is left of a word without its endings
"""
