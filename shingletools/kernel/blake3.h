/* BLAKE3 of at most one chunk, as words need it. */

#ifndef SHINGLETOOLS_BLAKE3_H
#define SHINGLETOOLS_BLAKE3_H

#include "kernel.h"

enum { BLAKE3_MOST = 1024 }; /* bytes that are hashed at most: those of one chunk */

/* The initial state, and a flag for all blocks. */
typedef struct {
    uint32_t start[8], mode;
} Blake3;

static inline uint32_t word_at(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* With a key of 32 bytes, or NULL for none. */
Blake3 blake3_with(const uint8_t *key);

/* The first 8 bytes, little-endian, of the hash of up to BLAKE3_MOST bytes. */
uint64_t blake3(const Blake3 *how, const uint8_t *data, size_t size);

/* The first 8 bytes of the hash without a key. */
uint64_t blake3_of(const uint8_t *data, size_t size);

#endif
