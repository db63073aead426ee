/* Arrays that grow, and ids among others, for functions that read and write lines of collectors. */

#ifndef SHINGLETOOLS_COLUMNS_H
#define SHINGLETOOLS_COLUMNS_H

#include "records.h"

static inline int add_number(Bytes *out, int64_t number)
{
    return add_bytes(out, &number, sizeof number);
}

static inline PyObject *bytes_of(const Bytes *bytes)
{
    return PyBytes_FromStringAndSize((const char *)bytes->data, (Py_ssize_t)bytes->used);
}

static inline int add_id(Bytes *ids, Bytes *sizes, const Member *id)
{
    return add_bytes(ids, id->value, (size_t)(id->end - id->value)) || add_number(sizes, id->end - id->value);
}

/* Ids one after the other, the end of each, and the numbers of some of them. */
typedef struct {
    Py_buffer data, ends, numbers;
} Named;

/* The id with the i-th number; NULL with a ValueError if there is none. */
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

/* The state of reading lines. */
typedef struct {
    const uint8_t *first, *end, *line, *stop;
    int64_t lines;
} Reader;

/* Whether the place is in the lines; if not, with an exception. */
static inline int begin(Reader *reader, PyObject *data, Py_ssize_t start)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(data, &bytes, &size))
        return 0;
    if (start < 0 || start > size) {
        PyErr_SetString(PyExc_ValueError, "no place in the lines");
        return 0;
    }
    reader->first = (const uint8_t *)bytes;
    reader->end = reader->first + size;
    reader->line = reader->first + start;
    reader->lines = 0;
    return 1;
}

/* Whether there is another line; then finds its end. */
static inline int has_line(Reader *reader)
{
    if (reader->line < reader->end)
        reader->stop = end_of_line(reader->line, reader->end);
    return reader->line < reader->end;
}

static inline void next_line(Reader *reader)
{
    reader->lines++;
    reader->line = reader->stop < reader->end ? reader->stop + 1 : reader->end;
}

/* What was read, if all went well: (lines, where the next begins, the columns). The columns are freed. */
static inline PyObject *end_reading(const Reader *reader, Bytes *columns, Py_ssize_t count, int well)
{
    PyObject *result = well ? PyTuple_New(2 + count) : NULL;
    for (Py_ssize_t i = 0; result && i < 2 + count; i++) {
        PyObject *item = i == 0   ? PyLong_FromLongLong(reader->lines)
                         : i == 1 ? PyLong_FromSsize_t(reader->line - reader->first)
                                  : bytes_of(&columns[i - 2]);
        if (!item || PyTuple_SetItem(result, i, item))
            Py_CLEAR(result);
    }
    for (Py_ssize_t i = 0; i < count; i++)
        free(columns[i].data);
    return result;
}

static inline void release_named(Named *side)
{
    PyBuffer_Release(&side->data);
    PyBuffer_Release(&side->ends);
    PyBuffer_Release(&side->numbers);
}

#endif
