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

/* BYTES_BELOW: the number of bytes below the lowest one that is marked in its highest bit. */
#if defined(__GNUC__)
#define PREFETCH(AT) __builtin_prefetch(AT)
#define BYTES_BELOW(MARKS) ((size_t)__builtin_ctzll(MARKS) / 8)
#else
#define PREFETCH(AT) ((void)(AT))
#define BYTES_BELOW(MARKS) ((size_t)(((((MARKS) & -(MARKS)) - 1) & EACH(1)) * EACH(1) >> 56) - 1)
#endif

#define ROLL UINT64_C(0x9E3779B97F4A7C15)
#define FINISH UINT64_C(0xD6E8FEB86659FD93)

/* The functions: each with the arguments that it takes, and what says more. */
#define FUNCTIONS(F)                                                                                                  \
    F(count_lines, METH_O, "(data): the number of lines.")                                                            \
    F(element_end, METH_VARARGS, "(data, at, deepest): see lines.c")                                                  \
    F(record_lines, METH_VARARGS, "(columns, rows): rows of columns as lines of JSON.")                               \
    F(minima, METH_VARARGS, "(payload, a, b, bits=32): the payload of its minima, or None for another form.")         \
    F(simhash, METH_O, "(payload): its simhash, or None for another form.")                                           \
    F(link_function, METH_O, "(function): a link that asks a function in Python; see splice.h")                       \
    F(link_minima, METH_VARARGS, "(a, b, group, pairs, bits=32): a link that makes minima.")                          \
    F(link_simhash, METH_NOARGS, "A link that makes simhashes.")                                                      \
    F(link_weighted_simhash, METH_O, "(weights): a link that makes weighted simhashes.")                              \
    F(weigh_fingerprints, METH_VARARGS, "(fingerprints, weights, factor): see weighted_simhash.c")                    \
    F(linked_lines, METH_VARARGS, "(links, fields, data, at, layout): see splice.h")                                  \
    F(read_columns, METH_VARARGS, "(lines, at, fields): see columns.c")                                               \
    F(pair_lines, METH_VARARGS, "(a, b, rests, which): see groups.c")                                                 \
    F(group_lines, METH_VARARGS, "(members, sizes): see groups.c")                                                    \
    F(own_lines, METH_VARARGS, "(heads, places, own, data, ends, rests, which): see own_words.c")                     \
    F(winnow, METH_VARARGS, "(texts, seed, mask, gram, run, listed): see winnowing.c")                                \
    F(winnowed_runs, METH_VARARGS, "(texts, places, seed, mask, gram, run): see winnowing.c")                         \
    F(read_frequencies, METH_VARARGS, "(lines, at, digits, low, high, least, most): see frequencies.c")               \
    F(read_weights, METH_VARARGS, "(lines, at, digits): see frequencies.c")                                           \
    F(list_fingerprints, METH_VARARGS, "(fingerprints, without, factor): see frequencies.c")                          \
    F(end_with_parent, METH_NOARGS, "Kills this process when its parent ends; whether that is so.")                   \
    F(fail_at_exit, METH_NOARGS, "Gives the process status 2 if a library calls exit().")                             \
    F(keep_memory, METH_NOARGS, "Keeps the memory that this process frees; whether that is so.")                      \
    F(part_large_arrays, METH_NOARGS, "Asks the allocator to return them to the system at once.")

#define DECLARE(NAME, ...) PyObject *NAME(PyObject *self, PyObject *args);
FUNCTIONS(DECLARE)

extern PyType_Spec word_memo_spec, fingerprint_memo_spec, ids_spec;

/* Memory of zeros, from the start of a page on, which `unmap` frees; NULL if there is none. From 2 MB on it asks for
   large pages: they come by fewer page faults, and places in random order need fewer look-ups of pages. */
void *map_zeros(size_t size);
void unmap(void *block, size_t size);

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

/* The finalizer of rolling sums. */
static inline uint64_t finish(uint64_t z)
{
    z ^= z >> 32;
    z *= FINISH;
    return z ^ z >> 32;
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

/* Writes the eight bytes of a number, the highest first. */
static inline void put_highest_first(uint8_t *at, uint64_t number)
{
    number = has_lowest_first() ? turned_about(number) : number;
    memcpy(at, &number, sizeof number);
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
