"""canon: documents become canonical words.

command    the options
canonizer  the rules in their order
placed     canonical words with their places in the original
letters    the origins of folded letters
origins    the origins of texts that rules made
rules      the type of rules, and short rules

On texts:

patterns    the user's regular expressions
html        the text of a page
extracted   the text of a page for people
confined    a process with limits on time and memory
article     the article in a page, by Resiliparse
markup      the places of a page's text in its source
tokens      the tokens of a page
foreign     SVG and MathML, which have other rules
references  character references, such as &amp;
folding     case, compatibility forms, invisible characters
repertoire  the characters of Unicode 14.0
variants    letters that are typed in several ways
homoglyphs  letters of another script that look alike
hyphens     words that a hyphen divides at the end of a line

On words:

words       cuts a text into words
chinese     words of texts without spaces
stopwords   drops stop words
adjectives  drops adjectives
lemmas      dictionary forms
russian     dictionary forms of Russian
stems       Snowball's stems
"""
