/* Columns, which functions fill from lines; and ids with numbers, from which functions write lines. */

#ifndef SHINGLETOOLS_COLUMNS_H
#define SHINGLETOOLS_COLUMNS_H

#include "payloads.h"

enum { MOST_FIELDS = 24 };

/* A column that grows: see line_columns.ColumnData. */
typedef struct {
    Bytes data, sizes, starts;
} Column;

/* The start of each row, the end of its last value, and the columns. The rest is working memory. */
typedef struct {
    Bytes starts, lasts, sorted, text;
    Column columns[MOST_FIELDS];
    Shingles shingles;
} Columns;

/* The layout of a payload: digits of a group, and bytes in all, or 0 for a set of any size. */
typedef struct {
    size_t digits, size;
} Layout;

void free_columns(Columns *columns);

/* Adds a set of numbers, which may be changed; -1 with an exception. */
int add_set(Column *column, const Layout *layout, uint64_t *values, size_t count, Bytes *room);

/* What read_columns returns of the lines before the next one, with the first `count` columns; NULL with an exception. */
PyObject *columns_read(const Columns *columns, int count, const Lines *lines);

/* Works on the lines of `data` from `start` on as linked_lines does: see splice.h. layout: NULL for None. */
PyObject *splice_lines(Work work, void *self, PyObject *tuple, PyObject *data, Py_ssize_t start, const Layout *layout);

static inline int add_number(Bytes *out, int64_t number)
{
    return add_bytes(out, &number, sizeof number);
}

static inline PyObject *bytes_of(const Bytes *bytes)
{
    return PyBytes_FromStringAndSize((const char *)bytes->data, (Py_ssize_t)bytes->used);
}

/* The data and ends of ids, and the numbers of the selected ones: see ids.SelectedIds. */
typedef struct {
    Py_buffer data, ends, numbers;
} Named;

/* The id whose number stands at a place of `numbers`; NULL with a ValueError if there is none. */
static inline const char *named(const Named *side, Py_ssize_t place, size_t *size)
{
    const Py_ssize_t word = sizeof(int64_t);
    const int64_t *ends = side->ends.buf;
    const int64_t number = place < side->numbers.len / word ? ((const int64_t *)side->numbers.buf)[place] : -1;
    if (number >= 0 && number < side->ends.len / word) {
        const int64_t start = number ? ends[number - 1] : 0;
        if (start >= 0 && start <= ends[number] && ends[number] <= side->data.len) {
            *size = (size_t)(ends[number] - start);
            return (const char *)side->data.buf + start;
        }
    }
    PyErr_SetString(PyExc_ValueError, "no ids of these numbers");
    return NULL;
}

static inline void release_named(Named *side)
{
    PyBuffer_Release(&side->data);
    PyBuffer_Release(&side->ends);
    PyBuffer_Release(&side->numbers);
}

#endif
