/* Lines of JSON as bytes: where the members of a record stand, if the line is an ordinary one.

   A line is ordinary if all of this is plain without reading a number or making an object: it is JSON that orjson reads,
   an object whose own names have no backslash and brackets less than DEEPEST deep, and of the members that are looked
   for none stands twice, nor any on the way to one. Any other line, good or bad, is for the definition in Python to judge (records.py).

   Lines are parts of a bytes object, so that there is always a byte behind them: a line feed, or the zero at its end.
*/

#ifndef SHINGLETOOLS_RECORDS_H
#define SHINGLETOOLS_RECORDS_H

#include "memo.h"

enum {
    DEEPEST = 60,       /* brackets, one for each bit of a word */
    LONGEST_NUMBER = 64 /* bytes of a number of which no one asks whether it is too large for a double */
};

typedef enum { ABSENT, STRING, ESCAPED, INTEGER, OTHER } Kind; /* of a value; a string may have backslashes */

/* A member that is looked for by its name, and what is found. */
typedef struct {
    const uint8_t *name;
    size_t name_size;
    Kind kind;
    int nested;                /* found within an object of the record */
    const uint8_t *name_at;    /* its quote */
    const uint8_t *value, *end; /* with its quotes if it is a string */
} Member;

/* Whether a line is ordinary; then the members that were looked for are filled in, and *last is the end of the last
   value of all. */
int find_members(const uint8_t *line, const uint8_t *end, Member *members, int count, const uint8_t **last);

/* Whether a name may be a path: names of objects within objects, with dots between. */
static inline int is_path(const Member *member)
{
    return member->name_size && memchr(member->name, '.', member->name_size);
}

/* Looks within objects for paths among the members that find_members, called before, has not found by their whole
   names; whether the line is still ordinary. */
int find_nested(const uint8_t *line, const uint8_t *end, Member *members, int count);

/* Whether a value can name a document as it is spelled: a string without a backslash or an integer of 64 bits. */
int is_id(const Member *member);

/* What a string stands for: in place, or behind what `room` has, which is ended by a zero. -1 with an exception. */
int text_of(const Member *member, Bytes *room, const uint8_t **text, size_t *size);

/* Text as a JSON string, escaped where it must be, as orjson does. -1 with an exception. */
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

/* Behind the blanks of JSON that a line can have. */
static inline const uint8_t *skip_blanks(const uint8_t *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r')
        at++;
    return at;
}

/* The end of the line that begins here, its line feed not counted. */
static inline const uint8_t *end_of_line(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *feed = memchr(at, '\n', (size_t)(end - at));
    return feed ? feed : end;
}

#endif
