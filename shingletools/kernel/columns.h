/* What collectors take of lines, and write of them: arrays that grow, and ids that stand among others. */

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

/* Ids one after the other, where each ends, and the numbers of some of them. */
typedef struct {
    Py_buffer data, ends, numbers;
} Named;

/* The id of one of the numbers; NULL with a ValueError if there is no such. */
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
