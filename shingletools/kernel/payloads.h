/* Payloads of digit groups as numbers. */

#ifndef SHINGLETOOLS_PAYLOADS_H
#define SHINGLETOOLS_PAYLOADS_H

#include "splice.h"

/* The groups of one payload after the other. */
typedef struct {
    Bytes room;
    uint64_t *values;
    size_t count;
    int narrow; /* they have 8 digits */
} Shingles;

/* A payload of groups of 8 or 16 digits: 1; 0 if it is none, or empty; -1 with an exception. */
int read_groups(const uint8_t *payload, size_t size, size_t digits, Shingles *shingles);

#endif
