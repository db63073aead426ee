/* A memo is a table of lines of 64 bytes. A key can stand in one of two lines, which its hash gives, and replaces what
   stands there. So memory is fixed, and a flood of keys costs one miss for each:

       byte 0 to 3    some bits of the key's hash
       byte 4         bytes of the key; 0 in an empty line
       byte 5         bytes of the value; SAME if it is the key
       byte 6 to 63   the key, then the value

   Texts are UTF-8, and are worked on in tokens: runs without white space.
*/

#ifndef SHINGLETOOLS_MEMO_H
#define SHINGLETOOLS_MEMO_H

#include "kernel.h"
#include <stdlib.h>

enum {
    FIRST_BITS = 12, /* of the first number of pairs of lines: 0.5 MB, which stay in the cache */
    MORE_BITS = 1,   /* by which it grows after as many keys as it has lines */
    MOST_BITS = 17,  /* of the last number: 16 MB */
    INSIDE = 58,    /* bytes of a key and its value */
    SAME = 255,
    AHEAD = 16, /* keys whose lines are fetched together, since each may be far away in memory */
};

typedef struct {
    uint32_t tag;
    uint8_t key_size, value_size;
    uint8_t bytes[INSIDE];
} Line;

typedef struct {
    PyObject_HEAD
    PyObject *function; /* gives the value of a string */
    Line *lines;
    int bits;           /* of the number of pairs of lines */
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
    for (; place < end; place++)
        if (BLANK[*place] && (blank(place) || (alone && place > *at && is_alone(place))))
            break;
    return place;
}

static inline uint64_t load_8(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, 8);
    return value;
}

static inline uint64_t load_4(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}

static inline uint64_t hash(const uint8_t *key, size_t size)
{
    uint64_t h = size * ROLL;
    for (; size > 8; key += 8, size -= 8)
        h = (h ^ load_8(key)) * FINISH, h ^= h >> 32;
    /* The last bytes, without a function call for each size */
    uint64_t last;
    if (size == 8)
        last = load_8(key);
    else if (size >= 4)
        last = load_4(key) | load_4(key + size - 4) << 32;
    else
        last = key[0] | (uint64_t)key[size / 2] << 8 | (uint64_t)key[size - 1] << 16;
    h = (h ^ last) * FINISH;
    return (h ^ h >> 32) * ROLL; /* the highest bits depend on all of the key */
}

/* Whether two keys of one size, 1 to INSIDE, are equal; calling memcmp would cost as much as all else. */
static inline int is_same(const uint8_t *one, const uint8_t *two, size_t size)
{
    if (size < 4)
        return one[0] == two[0] && one[size / 2] == two[size / 2] && one[size - 1] == two[size - 1];
    if (size < 8)
        return load_4(one) == load_4(two) && load_4(one + size - 4) == load_4(two + size - 4);
    for (size_t i = 0; i + 8 < size; i += 8)
        if (load_8(one + i) != load_8(two + i))
            return 0;
    return load_8(one + size - 8) == load_8(two + size - 8);
}

static inline int is_key(const Line *line, uint32_t tag, const uint8_t *key, size_t size)
{
    return line->tag == tag && line->key_size == size && is_same(line->bytes, key, size);
}

static inline Line *pair_of(const Memo *memo, uint64_t h)
{
    return memo->lines + 2 * (h >> (64 - memo->bits));
}

/* The line that has the key, or NULL. */
static inline const Line *find(const Memo *memo, uint64_t h, const uint8_t *key, size_t size)
{
    const Line *pair = pair_of(memo, h);
    uint32_t tag = (uint32_t)(h >> 16);
    if (is_key(pair, tag, key, size))
        return pair;
    return is_key(pair + 1, tag, key, size) ? pair + 1 : NULL;
}

static inline const uint8_t *value_of(const Line *line, size_t *size)
{
    int same = line->value_size == SAME;
    *size = same ? line->key_size : line->value_size;
    return same ? line->bytes : line->bytes + line->key_size;
}

/* A new key goes to the first line, and what was there to the second, so the older key of the pair is lost. */
static inline void keep(Memo *memo, uint64_t h, const uint8_t *key, size_t size, const void *value, size_t value_size)
{
    int same = size == value_size && !memcmp(key, value, size);
    if (size + (same ? 0 : value_size) > INSIDE)
        return;
    if (++memo->kept >> (memo->bits + 1) && memo->bits < MOST_BITS)
        widen(memo);
    Line *pair = pair_of(memo, h);
    pair[1] = pair[0];
    pair->tag = (uint32_t)(h >> 16);
    pair->key_size = (uint8_t)size;
    pair->value_size = same ? SAME : (uint8_t)value_size;
    memcpy(pair->bytes, key, size);
    if (!same)
        memcpy(pair->bytes + size, value, value_size);
}

/* A token, and its hash if it fits in a line. */
typedef struct {
    const uint8_t *at;
    size_t size;
    uint64_t hash;
} Token;

/* The token from `at` to `stop`. If it fits in a line, with a value of so many bytes, the line is fetched meanwhile. */
static inline Token token_of(const Memo *memo, const uint8_t *at, const uint8_t *stop, size_t value)
{
    Token token = {at, (size_t)(stop - at), 0};
    if (token.size + value <= INSIDE) {
        token.hash = hash(at, token.size);
        const Line *pair = pair_of(memo, token.hash);
        PREFETCH(pair);
        PREFETCH(pair + 1);
    }
    return token;
}

#endif
