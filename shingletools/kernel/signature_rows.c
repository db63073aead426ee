/* Loops over rows of signatures, and over their keys; arrays.h describes the arrays. */

#include "arrays.h"

/* In how many of n components two rows agree; 0 if in fewer than `least`. Components are compared 64 at a time, because
   compilers unroll shorter loops and then may add lanes up wrongly, as GCC 12 does for arm64 with 16. Sums are as wide as
   components, because Clang 14 fails on wider ones for AVX-512. .ci/arm64 tests it. */
#define AGREEMENTS(NAME, TYPE)                                                                                        \
    static inline TYPE NAME##_of(const TYPE *one, const TYPE *two, size_t n)                                          \
    {                                                                                                                 \
        TYPE same = 0;                                                                                                \
        for (size_t i = 0; i < n; i++)                                                                                \
            if (one[i] == two[i])                                                                                     \
                same++;                                                                                               \
        return same;                                                                                                  \
    }                                                                                                                 \
    VECTORS static int64_t NAME(const TYPE *one, const TYPE *two, size_t n, size_t least)                             \
    {                                                                                                                 \
        size_t agreeing = 0, i = 0;                                                                                   \
        for (; i + 64 <= n; i += 64) {                                                                                \
            agreeing += NAME##_of(one + i, two + i, 64);                                                              \
            if (agreeing + (n - i - 64) < least)                                                                      \
                return 0;                                                                                             \
        }                                                                                                             \
        agreeing += NAME##_of(one + i, two + i, n - i);                                                               \
        return agreeing < least ? 0 : (int64_t)agreeing;                                                              \
    }
AGREEMENTS(agreements8, uint8_t)
AGREEMENTS(agreements16, uint16_t)
AGREEMENTS(agreements32, uint32_t)
AGREEMENTS(agreements64, uint64_t)

static int64_t agreements_of(const char *left, const char *right, size_t width, size_t size, size_t least)
{
    switch (size) {
    case 1:
        return agreements8((const uint8_t *)left, (const uint8_t *)right, width, least);
    case 2:
        return agreements16((const uint16_t *)left, (const uint16_t *)right, width, least);
    case 4:
        return agreements32((const uint32_t *)left, (const uint32_t *)right, width, least);
    default:
        return agreements64((const uint64_t *)left, (const uint64_t *)right, width, least);
    }
}

/* Whether a row can have `size` components of `width` bytes. */
static int is_row(Py_ssize_t width, Py_ssize_t size)
{
    return width > 0 && width <= PY_SSIZE_T_MAX / 8 && (size == 1 || size == 2 || size == 4 || size == 8);
}

/* Whether there are as many ends as starts of bands, and all are within a row. */
static int are_bands(const Py_buffer *firsts, const Py_buffer *lasts, Py_ssize_t width)
{
    const int64_t *first = firsts->buf, *last = lasts->buf;
    int bad = firsts->len != lasts->len;
    for (Py_ssize_t band = 0; band < firsts->len / 8 && !bad; band++)
        bad = first[band] < 0 || last[band] < first[band] || last[band] > width;
    return !bad;
}

const char *agreements(Arrays *all)
{
    const Py_ssize_t width = all->number[0], size = all->number[1], least = all->number[2];
    const Py_buffer *rows = &all->view[0], *left = &all->view[1], *right = &all->view[2], *bands = &all->view[3];
    if (!is_row(width, size) || rows->len % (width * size) || left->len != right->len ||
        left->len != all->view[5].len || least < 0 || !are_bands(bands, &all->view[4], width))
        return MISFIT;
    const int64_t number = rows->len / (width * size);
    if (!are_rows(left, number) || !are_rows(right, number))
        return MISFIT;
    const int64_t *one = left->buf, *two = right->buf, *first = bands->buf, *last = all->view[4].buf;
    int64_t *counts = all->view[5].buf;
    all->result = left->len / 8;
    for (Py_ssize_t i = 0; i < left->len / 8; i++) {
        const char *a = (const char *)rows->buf + one[i] * width * size;
        const char *b = (const char *)rows->buf + two[i] * width * size;
        int shared = 0;
        for (Py_ssize_t band = 0; band < bands->len / 8 && !shared; band++)
            shared = !memcmp(a + first[band] * size, b + first[band] * size, (size_t)((last[band] - first[band]) * size));
        counts[i] = shared ? 0 : agreements_of(a, b, (size_t)width, (size_t)size, (size_t)least);
        all->result -= shared;
    }
    return NULL;
}

/* The key of the components of a row from `first` up to `last`: key = key * ROLL + component for each. A product waits
   for the one before it, so four are done at a time. */
#define ROLL2 (ROLL * ROLL)
#define KEY(NAME, TYPE)                                                                                               \
    static uint64_t NAME(const TYPE *row, int64_t first, int64_t last)                                                \
    {                                                                                                                 \
        uint64_t key = 0;                                                                                             \
        const TYPE *at = row + first, *end = row + last;                                                              \
        for (; end - at >= 4; at += 4)                                                                                \
            key = key * (ROLL2 * ROLL2) + at[0] * (ROLL2 * ROLL) + at[1] * ROLL2 + (at[2] * ROLL + at[3]);            \
        for (; at < end; at++)                                                                                        \
            key = key * ROLL + *at;                                                                                   \
        return fmix64(key);                                                                                           \
    }
KEY(key8, uint8_t)
KEY(key16, uint16_t)
KEY(key32, uint32_t)
KEY(key64, uint64_t)

static uint64_t key_of(const char *row, Py_ssize_t size, int64_t first, int64_t last)
{
    switch (size) {
    case 1:
        return key8((const uint8_t *)row, first, last);
    case 2:
        return key16((const uint16_t *)row, first, last);
    case 4:
        return key32((const uint32_t *)row, first, last);
    default:
        return key64((const uint64_t *)row, first, last);
    }
}

/* Rows are read once for all bands, since they are far larger than the cache. */
const char *band_keys(Arrays *all)
{
    const Py_ssize_t width = all->number[0], size = all->number[1];
    const Py_buffer *rows = &all->view[0], *firsts = &all->view[1], *out = &all->view[4];
    const int64_t *first = firsts->buf, *last = all->view[2].buf;
    const uint8_t *some = all->view[3].buf;
    Py_ssize_t bands = firsts->len / 8, count = all->view[3].len, number = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        number += some[i] != 0;
    if (!is_row(width, size) || rows->len % (width * size) || rows->len / (width * size) != count ||
        !are_bands(firsts, &all->view[2], width) ||
        (bands ? out->len / 8 / bands != number || out->len % (8 * bands) : out->len))
        return MISFIT;
    uint64_t *keys = out->buf;
    const char *row = rows->buf;
    for (Py_ssize_t i = 0, at = 0; i < count; i++, row += width * size) {
        if (!some[i])
            continue;
        for (Py_ssize_t band = 0; band < bands; band++)
            keys[band * number + at] = key_of(row, size, first[band], last[band]);
        at++;
    }
    return NULL;
}

/* Where bits are for a key: a place, of 64 in each pair of words. The first word of a pair tells which places were seen,
   the second which were seen again. */
static inline uint64_t place_of(uint64_t key, uint64_t places)
{
    return (key >> 32) * places >> 32;
}

static int is_table(const Py_buffer *table)
{
    return table->len && table->len % 16 == 0 && table->len <= UINT32_MAX / 4;
}

const char *mark(Arrays *all)
{
    const uint64_t *keys = all->view[0].buf;
    uint64_t *table = all->view[1].buf, places = (uint64_t)all->view[1].len * 4;
    if (!is_table(&all->view[1]))
        return MISFIT;
    for (Py_ssize_t i = 0; i < all->view[0].len / 8; i++) {
        uint64_t place = place_of(keys[i], places), at = place & 63, *pair = &table[place >> 6 << 1];
        uint64_t seen = pair[0] >> at & 1;
        all->result += (int64_t)(2 * seen - (pair[1] >> at & 1));
        pair[1] |= seen << at;
        pair[0] |= UINT64_C(1) << at;
    }
    return NULL;
}

const char *marked(Arrays *all)
{
    const uint64_t *keys = all->view[0].buf, *table = all->view[1].buf;
    const uint64_t places = (uint64_t)all->view[1].len * 4;
    uint8_t *out = all->view[2].buf;
    const Py_ssize_t count = all->view[2].len;
    if (all->view[0].len / 8 != count || !is_table(&all->view[1]))
        return MISFIT;
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t place = place_of(keys[i], places);
        out[i] = table[(place >> 6 << 1) + 1] >> (place & 63) & 1;
    }
    return NULL;
}
