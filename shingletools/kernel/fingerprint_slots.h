/* A set of fingerprints in slots of uint64. Their number is a power of two, and at most half of them are taken. A
   fingerprint stands in the slot that its product with a factor gives, or in the next free one, around the end; 0 is a
   free slot. The factor is odd and random, so nobody can make texts that fill neighbouring slots (multiply-shift
   hashing, Dietzfelbinger et al. 1997). One more uint64 after the slots tells whether 0 is in the set. */

#ifndef SHINGLETOOLS_FINGERPRINT_SLOTS_H
#define SHINGLETOOLS_FINGERPRINT_SLOTS_H

#include "memo.h"

typedef struct {
    uint8_t *slots;
    size_t mask; /* number of slots minus 1 */
    uint64_t factor;
    int shift; /* 64 minus the bits of a slot's number */
} Listed;

static inline size_t slot_of(const Listed *listed, uint64_t fingerprint)
{
    return (size_t)(fingerprint * listed->factor >> listed->shift);
}

static inline int is_listed(const Listed *listed, uint64_t fingerprint)
{
    uint64_t found;
    for (size_t slot = slot_of(listed, fingerprint); (found = load_8(listed->slots + 8 * slot));
         slot = (slot + 1) & listed->mask)
        if (found == fingerprint)
            return 1;
    return !fingerprint && load_8(listed->slots + 8 * (listed->mask + 1));
}

/* Adds a fingerprint; returns whether it is new. There must be a free slot. */
static inline int add_listed(Listed *listed, uint64_t fingerprint)
{
    uint64_t found;
    size_t slot = fingerprint ? slot_of(listed, fingerprint) : listed->mask + 1;
    while ((found = load_8(listed->slots + 8 * slot))) {
        if (found == fingerprint || !fingerprint)
            return 0;
        slot = (slot + 1) & listed->mask;
    }
    found = fingerprint ? fingerprint : 1;
    memcpy(listed->slots + 8 * slot, &found, sizeof found);
    return 1;
}

/* Sets the size of a set of `count` fingerprints; returns the bytes of its slots with the last uint64. */
static inline size_t slots_of(size_t count, Listed *listed)
{
    int bits = 1;
    while ((size_t)1 << bits < 2 * count)
        bits++;
    listed->mask = ((size_t)1 << bits) - 1;
    listed->shift = 64 - bits;
    return 8 * (listed->mask + 2);
}

/* Takes (factor, slots, kept), or an empty tuple; -1 with an exception. kept: see lines.FingerprintFilter. */
static inline int take_listed(PyObject *tuple, Listed *listed, int *kept)
{
    const char *slots;
    Py_ssize_t size;
    unsigned long long factor;
    if (!PyTuple_Size(tuple))
        return 0;
    if (!PyArg_ParseTuple(tuple, "Ky#p", &factor, &slots, &size, kept))
        return -1;
    if (slots_of(((size_t)size / 8 - (size >= 8)) / 2, listed) != (size_t)size) {
        PyErr_SetString(PyExc_ValueError, "slots are a power of two, and one more");
        return -1;
    }
    listed->slots = (uint8_t *)slots;
    listed->factor = factor;
    return 0;
}

#endif
