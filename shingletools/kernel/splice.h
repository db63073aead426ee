/* Applies filters to lines: the payload is replaced, the recipe extended, every other byte stays. */

#ifndef SHINGLETOOLS_SPLICE_H
#define SHINGLETOOLS_SPLICE_H

#include "json_members.h"

typedef enum {
    FAILED = -1, /* with an exception */
    ODD,         /* nothing was made: the line must go through the definition */
    TEXT,        /* text that must be quoted and escaped */
    PLAIN,       /* text that needs no escapes */
    JSON,        /* a value that is JSON already */
    BYTES,       /* an array of uint8, which are written as groups of 2 digits */
    SHORTS,      /* an array of uint16, which are written as groups of 4 digits */
    NARROW,      /* an array of uint32, which are written as groups of 8 digits */
    WIDE,        /* an array of uint64, which are written as groups of 16 digits */
} Made;

/* The digit groups of a payload as numbers. */
typedef struct {
    Bytes room;
    uint64_t *values; /* in `room`, or in the output of a link */
    size_t count;
    int narrow; /* whether they have 8 digits */
} Shingles;

/* Makes a payload from a text, which a byte after it ends; or from shingles, at least one. The output is empty before. */
typedef Made (*Work)(void *self, const uint8_t *text, size_t size, Bytes *made);
typedef Made (*WorkOnShingles)(void *self, Shingles *shingles, Bytes *made);

/* linked_lines(links, fields, data, at, layout): works on the lines of `data` from `at` on, up to the first that is not
   ordinary or fails. Returns a tuple: the lines made, their number, the start of the first line not done, and its
   exception or None. lines.FilterFields says what the fields are.

   With a layout (digits, size), which is that of a field of line_columns.Kind.GROUPS, it makes columns of ids and
   payloads in place of lines, and returns them as read_columns does, without starts.

   link_function(function): the function takes a string, and returns one, or bytes that are JSON. */

/* A filter's functions in C. */
typedef struct {
    Work work;
    WorkOnShingles of_shingles;          /* if it takes a payload of shingles; then `work` is NULL */
    void *(*start)(PyObject *arguments); /* makes `self` of the above, for several lines; NULL with an exception */
    void (*end)(void *self);             /* frees it; NULL if not needed */
} LinkType;

#define LINK "shingletools.kernel.LinkType" /* the name of its capsules */

/* A link of a chain, for Python: a tuple of a capsule with the type, and of the arguments. It takes over their
   reference; they may be NULL with an exception. */
PyObject *new_link(const LinkType *type, PyObject *arguments);

/* Memory of zeros for `start`; PyMem_Free frees it. NULL with an exception. */
void *new_self(size_t size);

/* A `start` for functions that need only their arguments. */
void *take_arguments(PyObject *arguments);

#endif
