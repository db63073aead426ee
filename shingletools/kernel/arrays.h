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

static inline void release(Py_buffer *views, int count)
{
    while (count--)
        PyBuffer_Release(&views[count]);
}

static inline PyObject *fail_arrays(void)
{
    PyErr_SetString(PyExc_ValueError, "arrays of the wrong size");
    return NULL;
}

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
