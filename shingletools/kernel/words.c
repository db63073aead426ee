/* Turns texts into words: character by character if the characters are known, else token by token through a memo.

   A caller that wants places passes `Places`, others pass NULL; each loop is compiled for both. With places, the
   function gives the words of a token, a line feed, and their places in the token, FROM-TO with blanks between. */

#include "words.h"

#if defined(__GNUC__)
#define FOR_BOTH static inline __attribute__((always_inline))
#else
#define FOR_BOTH static inline
#endif

static void begin_places(Places *places, const uint8_t *text)
{
    places->out.used = 0;
    places->origin = places->seen = text;
}

static void take_hundreds(Places *places, size_t number)
{
    uint8_t *end = places->digits + sizeof places->digits, *at = end;
    places->hundreds = number - number % 100;
    for (size_t rest = number / 100; rest; rest /= 10)
        *--at = (uint8_t)('0' + rest % 10);
    places->digits_size = (size_t)(end - at);
    memmove(places->digits, at, places->digits_size);
}

static uint8_t *put_number(uint8_t *to, size_t number, Places *places)
{
    static const char PAIRS[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    if (number - places->hundreds >= 100)
        take_hundreds(places, number);
    size_t rest = number - places->hundreds;
    if (number < 10) {
        *to = (uint8_t)('0' + number);
        return to + 1;
    }
    memcpy(to, places->digits, sizeof places->digits);
    memcpy(to + places->digits_size, PAIRS + 2 * rest, 2);
    return to + places->digits_size + 2;
}

static int add_place(Places *places, size_t first, size_t last)
{
    if (grow(&places->out, 3 * sizeof places->digits))
        return -1;
    uint8_t *to = put_number(places->out.data + places->out.used, first, places);
    *to++ = '-';
    to = put_number(to, last, places);
    *to++ = ' ';
    places->out.used = (size_t)(to - places->out.data);
    return 0;
}

/* Counts the characters up to a place in the text. */
static void see(Places *places, const uint8_t *at)
{
    for (; places->seen < at; places->seen++)
        places->origin += (*places->seen & 0xC0) == 0x80;
}

static size_t number_in(const uint8_t **at, const uint8_t *end)
{
    size_t number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        number = 10 * number + (size_t)(**at - '0');
    return number;
}

/* Adds the places of a token's words, which the function gave relative to the token. */
static int add_places(Places *places, const uint8_t *token, const uint8_t *at, const uint8_t *end)
{
    see(places, token);
    size_t begin = (size_t)(token - places->origin);
    while (at < end) {
        size_t first = number_in(&at, end);
        at++;
        size_t last = number_in(&at, end);
        at++;
        if (add_place(places, begin + first, begin + last))
            return -1;
    }
    return 0;
}

/* The words, a line feed, and the places. */
static int add_separate(Bytes *out, const Places *places)
{
    size_t size = places->out.used ? places->out.used - 1 : 0; /* not the last blank */
    return add_bytes(out, "\n", 1) || (size && add_bytes(out, places->out.data, size)) ? -1 : 0;
}

static int add_word(Bytes *out, const uint8_t *word, size_t size)
{
    if (!size)
        return 0;
    if (grow(out, size + 1))
        return -1;
    if (out->used)
        out->data[out->used++] = ' ';
    memcpy(out->data + out->used, word, size);
    out->used += size;
    return 0;
}

/* What a character becomes in any token, if that is known. */
enum {
    UNKNOWN,
    LETTERS, /* letters or digits, which continue or begin a word */
    ALONE,   /* a word of its own */
    APOSTROPHE,
    SIGN,    /* belongs to the word before it if that ends with a letter, and no letter or digit follows */
    NOTHING,
    BREAK,   /* ends a word */
    WHITE,   /* white space: ends a token */
    COMPLEX, /* depends on the token */
};

/* Finds out what a character of `size` bytes becomes. */
static int learn(WordMemo *self, Character *character, const uint8_t *at, size_t size)
{
    if (blank(at)) {
        character->kind = WHITE;
        return 0;
    }
    PyObject *made = ask(self->wherever, at, size);
    if (!made)
        return -1;
    Py_ssize_t length = 0;
    const char *bytes = made == Py_None ? "" : PyUnicode_AsUTF8AndSize(made, &length);
    if (!bytes) {
        Py_DECREF(made);
        return -1;
    }
    uint8_t kind = LETTERS;
    if (made == Py_None) {
        kind = COMPLEX;
    } else if (!length) {
        kind = NOTHING;
    } else if (*bytes == '\'') {
        kind = APOSTROPHE;
    } else if (*bytes == '+' || *bytes == '#') {
        kind = SIGN;
    } else if (*bytes == ' ') {
        kind = length > 2 ? ALONE : BREAK;
        bytes++;
        length = length > 2 ? length - 2 : 0;
    }
    if ((size_t)length > sizeof character->bytes) {
        kind = COMPLEX;
        length = 0;
    }
    character->kind = kind;
    character->size = (uint8_t)length;
    memcpy(character->bytes, bytes, (size_t)length);
    /* A zero or a quote ends the text, so these characters must not be known */
    if (kind == LETTERS && size == 1 && length == 1 && *at && *at != '"')
        self->letters[*at] = (uint8_t)*bytes;
    Py_DECREF(made);
    return 0;
}

/* Writes what a character of a word becomes, and the known ASCII letters after it, to `to`, of which `last` is the end;
   returns the new end. *size: bytes of the text that were read. */
static inline uint8_t *put_letters(const WordMemo *self, const Character *character, const uint8_t *at, size_t *size,
                                   uint8_t *to, const uint8_t *last)
{
    memcpy(to, character->bytes, sizeof character->bytes);
    to += character->size;
    for (uint8_t letter; (letter = self->letters[at[*size]]) && to < last; ++*size)
        *to++ = letter;
    return to;
}

/* Makes the words of a token, character by character: 1, and *from is its end; 0, and nothing is done, if one of the
   characters is not known; -1 with an exception. */
FOR_BOTH int add_characters(WordMemo *self, const uint8_t **from, const uint8_t *end, Bytes *out, Places *places)
{
    Character *characters = self->characters;
    const uint8_t *at = *from;
    uint8_t *to = out->data + out->used, *last = to;
    size_t size;
    int apostrophe = 0;    /* whether the last character was an apostrophe after a word's letter */
    Py_ssize_t inside = 0; /* 1 if it was a word's letter, and 1 more for each sign after this */
    int open = 0;                   /* whether a word's place must still be written: */
    size_t first = 0, stop = 0, stop_signless = 0, places_before = 0, more = 0;
    const uint8_t *origin = at;
    if (places) {
        see(places, at);
        origin = places->origin;
        places_before = places->out.used;
    }
    for (; at < end; at += size, origin += more) {
        uint32_t code = *at;
        size = 1;
        more = 0;
        if (code >= 0x80) {
            size = code < 0xE0 ? 2 : 3;
            more = size - 1;
            if (code >= 0xF0)
                goto complex;
            code = size == 2 ? (code & 31) << 6 | (at[1] & 63)
                             : (code & 15) << 12 | (uint32_t)(at[1] & 63) << 6 | (at[2] & 63);
        }
        Character *character = &characters[code];
        if (to >= last) { /* makes room for a byte and a character, and mostly for many more */
            size_t used = (size_t)(to - out->data);
            if (grow(out, used - out->used + (size_t)(end - at) + 64))
                return -1;
            to = out->data + used;
            last = out->data + out->room - 1 - sizeof character->bytes;
        }
        if (character->kind == LETTERS && inside == 1 && !apostrophe) {
            to = put_letters(self, character, at, &size, to, last);
            if (places)
                stop = (size_t)(at + size - origin) - more;
        } else if (character->kind == LETTERS || character->kind == ALONE) {
            if (inside > 1) {
                if (character->kind == LETTERS) {
                    to -= inside - 1;
                    stop = stop_signless;
                }
                inside = 0;
            }
            int joined = character->kind == LETTERS && inside;
            if (places) {
                if (!joined) {
                    if (open && add_place(places, first, stop))
                        return -1;
                    first = (size_t)(at - origin);
                    open = 1;
                }
            }
            if (joined || to > out->data)
                *to++ = joined ? '\'' : ' ';
            inside = character->kind == LETTERS;
            apostrophe = 0;
            if (inside) {
                to = put_letters(self, character, at, &size, to, last);
            } else {
                memcpy(to, character->bytes, sizeof character->bytes);
                to += character->size;
            }
            if (places)
                stop = (size_t)(at + size - origin) - more;
        } else if (character->kind == BREAK) {
            apostrophe = inside = 0;
        } else if (character->kind == APOSTROPHE) {
            inside = apostrophe = inside == 1 && !apostrophe;
        } else if (character->kind == SIGN) {
            if (inside == 1 && !apostrophe) {
                if (to[-1] >= 0x80)
                    goto complex; /* it may be a digit */
                stop_signless = stop;
                inside = to[-1] > '9';
            } else if (apostrophe) {
                apostrophe = inside = 0;
            }
            if (inside) {
                inside++;
                *to++ = character->bytes[0];
                if (places)
                    stop = (size_t)(at - origin) + 1;
            }
        } else if (character->kind == WHITE) {
            break;
        } else if (character->kind == COMPLEX) {
            goto complex;
        } else if (character->kind == UNKNOWN) {
            if (learn(self, character, at, size))
                return -1;
            size = more = 0; /* tries again, now that it is known */
        }
    }
    if (places) {
        if (open && add_place(places, first, stop))
            return -1;
        places->origin = origin;
        places->seen = at;
    }
    out->used = (size_t)(to - out->data);
    *from = at;
    return 1;
complex:
    if (places)
        places->out.used = places_before;
    return 0;
}

/* The function's value for a token. */
FOR_BOTH int add_value(Bytes *out, const Token *token, const uint8_t *value, size_t size, Places *places)
{
    const uint8_t *end = value + size, *feed = places ? memchr(value, '\n', size) : NULL;
    if (places && !feed) {
        PyErr_SetString(PyExc_ValueError, "words without places");
        return -1;
    }
    if (add_word(out, value, places ? (size_t)(feed - value) : size))
        return -1;
    return places ? add_places(places, token->at, feed + 1, end) : 0;
}

FOR_BOTH int add_token(Memo *memo, const Token *token, Bytes *out, Places *places)
{
    int fits = token->size <= INSIDE;
    const Line *line = fits ? find(memo, token->hash, token->at, token->size) : NULL;
    if (line) {
        size_t size;
        const uint8_t *value = value_of(line, &size);
        return add_value(out, token, value, size, places);
    }
    PyObject *made = ask(memo->function, token->at, token->size);
    if (!made)
        return -1;
    Py_ssize_t size;
    const char *value = PyUnicode_AsUTF8AndSize(made, &size);
    int failed = !value || add_value(out, token, (const uint8_t *)value, (size_t)size, places);
    if (!failed && fits)
        keep(memo, token->hash, token->at, token->size, (const uint8_t *)value, (size_t)size);
    Py_DECREF(made);
    return failed ? -1 : 0;
}

/* Makes the words of tokens, through the memo. */
FOR_BOTH int add_tokens(WordMemo *self, const uint8_t *at, const uint8_t *end, Bytes *out, Places *places)
{
    Token tokens[AHEAD];
    int count;
    do {
        count = 0;
        for (const uint8_t *stop; count < AHEAD && (stop = next_token(&at, end, self->alone)) > at; at = stop)
            tokens[count++] = token_of(&self->memo, at, stop, 0);
        for (int i = 0; i < count; i++)
            if (add_token(&self->memo, &tokens[i], out, places))
                return -1;
    } while (count == AHEAD);
    return 0;
}

/* Makes the words of a text, most of whose characters are known. */
FOR_BOTH int add_text(WordMemo *self, const uint8_t *at, const uint8_t *end, Bytes *out, Places *places)
{
    while (at < end) {
        size_t size = blank(at);
        int done = size ? 1 : add_characters(self, &at, end, out, places);
        if (done < 0)
            return -1;
        at += size;
        if (!done) {
            const uint8_t *stop = next_token(&at, end, 0);
            if (add_tokens(self, at, stop, out, places))
                return -1;
            at = stop;
        }
    }
    return 0;
}

FOR_BOTH int add_words_of(WordMemo *self, const uint8_t *text, size_t size, Bytes *out, Places *places)
{
    if (places)
        begin_places(places, text);
    if (grow(out, size + 64) || (self->wherever ? add_text(self, text, text + size, out, places)
                                                : add_tokens(self, text, text + size, out, places)))
        return -1;
    return places ? add_separate(out, places) : 0;
}

int add_words(WordMemo *self, const uint8_t *text, size_t size, Bytes *out, Places *places)
{
    return places ? add_words_of(self, text, size, out, places) : add_words_of(self, text, size, out, NULL);
}
