/* Arrays from Python: contiguous buffers in the machine's byte order:

       rows     uint8, uint16, uint32 or uint64: a value for each component of a signature, row by row
       left, right, firsts, lasts, starts, sizes, wanted    int64; also least, if there is one for each pair
       tokens   uint64, one set after the other, each ascending; starts and sizes give the place of each set
       weights  int64, of each token; totals: of all tokens of each set
       counters uint32, 2^22: in how many sets the tokens of each counter are
       keys     uint64
       table    uint64, pairs of words, fewer than 2^32 bits in all first ones
       numbers  int64, of the tokens of one set after the other; rows, bounds: the rows that have each number
       entries, targets    Entry of candidates.c: sets in buckets
       out      int64 for counts and places, uint64 for keys, bytes of 0 or 1 for marked
*/

#ifndef SHINGLETOOLS_ARRAYS_H
#define SHINGLETOOLS_ARRAYS_H

#include "kernel.h"

/* The arguments of a function over arrays, which come in this order. */
typedef struct {
    int64_t number[4]; /* whole numbers */
    double share;
    Py_buffer view[9];
    int64_t result; /* what the function returns */
} Arrays;

/* Works on arrays without Python's lock. Returns NULL, or why it fails: NO_MEMORY, or the message of a ValueError. */
typedef const char *WorkOnArrays(Arrays *all);

extern const char MISFIT[], NO_MEMORY[];

/* The functions: how many arrays each takes, from which one on it may write to them, and what comes first. */
#define ARRAY_FUNCTIONS(F)                                                                                            \
    F(agreements, 6, 5, "(width, size, least, rows, left, right, firsts, lasts, out): how many share no band")         \
    F(band_keys, 5, 4, "(width, size, rows, firsts, lasts, some, out): keys of the rows whose flag is set")           \
    F(mark, 2, 1, "(keys, table): how many more keys are at places that were seen again")                             \
    F(marked, 3, 2, "(keys, table, out): 1 for each key whose place was seen again")                                  \
    F(bounded_candidates, 7, 6, "(kind, share, entries, targets, starts, counts, tokens, counters, out)")             \
    F(parities, 4, 3, "(tokens, starts, sizes, out)")                                                                 \
    F(set_keys, 4, 3, "(tokens, starts, sizes, out)")                                                                 \
    F(count_tokens, 2, 1, "(tokens, counters)")                                                                       \
    F(rarest, 6, 5, "(tokens, starts, sizes, wanted, counters, out)")                                                 \
    F(common_weights, 9, 8, "(tokens, weights or none, starts, sizes, totals, left, right, least, out)")              \
    F(shared_counts, 7, 6, "(first, last, after, least, arrays): see overlaps.c")                                     \
    F(connect_pairs, 4, 2, "(left, right, parent, news): see groups.c")                                               \
    F(list_ends, 3, 1, "(ends, before, last): see independent_set.c")                                                 \
    F(greedy_independent_set, 8, 6, "(documents, pairs, kept): see independent_set.c")                                \
    F(decide_by_cover, 7, 6, "(documents, pairs, state): see independent_set.c")                                      \
    F(greedy_independent_set_of_pairs, 2, 1, "(pairs, partner): see independent_set.c")                               \
    F(equal_words, 6, 5, "(texts, others, left, right, words, out): see winnowing.c")                                 \
    F(own_words, 9, 8, "(short, key, texts, left, right, out): see own_words.c")

#define DECLARE_WORK(NAME, ...) WorkOnArrays NAME;
ARRAY_FUNCTIONS(DECLARE_WORK)

/* Takes numbers and `count` arrays, does the work, and returns its result. It may write to the arrays from `written` on. */
PyObject *with_arrays(PyObject *args, int count, int written, WorkOnArrays work);

/* Whether all values of an index array are rows. */
static inline int are_rows(const Py_buffer *index, int64_t rows)
{
    const int64_t *values = index->buf;
    int64_t bad = 0;
    for (Py_ssize_t i = 0; i < index->len / 8; i++)
        bad |= values[i] < 0 || values[i] >= rows;
    return !bad;
}

/* Whether there are as many starts as sizes, and all sets are within the tokens. */
static inline int are_sets(const Py_buffer *tokens, const Py_buffer *starts, const Py_buffer *sizes)
{
    const int64_t *start = starts->buf, *size = sizes->buf;
    int64_t bad = starts->len != sizes->len;
    for (Py_ssize_t i = 0; i < starts->len / 8 && !bad; i++)
        bad |= start[i] < 0 || size[i] < 0 || start[i] > tokens->len / 8 - size[i];
    return !bad;
}

#endif
