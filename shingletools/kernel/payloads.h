/* Payloads of digit groups as numbers, and min-hashes of them. */

#ifndef SHINGLETOOLS_PAYLOADS_H
#define SHINGLETOOLS_PAYLOADS_H

#include "splice.h"

/* Reads a payload of groups of 8 or 16 digits: 1; 0 if it has another form, or is empty; -1 with an exception. */
int read_groups(const uint8_t *payload, size_t size, size_t digits, Shingles *shingles);

/* Reads a payload of groups with as many digits, 8 or 16, as its first group: 1; 0 if it has another form; -1 with an
   exception. */
int read_shingles(const uint8_t *payload, size_t size, Shingles *shingles);

/* Whether groups of digits can have so many: 2, 4, 8 or 16. */
static inline int is_width(Py_ssize_t digits)
{
    return digits == 2 || digits == 4 || digits == 8 || digits == 16;
}

/* Adds the bytes of a payload of groups of so many digits, the highest first: as read_groups, without the numbers. */
int read_bytes(const uint8_t *payload, size_t size, size_t digits, Bytes *out);

/* The bytes of each number of an array; 0 for what is no array. */
static inline size_t width_of(Made kind)
{
    return kind >= BYTES ? (size_t)1 << (kind - BYTES) : 0;
}

static inline uint64_t number_at(const uint8_t *array, size_t i, size_t width)
{
    return width == 1   ? array[i]
           : width == 2 ? ((const uint16_t *)array)[i]
           : width == 4 ? ((const uint32_t *)array)[i]
                        : ((const uint64_t *)array)[i];
}

/* Both write an array as groups of digits; the second returns a Python string. */
int add_digits(Bytes *out, const Bytes *made, Made kind);
PyObject *written(const Bytes *made, Made kind);

#endif
