/* What a filter does to lines: one value gives way to another, the recipe grows, every other byte stays. */

#ifndef SHINGLETOOLS_SPLICE_H
#define SHINGLETOOLS_SPLICE_H

#include "records.h"

typedef enum {
    FAILED = -1, /* with an exception */
    ODD,         /* nothing was made: the definition must judge */
    TEXT,        /* that is to be quoted and escaped */
    PLAIN,       /* text in which nothing is to be escaped */
    JSON,        /* a value as it is to stand */
} Made;

/* Makes a payload of a text, which is followed by a byte that ends it, into what has nothing yet. */
typedef Made (*Work)(void *self, const uint8_t *text, size_t size, Bytes *made);

/* (fields, data, at): the lines of `data` from `at` on, up to the first that is not ordinary or fails. Returns a tuple:
   the lines made, their number, where the first line begins that was not done, and its exception or None.

   fields: (id, consumed, produced, keep, recipe), the names as they stand between quotes, the recipe likewise. */
PyObject *splice_lines(Work work, void *self, PyObject *fields, PyObject *data, Py_ssize_t at);

#endif
