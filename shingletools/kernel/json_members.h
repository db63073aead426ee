/* Finds the members of a record in a line of JSON, if the line is ordinary.

   A line is ordinary if this can be told without reading a number or making an object: it is JSON that orjson reads; it
   is an object whose own names have no backslash; its brackets are less than DEEPEST deep; and none of the members that
   are looked for, or that lead to them, occurs twice. The definition in Python (json_members.py) judges all other lines.

   Lines are parts of a bytes object, so a byte always follows them: a line feed, or the zero at its end.
*/

#ifndef SHINGLETOOLS_JSON_MEMBERS_H
#define SHINGLETOOLS_JSON_MEMBERS_H

#include "memo.h"

enum {
    DEEPEST = 60,       /* brackets, one for each bit of a word */
    LONGEST_NUMBER = 64 /* bytes of a number that is not too large for a double */
};

typedef enum { ABSENT, STRING, ESCAPED, INTEGER, OTHER } Kind; /* of a value; ESCAPED: a string with backslashes */

/* A member that is looked for by its name, and its place. */
typedef struct {
    const uint8_t *name;
    size_t name_size;
    Kind kind;
    int nested;                /* whether it is inside an object of the record */
    const uint8_t *name_at;    /* its quote */
    const uint8_t *value, *end; /* with its quotes if it is a string */
} Member;

/* Whether a line is ordinary. If so, the places of members are filled in, and *last is the end of the line's last
   value. */
int find_members(const uint8_t *line, const uint8_t *end, Member *members, int count, const uint8_t **last);

/* Where "[]", which means each element of a list, stands first in a name; NULL if nowhere. */
static inline const uint8_t *brackets_in(const uint8_t *name, const uint8_t *end)
{
    while (end - name > 1 && (name = memchr(name, '[', (size_t)(end - name - 1))) && name[1] != ']')
        name++;
    return end - name > 1 ? name : NULL;
}

static inline int leads_into_lists(const Member *member)
{
    return brackets_in(member->name, member->name + member->name_size) != NULL;
}

/* Whether a name can be a path into objects alone: names of nested members with dots between. */
static inline int is_path(const Member *member)
{
    return member->name_size && memchr(member->name, '.', member->name_size) && !leads_into_lists(member);
}

/* Looks inside objects for members that are paths, and that find_members, called first, has not found by their whole
   names. Returns whether the line is still ordinary. */
int find_nested(const uint8_t *line, const uint8_t *end, Member *members, int count);

/* Whether a string, number or literal begins here; then its kind and place are filled in. */
int find_scalar(const uint8_t *at, const uint8_t *end, Member *found);

/* Whether a value begins here whose brackets, if it has some, are less than DEEPEST deep. */
int find_value(const uint8_t *at, const uint8_t *end, Member *found);

/* Whether a value can name a document as it is spelled: a string without a backslash or an integer of 64 bits. */
int is_id(const Member *member);

static inline int is_text(const Member *member)
{
    return member->kind == STRING || member->kind == ESCAPED;
}

/* The text of a string: in place, or put behind what `room` has, with a zero at its end. -1 with an exception. */
int text_of(const Member *member, Bytes *room, const uint8_t **text, size_t *size);

/* Writes text as a JSON string with the escapes that orjson makes. -1 with an exception. */
int add_quoted(Bytes *out, const uint8_t *text, size_t size);

static inline int add_bytes(Bytes *out, const void *data, size_t size)
{
    if (grow(out, size))
        return -1;
    if (size)
        memcpy(out->data + out->used, data, size);
    out->used += size;
    return 0;
}

/* The value of a hex digit, or -1. */
static inline int digit_of(uint8_t letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    letter |= 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* The end of blanks, as JSON has them in a line. */
static inline const uint8_t *skip_blanks(const uint8_t *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r')
        at++;
    return at;
}

/* The end of the line that begins here, without its line feed. */
static inline const uint8_t *end_of_line(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *feed = memchr(at, '\n', (size_t)(end - at));
    return feed ? feed : end;
}

/* The lines of a bytes object, one after the other. */
typedef struct {
    const uint8_t *first, *end; /* of all */
    const uint8_t *line, *stop; /* the next line, and its end without the line feed */
    int64_t rows;               /* lines before it, from the start on */
} Lines;

/* Begins at a place in the lines; -1 with an exception if it is not in them. */
static inline int begin_lines(Lines *lines, PyObject *data, Py_ssize_t start)
{
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(data, &bytes, &size))
        return -1;
    if (start < 0 || start > size) {
        PyErr_SetString(PyExc_ValueError, "no place in the lines");
        return -1;
    }
    const uint8_t *first = (const uint8_t *)bytes;
    *lines = (Lines){.first = first, .end = first + size, .line = first + start};
    return 0;
}

/* Whether there is a next line; then finds its end. */
static inline int has_line(Lines *lines)
{
    if (lines->line < lines->end)
        lines->stop = end_of_line(lines->line, lines->end);
    return lines->line < lines->end;
}

static inline void next_line(Lines *lines)
{
    lines->rows++;
    lines->line = lines->stop < lines->end ? lines->stop + 1 : lines->end;
}

#endif
