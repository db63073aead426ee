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

   fields: (id, consumed, produced, keep, recipe, between, placed), the names as they stand between quotes, the recipe
   likewise. `between` is a tuple of names that an ordinary line does not have. If `placed`, the work makes words, a line
   feed and their places: what was consumed and the places become members, which an ordinary line does not have. */
PyObject *splice_lines(Work work, void *self, PyObject *fields, PyObject *data, Py_ssize_t at);

/* A filter in C. Where one follows another, its payload may pass as an array of uint64 instead of its digits:
   no type has both functions for numbers. */
typedef struct {
    Work work;
    Work to_numbers; /* makes an array; or NULL */
    Work of_numbers; /* is given an array instead of a text; or NULL */
    void *(*start)(PyObject *arguments); /* for some lines, `self` of the above; NULL with an exception */
    void (*end)(void *self);             /* or NULL */
} LinkType;

/* A link of a chain, as Python has it: a tuple of a capsule with the type, and of the arguments, whose reference is
   taken, and which may be NULL with an exception. */
PyObject *new_link(const LinkType *type, PyObject *arguments);

/* So many zeros for `start`; PyMem_Free frees them. NULL with an exception. */
void *new_self(size_t size);

#endif
