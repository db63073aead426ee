/* The places of words in a text, in code points: FROM-TO for each, in decimal. */

#ifndef SHINGLETOOLS_WORD_PLACES_H
#define SHINGLETOOLS_WORD_PLACES_H

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

static inline void begin_places(Places *places, const uint8_t *text)
{
    places->out.used = 0;
    places->origin = places->seen = text;
}

static inline void take_hundreds(Places *places, size_t number)
{
    uint8_t *end = places->digits + sizeof places->digits, *at = end;
    places->hundreds = number - number % 100;
    for (size_t rest = number / 100; rest; rest /= 10)
        *--at = (uint8_t)('0' + rest % 10);
    places->digits_size = (size_t)(end - at);
    memmove(places->digits, at, places->digits_size);
}

static inline uint8_t *put_number(uint8_t *to, size_t number, Places *places)
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

static inline int add_place(Places *places, size_t first, size_t last)
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
static inline void see(Places *places, const uint8_t *at)
{
    for (; places->seen < at; places->seen++)
        places->origin += (*places->seen & 0xC0) == 0x80;
}

static inline size_t number_in(const uint8_t **at, const uint8_t *end)
{
    size_t number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        number = 10 * number + (size_t)(**at - '0');
    return number;
}

/* Adds the places of a token's words, which the function gave relative to the token. */
static inline int add_places(Places *places, const uint8_t *token, const uint8_t *at, const uint8_t *end)
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
static inline int add_separate(Bytes *out, const Places *places)
{
    size_t size = places->out.used ? places->out.used - 1 : 0; /* not the last blank */
    return add_bytes(out, "\n", 1) || (size && add_bytes(out, places->out.data, size)) ? -1 : 0;
}

#endif
