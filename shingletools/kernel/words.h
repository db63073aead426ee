/* Words of texts, and the memo through which they are made. */

#ifndef SHINGLETOOLS_WORDS_H
#define SHINGLETOOLS_WORDS_H

#include "splice.h"

/* Places of words, each followed by a blank. A code point's number is its distance in bytes from an origin, which each
   character of several bytes moves forward. */
typedef struct {
    Bytes out;
    const uint8_t *origin, *seen; /* the origin holds for places up to `seen` */
    size_t hundreds;              /* the hundreds whose digits are stored */
    size_t digits_size;
    uint8_t digits[24];
} Places;

typedef struct {
    uint8_t kind, size;
    uint8_t bytes[6];
} Character;

typedef struct {
    Memo memo;
    PyObject *wherever;    /* gives what a character becomes in any token; or NULL */
    Character *characters; /* of the basic plane, as they become known */
    int alone;             /* whether ideographs and kana letters are tokens of their own */
} WordMemo;

/* Adds the words of a text; with places, a line feed and these, too. -1 with an exception. */
int add_words(WordMemo *self, const uint8_t *text, size_t size, Bytes *out, Places *places);

#endif
