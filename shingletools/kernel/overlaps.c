/* Counts the common tokens of sets; arrays.h describes the arrays. */

#include "arrays.h"
#include <stdlib.h>

/* The weight of the common tokens of two ascending sets, given the weights of both sets; 0 if less than `least`. Without
   weights, each token weighs 1. */
static inline int64_t common_weight(const uint64_t *one, const int64_t *weights, int64_t size_one, int64_t left_one,
                                    const uint64_t *two, const int64_t *others, int64_t size_two, int64_t left_two,
                                    int64_t least)
{
    int64_t i = 0, j = 0, common = 0;
    while (i < size_one && j < size_two && common + (left_one < left_two ? left_one : left_two) >= least) {
        const uint64_t a = one[i], b = two[j];
        common += a == b ? (weights ? weights[i] : 1) : 0;
        left_one -= a <= b ? (weights ? weights[i] : 1) : 0;
        left_two -= b <= a ? (weights ? others[j] : 1) : 0;
        i += a <= b;
        j += b <= a;
    }
    return common >= least ? common : 0;
}

/* Without weights, it counts. */
const char *common_weights(Arrays *all)
{
    const Py_buffer *view = all->view;
    const uint64_t *tokens = view[0].buf;
    const int64_t *weights = view[1].buf, *starts = view[2].buf, *sizes = view[3].buf, *totals = view[4].buf,
                  *left = view[5].buf, *right = view[6].buf, *least = view[7].buf;
    int64_t *out = view[8].buf;
    const int64_t number = view[2].len / 8;
    int bad = (view[1].len && view[1].len != view[0].len) || view[4].len != view[2].len;
    for (int i = 6; i < 9; i++)
        bad |= view[i].len != view[5].len;
    if (bad || !are_rows(&view[5], number) || !are_rows(&view[6], number) || !are_sets(&view[0], &view[2], &view[3]))
        return MISFIT;
    for (Py_ssize_t i = 0; i < view[5].len / 8; i++) {
        const int64_t one = left[i], two = right[i], first = starts[one], second = starts[two];
        out[i] = view[1].len ? common_weight(tokens + first, weights + first, sizes[one], totals[one], tokens + second,
                                             weights + second, sizes[two], totals[two], least[i])
                             : common_weight(tokens + first, NULL, sizes[one], sizes[one], tokens + second, NULL,
                                             sizes[two], sizes[two], least[i]);
    }
    return NULL;
}

/* The first place from `start` to `end` with a row that is not less than this one. */
static int64_t first_from(const int64_t *rows, int64_t start, int64_t end, int64_t row)
{
    while (start < end) {
        int64_t middle = start + (end - start) / 2;
        if (rows[middle] < row)
            start = middle + 1;
        else
            end = middle;
    }
    return start;
}

typedef struct {
    const int64_t *rows, *bounds; /* the rows that have each token, and where they begin and end */
    const int64_t *weights; /* of each token; NULL if none has one */
    int64_t entries, tokens, number;
    uint32_t *counts; /* for each row; not 0 if the row was met */
    int64_t *sums;    /* for each row, of the weights */
    int64_t *met, meetings;
} Counting;

/* Counts a token of a row for all rows from `after` on that have it, or only for those that were met before. Returns
   whether the arrays were wrong. */
static int count_token(Counting *all, int64_t token, int64_t after, int anew)
{
    if (token < 0 || token >= all->tokens)
        return 1;
    int64_t start = all->bounds[token], end = all->bounds[token + 1];
    if (start < 0 || end < start || end > all->entries)
        return 1;
    start = first_from(all->rows, start, end, after);
    if (!anew && end - start > 8 * all->meetings) { /* few rows were met: search for these */
        for (int64_t i = 0; i < all->meetings; i++) {
            int64_t place = first_from(all->rows, start, end, all->met[i]);
            int is_there = place < end && all->rows[place] == all->met[i];
            all->counts[all->met[i]] += is_there;
            if (all->weights)
                all->sums[all->met[i]] += is_there ? all->weights[token] : 0;
        }
        return 0;
    }
    for (; start < end; start++) {
        int64_t row = all->rows[start];
        if (row < 0 || row >= all->number)
            return 1;
        if (anew && !all->counts[row])
            all->met[all->meetings++] = row;
        all->counts[row] += anew || all->counts[row];
        if (all->weights)
            all->sums[row] += all->counts[row] ? all->weights[token] : 0;
    }
    return 0;
}

/* Counts for each row that asks; returns whether the arrays were wrong. */
static int count_shared(Counting *all, Arrays *arrays)
{
    const int64_t *numbers = arrays->view[0].buf, *starts = arrays->view[1].buf, *sizes = arrays->view[2].buf;
    const int64_t last = arrays->number[1], after = arrays->number[2], least = arrays->number[3];
    int64_t *out = arrays->view[6].buf, room = (arrays->view[6].len / 8 - 2) / 3, pairs = 0;
    out[0] = 0;
    for (int64_t row = arrays->number[0]; row < last; row++) {
        const int64_t size = sizes[row], from = row + 1 > after ? row + 1 : after;
        all->meetings = 0;
        for (int64_t i = 0; i < size; i++)
            if (count_token(all, numbers[starts[row] + i], from, i <= size - least))
                return 1;
        out[0] += all->meetings;
        for (int64_t i = 0; i < all->meetings; i++) {
            const int64_t other = all->met[i], count = all->counts[other];
            int64_t sum = count;
            all->counts[other] = 0;
            if (all->weights) {
                sum = all->sums[other];
                all->sums[other] = 0;
            }
            if (count < least)
                continue;
            if (pairs == room)
                return 1;
            int64_t *pair = out + 2 + 3 * pairs++;
            pair[0] = row;
            pair[1] = other;
            pair[2] = sum;
        }
    }
    out[1] = pairs;
    return 0;
}

/* shared_counts(first, last, after, least, numbers, starts, sizes, rows, bounds, weights, out): see reference_arrays.py.
   weights: empty if there are none. out: the number of rows met, the number of pairs, and for each pair two rows and a
   count, or the sum of weights. */
const char *shared_counts(Arrays *arrays)
{
    const Py_buffer *view = arrays->view;
    Counting all = {.rows = view[3].buf, .bounds = view[4].buf, .entries = view[3].len / 8,
                    .tokens = view[4].len / 8 - 1, .number = view[2].len / 8,
                    .weights = view[5].len ? view[5].buf : NULL};
    if (!are_sets(&view[0], &view[1], &view[2]) || arrays->number[0] < 0 || arrays->number[1] > all.number ||
        view[6].len < 16 || (all.weights && view[5].len / 8 != all.tokens))
        return MISFIT;
    all.counts = calloc((size_t)all.number + 1, sizeof *all.counts);
    all.sums = calloc(all.weights ? (size_t)all.number + 1 : 1, sizeof *all.sums);
    all.met = malloc(((size_t)all.number + 1) * sizeof *all.met);
    const char *failure = !all.counts || !all.sums || !all.met  ? NO_MEMORY
                          : count_shared(&all, arrays) ? MISFIT
                                                       : NULL;
    free(all.counts);
    free(all.sums);
    free(all.met);
    return failure;
}
