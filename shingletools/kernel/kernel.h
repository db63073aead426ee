/* Declarations that the files of the C kernel share. */

#ifndef SHINGLETOOLS_KERNEL_H
#define SHINGLETOOLS_KERNEL_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* 3.11: one build for all Pythons since */
#include <Python.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__)
#define VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VECTORS
#endif

#if defined(__GNUC__)
#define PREFETCH(AT) __builtin_prefetch(AT)
#else
#define PREFETCH(AT)
#endif

#define ROLL UINT64_C(0x9E3779B97F4A7C15)
#define FINISH UINT64_C(0xD6E8FEB86659FD93)

/* process_settings.c */
PyObject *end_with_parent(PyObject *self, PyObject *none);
PyObject *fail_at_exit(PyObject *self, PyObject *none);
PyObject *keep_memory(PyObject *self, PyObject *none);
PyObject *part_large_arrays(PyObject *self, PyObject *none);

/* words.c, fingerprints.c */
extern PyType_Spec word_memo_spec, fingerprint_memo_spec;

/* ids.c, columns.c */
extern PyType_Spec ids_spec;
PyObject *read_columns(PyObject *self, PyObject *args);

/* groups.c */
PyObject *pair_lines(PyObject *self, PyObject *args);
PyObject *group_lines(PyObject *self, PyObject *args);
PyObject *connect_pairs(PyObject *self, PyObject *args);

/* independent_set.c */
PyObject *list_ends(PyObject *self, PyObject *args);
PyObject *greedy_independent_set(PyObject *self, PyObject *args);
PyObject *decide_by_cover(PyObject *self, PyObject *args);
PyObject *greedy_independent_set_of_pairs(PyObject *self, PyObject *args);

/* winnowing.c */
PyObject *winnow(PyObject *self, PyObject *args);
PyObject *winnowed_runs(PyObject *self, PyObject *args);
PyObject *equal_words(PyObject *self, PyObject *args);

/* own_words.c */
PyObject *own_words(PyObject *self, PyObject *args);
PyObject *own_lines(PyObject *self, PyObject *args);

/* frequencies.c */
PyObject *read_frequencies(PyObject *self, PyObject *args);
PyObject *read_weights(PyObject *self, PyObject *args);
PyObject *list_fingerprints(PyObject *self, PyObject *args);

/* filter_chains.c */
PyObject *linked_lines(PyObject *self, PyObject *args);

/* lines.c */
PyObject *count_lines(PyObject *self, PyObject *data);
PyObject *split_lines(PyObject *self, PyObject *data);
PyObject *element_end(PyObject *self, PyObject *args);
PyObject *record_lines(PyObject *self, PyObject *args);

/* links.c */
PyObject *link_function(PyObject *self, PyObject *function);

/* payloads.c */
PyObject *payload_to_bytes(PyObject *self, PyObject *args);
PyObject *minima(PyObject *self, PyObject *args);
PyObject *simhash(PyObject *self, PyObject *text);
PyObject *link_minima(PyObject *self, PyObject *args);
PyObject *link_simhash(PyObject *self, PyObject *none);

/* weighted_simhash.c */
PyObject *weigh_fingerprints(PyObject *self, PyObject *args);
PyObject *link_weighted_simhash(PyObject *self, PyObject *weights);

/* signature_rows.c */
PyObject *agreements(PyObject *self, PyObject *args);
PyObject *band_keys(PyObject *self, PyObject *args);
PyObject *mark(PyObject *self, PyObject *args);
PyObject *marked(PyObject *self, PyObject *args);

/* candidates.c */
PyObject *bounded_candidates(PyObject *self, PyObject *args);
PyObject *first_shared(PyObject *self, PyObject *args);

/* overlaps.c */
PyObject *overlaps(PyObject *self, PyObject *args);
PyObject *common_weights(PyObject *self, PyObject *args);
PyObject *shared_counts(PyObject *self, PyObject *args);

/* token_sets.c */
PyObject *count_tokens(PyObject *self, PyObject *args);
PyObject *set_keys(PyObject *self, PyObject *args);
PyObject *parities(PyObject *self, PyObject *args);
PyObject *rarest(PyObject *self, PyObject *args);

/* MurmurHash3's finalizer for 64 bits. */
static inline uint64_t fmix64(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xFF51AFD7ED558CCD);
    x ^= x >> 33;
    x *= UINT64_C(0xC4CEB9FE1A85EC53);
    x ^= x >> 33;
    return x;
}

/* SipHash (Aumasson, Bernstein 2012) */
static inline uint64_t turn_left(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void sip_rounds(uint64_t *v, int rounds)
{
    while (rounds--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turn_left(v[1], 13) ^ v[0];
        v[3] = turn_left(v[3], 16) ^ v[2];
        v[0] = turn_left(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = turn_left(v[1], 17) ^ v[2];
        v[3] = turn_left(v[3], 21) ^ v[0];
        v[2] = turn_left(v[2], 32);
    }
}

/* Eight hex digits at once, one in each byte of a word, the first one in the lowest byte. */
#define EACH(BYTE) (UINT64_C(0x0101010101010101) * (BYTE))

static inline uint64_t letters_of(uint64_t digits)
{
    uint64_t above_nine = (digits + EACH(6)) >> 4 & EACH(1);
    return digits + EACH('0') + above_nine * ('a' - '0' - 10);
}

/* Compilers turn this into one instruction. */
static inline uint64_t turned_about(uint64_t word)
{
    word = (word & UINT64_C(0x00FF00FF00FF00FF)) << 8 | (word >> 8 & UINT64_C(0x00FF00FF00FF00FF));
    word = (word & UINT64_C(0x0000FFFF0000FFFF)) << 16 | (word >> 16 & UINT64_C(0x0000FFFF0000FFFF));
    return word << 32 | word >> 32;
}

/* Whether this machine is little-endian; compilers know the answer. */
static inline int has_lowest_first(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first;
}

/* A little-endian word as a number, or a number as a little-endian word. */
static inline uint64_t first_low(uint64_t word)
{
    return has_lowest_first() ? word : turned_about(word);
}

/* A number as a big-endian word. */
static inline uint64_t highest_first(uint64_t word)
{
    return has_lowest_first() ? turned_about(word) : word;
}

static inline void put_8_digits(uint8_t *at, uint32_t value)
{
    uint64_t bytes = value;
    bytes = (bytes & 0xFFFF) << 32 | bytes >> 16;
    bytes = (bytes & UINT64_C(0x000000FF000000FF)) << 16 | (bytes >> 8 & UINT64_C(0x000000FF000000FF));
    bytes = (bytes & UINT64_C(0x000F000F000F000F)) << 8 | (bytes >> 4 & UINT64_C(0x000F000F000F000F));
    bytes = first_low(letters_of(bytes));
    memcpy(at, &bytes, 8);
}

static inline void put_2_digits(uint8_t *at, uint32_t value)
{
    uint64_t letters = first_low(letters_of((value >> 4 & 15) | (value & 15) << 8));
    memcpy(at, &letters, 2);
}

/* 2, 4, 8 or 16 digits. */
static inline void put_hex(uint8_t *at, uint64_t value, size_t digits)
{
    if (digits < 8) {
        if (digits == 4)
            put_2_digits(at, (uint32_t)(value >> 8));
        put_2_digits(at + digits - 2, (uint32_t)value);
        return;
    }
    if (digits == 16) {
        put_8_digits(at, (uint32_t)(value >> 32));
        at += 8;
    }
    put_8_digits(at, (uint32_t)value);
}

#endif
