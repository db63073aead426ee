/* Payloads of digit groups as numbers, and min-hashes of them. */

#ifndef SHINGLETOOLS_PAYLOADS_H
#define SHINGLETOOLS_PAYLOADS_H

#include "splice.h"

/* The digit groups of one payload after the other, as numbers. */
typedef struct {
    Bytes room;
    uint64_t *values;
    size_t count;
    int narrow; /* whether they have 8 digits */
} Shingles;

/* Reads a payload of groups of 8 or 16 digits: 1; 0 if it has another form, or is empty; -1 with an exception. */
int read_groups(const uint8_t *payload, size_t size, size_t digits, Shingles *shingles);

/* Reads a payload of groups with as many digits, 8 or 16, as its first group: 1; 0 if it has another form; -1 with an
   exception. */
int read_shingles(const uint8_t *payload, size_t size, Shingles *shingles);

/* Writes an array as groups of digits; the latter as a string for Python. */
int add_digits(Bytes *out, const Bytes *made, Made kind);
PyObject *written(const Bytes *made, Made kind);

enum { BATCH = 32 }; /* min-hash functions whose minima stay in registers */

typedef struct {
    Shingles shingles;
    size_t n, batches;                  /* functions, and batches of them; the last batch is filled up */
    uint32_t *factors, *summands, *low; /* of all batches */
    size_t group;                       /* minima in a supershingle, or 0 */
    int pairs;                          /* whether to make megashingles */
    Bytes y, supers;
} Sketching;

/* Begins, with the functions' factors and summands, and the group; raises ValueError. `self` must be zeros before, and
   must be ended in any case. */
int start_sketching(Sketching *self, const char *a, Py_ssize_t a_size, const char *b, Py_ssize_t b_size,
                    Py_ssize_t group);
void end_sketching(Sketching *self);

/* Adds the signature of the minima for `found` 1; ODD for 0, FAILED for -1. */
Made add_sketch(Sketching *self, int found, Bytes *out);

#endif
