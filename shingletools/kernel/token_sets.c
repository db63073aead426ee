/* Counts of tokens, the rarest tokens of sets, and keys of whole sets; arrays.h describes the arrays. */

#include "arrays.h"
#include <stdlib.h>

enum { COUNTERS = 22 };

static inline uint64_t counter_of(uint64_t token)
{
    return fmix64(token) >> (64 - COUNTERS);
}

const char *count_tokens(Arrays *all)
{
    const uint64_t *tokens = all->view[0].buf;
    uint32_t *counters = all->view[1].buf;
    if (all->view[1].len != (Py_ssize_t)sizeof *counters << COUNTERS)
        return MISFIT;
    for (Py_ssize_t i = 0; i < all->view[0].len / 8; i++) {
        uint32_t *counter = &counters[counter_of(tokens[i])];
        *counter += *counter < UINT32_MAX;
    }
    return NULL;
}

/* Sets `width` words of the last array for each set. */
static const char *for_each_set(Arrays *all, int width, void (*work)(const uint64_t *, int64_t, uint64_t *))
{
    const Py_buffer *view = all->view;
    const int64_t *starts = view[1].buf, *sizes = view[2].buf;
    if (!are_sets(&view[0], &view[1], &view[2]) || view[3].len != width * view[1].len)
        return MISFIT;
    for (Py_ssize_t i = 0; i < view[1].len / 8; i++)
        work((const uint64_t *)view[0].buf + starts[i], sizes[i], (uint64_t *)view[3].buf + width * i);
    return NULL;
}

static void set_key(const uint64_t *tokens, int64_t size, uint64_t *key)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < size; i++)
        sum += fmix64(tokens[i]);
    *key = fmix64(sum);
}

const char *set_keys(Arrays *all)
{
    return for_each_set(all, 1, set_key);
}

static void set_parities(const uint64_t *tokens, int64_t size, uint64_t *bits)
{
    bits[0] = bits[1] = 0;
    for (int64_t i = 0; i < size; i++) {
        uint64_t which = fmix64(tokens[i]);
        bits[which >> 6 & 1] ^= UINT64_C(1) << (which & 63);
    }
}

const char *parities(Arrays *all)
{
    return for_each_set(all, 2, set_parities);
}

typedef struct {
    uint32_t count, place; /* of a token: its counter, and its place in its set */
} Counted;

/* A stable sort by counts: a radix sort, byte by byte. Returns the one of the two arrays that has the result. */
static Counted *sort_by_count(Counted *from, Counted *to, size_t size, uint32_t most)
{
    for (int shift = 0; shift < 32 && most >> shift; shift += 8) {
        uint32_t starts[256] = {0}, sum = 0;
        for (size_t i = 0; i < size; i++)
            starts[from[i].count >> shift & 255]++;
        for (int i = 0; i < 256; i++) {
            uint32_t here = starts[i];
            starts[i] = sum;
            sum += here;
        }
        for (size_t i = 0; i < size; i++)
            to[starts[from[i].count >> shift & 255]++] = from[i];
        Counted *other = from;
        from = to;
        to = other;
    }
    return from;
}

/* The places of the rarest tokens of each set. */
const char *rarest(Arrays *all)
{
    const Py_buffer *view = all->view;
    const uint64_t *tokens = view[0].buf;
    const int64_t *starts = view[1].buf, *sizes = view[2].buf, *wanted = view[3].buf;
    const uint32_t *counters = view[4].buf;
    int64_t *out = view[5].buf, number = view[1].len / 8, sum = 0, largest = 0;
    int bad = !are_sets(&view[0], &view[1], &view[2]) || view[3].len != view[1].len ||
              view[4].len != (Py_ssize_t)sizeof *counters << COUNTERS;
    for (int64_t i = 0; i < number && !bad; i++) {
        bad = wanted[i] < 0 || wanted[i] > sizes[i] || sizes[i] > UINT32_MAX;
        sum += wanted[i];
        largest = sizes[i] > largest ? sizes[i] : largest;
    }
    if (bad || sum != view[5].len / 8)
        return MISFIT;
    Counted *room = malloc(2 * (size_t)largest * sizeof *room + 1);
    for (int64_t i = 0; room && i < number; i++) {
        uint32_t most = 0;
        for (int64_t j = 0; j < sizes[i]; j++) {
            uint32_t count = counters[counter_of(tokens[starts[i] + j])];
            room[j] = (Counted){count, (uint32_t)j};
            most = count > most ? count : most;
        }
        const Counted *sorted = sort_by_count(room, room + largest, (size_t)sizes[i], most);
        for (int64_t j = 0; j < wanted[i]; j++)
            *out++ = starts[i] + sorted[j].place;
    }
    free(room);
    return room ? NULL : NO_MEMORY;
}
