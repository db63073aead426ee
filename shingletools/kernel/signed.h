/* Ids and signatures as arrays, for collectors. */

#ifndef SHINGLETOOLS_SIGNED_H
#define SHINGLETOOLS_SIGNED_H

#include "columns.h"
#include "payloads.h"

enum { PAYLOADS = 2 };

/* Arrays that grow: ids and the bytes of each; the starts of lines and of values in them; labels, those of one line
   after those of the line before, and the bytes of each; payloads and the bytes of each. Also the groups of one payload,
   and room to sort them. */
typedef struct {
    Bytes ids, id_sizes, places, values, labels, label_sizes, data[PAYLOADS], sizes[PAYLOADS], sorted;
    Shingles shingles;
} Columns;

/* A payload that is looked for: digits of a group, and its bytes, or 0 for a set of any size. */
typedef struct {
    size_t digits, size;
} Form;

void free_columns(Columns *columns);

/* Adds a set of numbers, which may be changed; -1 with an exception. */
int add_set(Columns *columns, int which, const Form *form, uint64_t *values, size_t count);

/* What was read, for Python: (number of lines, start of the next one, ids, bytes of each, start of each line, starts of
   its id and its first payload, payloads, bytes of each, labels line by line, bytes of each); NULL with an exception. */
PyObject *columns_read(const Columns *columns, int payloads, int64_t lines, Py_ssize_t next);

/* Works on the lines of `data` from `start` on as linked_lines does, or with a form as signed_lines: see splice.h. */
PyObject *splice_lines(Work work, void *self, PyObject *tuple, PyObject *data, Py_ssize_t start, const Form *form,
                       int bare);

#endif
