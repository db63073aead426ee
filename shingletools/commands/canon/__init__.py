"""canon: documents become canonical words.

command               the options
rule_choice           the rules that the options choose
canonizer             the rules in their order
placed_words          canonical words with their places in the original
folding_origins       the origins of folded letters
character_origins     the origins of texts that rules made
rules                 the type of rules, and rules on numbers

On texts:

user_patterns         the user's regular expressions
html                  the text of a page
readable_text         the text of a page for people
limited_process       a process with limits on time and memory
article_extraction    the article in a page, by Resiliparse
folding               case, compatibility forms, invisible characters, accents
known_characters      the characters of Unicode 14.0
letter_variants       letters that are typed in several ways
homoglyphs            letters of another script that look alike
hyphens               words that a hyphen divides at the end of a line

On words:

word_splitting        cuts a text into words
chinese_words         words of texts without spaces
stopwords             drops stop words
adjective_dropping    drops adjectives
lemmas                dictionary forms
russian_lemmas        dictionary forms of Russian
telling_signs         signs that change what is meant, as words
stems                 Snowball's stems
"""
