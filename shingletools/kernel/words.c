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

/* What a letter or digit of ASCII becomes; 0 for other bytes. */
static inline uint8_t letter_of(uint8_t byte)
{
    const uint8_t small = byte | 0x20;
    return small >= 'a' && small <= 'z' ? small : byte >= '0' && byte <= '9' ? byte : 0;
}

/* Finds out what a character of `size` bytes becomes. */
static int learn(WordMemo *self, Character *character, const uint8_t *at, size_t size)
{
    if (blank(at) || letter_of(*at)) {
        *character = blank(at) ? (Character){WHITE, 0, {0}} : (Character){LETTERS, 1, {letter_of(*at)}};
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
    Py_DECREF(made);
    return 0;
}

/* Marks the highest bits of bytes, below 0x80, that are from `first` to `last`. */
static inline uint64_t between(uint64_t bytes, uint8_t first, uint8_t last)
{
    return (bytes + EACH(0x80 - first)) & ~(bytes + EACH(0x7F - last)) & EACH(0x80);
}

/* Writes a word's letters and digits of ASCII after the first *used bytes to `to`, of which `last` is the end; returns the
   new end. Without places it goes on beyond single blanks, since most words are too short for a loop of their own: *token
   is then the end of the words before the last token, and *inside whether this has a letter yet. */
FOR_BOTH uint8_t *put_letters(const uint8_t *at, const uint8_t *end, size_t *used, uint8_t *to, const uint8_t *last,
                              uint8_t **token, Py_ssize_t *inside, int placed)
{
    const uint8_t *from = at + *used, *first = to;
    uint64_t blanks = 0, any = 0;
    for (size_t size = 8; size == 8 && end - from >= 8 && to < last; from += size, to += size) {
        const uint64_t eight = first_low(load_8(from)), low = eight & EACH(0x7F);
        const uint64_t letters = between(low | EACH(0x20), 'a', 'z') & ~eight, before = blanks >> 56;
        blanks = placed ? 0 : between(low, ' ', ' ') & ~eight & ~before;
        blanks &= ~(blanks << 8);
        const uint64_t others = ~(letters | (between(low, '0', '9') & ~eight) | blanks) & EACH(0x80);
        const uint64_t small = first_low(eight | letters >> 2);
        memcpy(to, &small, sizeof small);
        size = others ? BYTES_BELOW(others) : 8;
        any |= blanks;
    }
    for (uint8_t letter; from < end && to < last && (letter = letter_of(*from)); from++)
        *to++ = letter;
    for (uint8_t *blank = to; any && blank > first;)
        if (*--blank == ' ') {
            *token = blank;
            break;
        }
    *used = (size_t)(from - at);
    *inside = to[-1] != ' ';
    return to - !*inside;
}

/* Makes the words of tokens, character by character: 1, and *from is their end; 0, and *from is the next token, if one of
   its characters is not known; -1 with an exception. */
FOR_BOTH int add_characters(WordMemo *self, const uint8_t **from, const uint8_t *end, Bytes *out, Places *places)
{
    Character *characters = self->characters;
    const uint8_t *at = *from;
    uint8_t *to = out->data + out->used, *last = to, *token = NULL;
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
        if (to >= last) { /* makes room for a byte and a character, or eight bytes, and mostly for many more */
            size_t used = (size_t)(to - out->data), before = token ? (size_t)(token - out->data) : 0;
            if (grow(out, used - out->used + (size_t)(end - at) + 64))
                return -1;
            to = out->data + used;
            token = token ? out->data + before : NULL;
            last = out->data + out->room - 8;
        }
        if (character->kind == LETTERS || character->kind == ALONE) {
            const int letters = character->kind == LETTERS;
            if (!letters || inside != 1 || apostrophe) {
                if (letters && inside > 1) {
                    to -= inside - 1;
                    stop = stop_signless;
                }
                const int joined = letters && inside == 1;
                if (places && !joined) {
                    if (open && add_place(places, first, stop))
                        return -1;
                    first = (size_t)(at - origin);
                    open = 1;
                }
                if (joined || to > out->data)
                    *to++ = joined ? '\'' : ' ';
            }
            apostrophe = 0;
            inside = letters;
            memcpy(to, character->bytes, sizeof character->bytes);
            to += character->size;
            if (letters && letter_of(at[size]))
                to = put_letters(at, end, &size, to, last, &token, &inside, places != NULL);
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
    if (token) {
        out->used = (size_t)(token - out->data);
        for (*from = at; (*from)[-1] != ' '; --*from)
            continue;
    }
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
    size_t known_size;
    const uint8_t *known = token->size <= INSIDE ? find(memo, token, &known_size) : NULL;
    if (known)
        return add_value(out, token, known, known_size, places);
    PyObject *made = ask(memo->function, token->at, token->size);
    if (!made)
        return -1;
    Py_ssize_t size;
    const char *value = PyUnicode_AsUTF8AndSize(made, &size);
    int failed = !value || add_value(out, token, (const uint8_t *)value, (size_t)size, places);
    if (!failed)
        keep(memo, token, value, (size_t)size);
    Py_DECREF(made);
    return failed ? -1 : 0;
}

/* Makes the words of tokens, through the memo. */
FOR_BOTH int add_tokens(WordMemo *self, const uint8_t *at, const uint8_t *end, Bytes *out, Places *places)
{
    Token tokens[AHEAD];
    int count;
    do {
        count = take_tokens(&self->memo, &at, end, self->alone, tokens);
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
