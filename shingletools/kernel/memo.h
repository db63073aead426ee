/* A memo is a table of lines of 64 bytes. A line, which the key's hash gives, has two short keys or a long one, and a new
   key replaces what has been there longest. So memory is fixed, and a flood of keys costs one miss for each:

       byte 0 and 1   bytes of the first key and of the second; 0 if there is none
       byte 2 and 3   bytes of their values; SAME if it is the key
       byte 4 to 33   the first key, then its value; a long key and its value go on to byte 63
       byte 34 to 63  the second key, then its value

   Texts are UTF-8, and are worked on in tokens: runs without white space.
*/

#ifndef SHINGLETOOLS_MEMO_H
#define SHINGLETOOLS_MEMO_H

#include "kernel.h"
#include <stdlib.h>

enum {
    FIRST_BITS = 12, /* of the first number of lines: 256 KB, which stay in the cache */
    MORE_BITS = 1,   /* by which it grows after as many keys as it has room for */
    MOST_BITS = 17,  /* of the last number: 8 MB */
    HALF = 30,       /* bytes of a short key and its value */
    INSIDE = 60,     /* of a long one */
    BEGINNING = 16,  /* bytes of a key that are compared at once */
    SAME = 255,
    AHEAD = 32, /* keys whose lines are fetched together, since each may be far away in memory */
};

typedef struct {
    uint8_t key_size[2], value_size[2];
    uint8_t bytes[INSIDE];
} Line;

typedef struct {
    PyObject_HEAD
    PyObject *function; /* gives the value of a string */
    Line *lines;
    int bits;           /* of the number of lines */
    size_t kept;        /* keys that were kept since the table has this size */
} Memo; /* the first member of all types of memos */

PyObject *new_memo(PyTypeObject *type, PyObject *function);
int traverse_memo(PyObject *self, visitproc visit, void *arg);
int clear_memo(PyObject *self);
void free_memo(PyObject *self);

/* Doubles the table, if there is memory. */
void widen(Memo *memo);

/* The function's value for a key: a new reference. */
PyObject *ask(PyObject *function, const uint8_t *key, size_t size);

/* Bytes that can grow, with or without Python's lock; free() frees them. */
typedef struct {
    uint8_t *data;
    size_t used, room;
} Bytes;

int enlarge(Bytes *bytes, size_t more);

/* Makes room for `more` bytes; -1 with an exception if there is no memory. */
static inline int grow(Bytes *bytes, size_t more)
{
    return bytes->room - bytes->used >= more ? 0 : enlarge(bytes, more);
}

/* 1: white space of one byte; 2, 3: the first byte of a longer character that may be white space; 3, 4: of one that may
   be a word of its own */
static const uint8_t BLANK[256] = {
    [0x09] = 1, [0x0A] = 1, [0x0B] = 1, [0x0C] = 1, [0x0D] = 1, [0x1C] = 1, [0x1D] = 1, [0x1E] = 1, [0x1F] = 1,
    [0x20] = 1, [0xC2] = 2, [0xE1] = 3, [0xE2] = 3, [0xE3] = 3, [0xE4] = 4, [0xE5] = 4, [0xE6] = 4, [0xE7] = 4,
    [0xE8] = 4, [0xE9] = 4,
};

/* The bytes of the white-space character that begins here, as str.split defines it; 0 if none does. A zero or a quote
   ends a text. */
static inline size_t blank(const uint8_t *at)
{
    switch (BLANK[*at]) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return at[1] == 0x85 || at[1] == 0xA0 ? 2 : 0;
    case 4:
        return 0;
    }
    uint32_t code = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
    return code == 0xE19A80 || (code >= 0xE28080 && code <= 0xE2808A) || code == 0xE280A8 || code == 0xE280A9 ||
                   code == 0xE280AF || code == 0xE2819F || code == 0xE38080
               ? 3
               : 0;
}

static inline uint64_t load_8(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, 8);
    return value;
}

/* 0 if none of eight bytes can begin white space. If one can, higher bytes than the lowest such one may be marked, too. */
static inline uint64_t blanks_in(uint64_t eight)
{
    const uint64_t two = eight ^ EACH(0xC2), three = (eight & EACH(0xFC)) ^ EACH(0xE0);
    return (((eight - EACH(0x21)) & ~eight) | ((two - EACH(1)) & ~two) | ((three - EACH(1)) & ~three)) & EACH(0x80);
}

/* Whether an ideograph (U+4E00 to U+9FFF) or a kana letter (U+3041 to U+3096, U+30A1 to U+30FA) begins here. */
static inline int is_alone(const uint8_t *at)
{
    if (at[0] < 0xE3 || at[0] > 0xE9)
        return 0;
    uint32_t code = (uint32_t)(at[0] & 15) << 12 | (uint32_t)(at[1] & 63) << 6 | (at[2] & 63);
    return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3041 && code <= 0x3096) ||
           (code >= 0x30A1 && code <= 0x30FA);
}

/* The next token: from *at to the return value, which is equal if there is none. With `alone`, a token also ends before
   a character that is a word of its own. */
static inline const uint8_t *next_token(const uint8_t **at, const uint8_t *end, int alone)
{
    const uint8_t *place = *at;
    size_t size;
    while (place < end && (size = blank(place)))
        place += size;
    *at = place;
    for (;; place++) {
        for (uint64_t marks = 0; !alone && !marks && end - place >= 8; place += marks ? BYTES_BELOW(marks) : 8)
            marks = blanks_in(first_low(load_8(place)));
        if (place == end || (BLANK[*place] && (blank(place) || (alone && place > *at && is_alone(place)))))
            return place;
    }
}

/* A token, and what finds it in a memo: its beginning, zeros behind, and its hash. */
typedef struct {
    const uint8_t *at;
    size_t size;
    uint64_t first[BEGINNING / 8], hash;
} Token;

/* Eight bytes that are ones in the first `size` bytes from a place on, which is 0 or 8. */
static inline uint64_t ones(size_t size, size_t place)
{
    static const uint8_t ONES[2 * BEGINNING] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                255, 255, 255, 255, 255, 255, 255, 255};
    return load_8(ONES + BEGINNING + place - (size < BEGINNING ? size : BEGINNING));
}

/* The token from `at` to `stop` of a text. */
static inline Token token_of(const uint8_t *at, const uint8_t *stop, const uint8_t *end)
{
    Token token = {.at = at, .size = (size_t)(stop - at)};
    uint8_t copy[BEGINNING] = {0};
    if (end - at < BEGINNING)
        at = memcpy(copy, at, token.size);
    uint64_t h = token.size * ROLL;
    for (size_t i = 0; i < BEGINNING; i += 8) {
        token.first[i / 8] = load_8(at + i) & ones(token.size, i);
        h = (h ^ token.first[i / 8]) * FINISH, h ^= h >> 32;
    }
    for (size_t i = BEGINNING; i < token.size && token.size <= INSIDE; i += 8)
        h = (h ^ load_8(token.at + (i + 8 < token.size ? i : token.size - 8))) * FINISH, h ^= h >> 32;
    token.hash = h * ROLL; /* the highest bits depend on all of the key */
    return token;
}

static inline Line *line_of(const Memo *memo, const Token *key)
{
    return memo->lines + (key->hash >> (64 - memo->bits));
}

static inline int is_key(const Line *line, int second, const Token *key)
{
    const uint8_t *bytes = line->bytes + HALF * second;
    uint64_t differences = line->key_size[second] ^ key->size;
    for (size_t i = 0; i < BEGINNING; i += 8)
        differences |= (load_8(bytes + i) ^ key->first[i / 8]) & ones(key->size, i);
    return !differences &&
           (key->size <= BEGINNING || !memcmp(bytes + BEGINNING, key->at + BEGINNING, key->size - BEGINNING));
}

/* The value of a key of at most INSIDE bytes, or NULL. */
static inline const uint8_t *find(const Memo *memo, const Token *key, size_t *size)
{
    const Line *line = line_of(memo, key);
    const int second = is_key(line, 1, key);
    if (!(is_key(line, 0, key) | second))
        return NULL;
    const int same = line->value_size[second] == SAME;
    *size = same ? key->size : line->value_size[second];
    return line->bytes + HALF * second + (same ? 0 : key->size);
}

/* Takes up to AHEAD tokens from *at on, and has their lines fetched meanwhile; returns their number. */
static inline int take_tokens(const Memo *memo, const uint8_t **at, const uint8_t *end, int alone, Token *tokens)
{
    int count = 0;
    for (const uint8_t *stop; count < AHEAD && (stop = next_token(at, end, alone)) > *at; *at = stop) {
        tokens[count] = token_of(*at, stop, end);
        PREFETCH(line_of(memo, &tokens[count]));
        count++;
    }
    return count;
}

/* Bytes of a key and its value. */
static inline size_t bytes_of_both(size_t key_size, size_t value_size)
{
    return key_size + (value_size == SAME ? 0 : value_size);
}

/* Makes room for a key and its value at the beginning of a line. If both are short, what was there becomes second. */
static inline uint8_t *put_first(Line *line, uint8_t key_size, uint8_t value_size)
{
    const int short_ones = bytes_of_both(key_size, value_size) <= HALF &&
                           bytes_of_both(line->key_size[0], line->value_size[0]) <= HALF;
    memcpy(line->bytes + HALF, line->bytes, HALF);
    line->key_size[1] = short_ones ? line->key_size[0] : 0;
    line->value_size[1] = line->value_size[0];
    line->key_size[0] = key_size;
    line->value_size[0] = value_size;
    return line->bytes;
}

/* Keeps the value of a key, if both fit in a line. */
static inline void keep(Memo *memo, const Token *key, const void *value, size_t value_size)
{
    const int same = key->size == value_size && !memcmp(key->at, value, value_size);
    if (key->size + (same ? 0 : value_size) > INSIDE)
        return;
    if (++memo->kept >> (memo->bits + 1) && memo->bits < MOST_BITS)
        widen(memo);
    uint8_t *to = put_first(line_of(memo, key), (uint8_t)key->size, same ? SAME : (uint8_t)value_size);
    memcpy(to, key->at, key->size);
    if (!same)
        memcpy(to + key->size, value, value_size);
}

#endif
