/* What simgroup and dedup read of ordinary lines, as arrays; what pairs connect; and groups as lines.

   Each reader takes (lines, at, ...): lines in a bytes object, and where the first begins. It stops at the first that is
   out of the ordinary, and returns how many it took and where the next begins, then arrays of int64 but for the ids,
   which are JSON, one after the other. */

#include "columns.h"

enum { DECIMALS = 12 /* of so few, a double keeps each */ };

/* A number as it is spelled, from 0 to 9.99..., in units of 10^-DECIMALS; -1 if it has another form. */
static int64_t scaled(const Member *member)
{
    const uint8_t *at = member->value, *end = member->end;
    if (at == end || *at < '0' || *at > '9')
        return -1;
    int64_t value = *at++ - '0';
    int decimals = 0;
    if (at < end && *at++ != '.')
        return -1;
    for (; at < end && decimals < DECIMALS && *at >= '0' && *at <= '9'; decimals++)
        value = 10 * value + *at++ - '0';
    if (at < end)
        return -1;
    for (; decimals < DECIMALS; decimals++)
        value *= 10;
    return value;
}

/* Where the reading of lines is. */
typedef struct {
    const uint8_t *first, *end, *line, *stop;
    int64_t lines;
} Reader;

/* Whether there is such a place; if not, with an exception. */
static int begin(Reader *reader, PyObject *data, Py_ssize_t start)
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

/* Whether there is a line, whose end is then found. */
static int has_line(Reader *reader)
{
    if (reader->line < reader->end)
        reader->stop = end_of_line(reader->line, reader->end);
    return reader->line < reader->end;
}

static void next_line(Reader *reader)
{
    reader->lines++;
    reader->line = reader->stop < reader->end ? reader->stop + 1 : reader->end;
}

/* (lines, at, least): the ids of pairs, a and b of each, that are at least so similar, in units of 10^-DECIMALS; of all
   if `least` is below 0. A pair that says of which side its ids are is out of the ordinary. Returns (lines, where the
   next begins, ids, bytes of each). */
PyObject *read_pairs(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *data, *result = NULL;
    Py_ssize_t start;
    long long least;
    Reader reader;
    if (!PyArg_ParseTuple(args, "O!nL", &PyBytes_Type, &data, &start, &least) || !begin(&reader, data, start))
        return NULL;
    Member members[4] = {{.name = (const uint8_t *)"a", .name_size = 1},
                         {.name = (const uint8_t *)"b", .name_size = 1},
                         {.name = (const uint8_t *)"similarity", .name_size = 10},
                         {.name = (const uint8_t *)"against", .name_size = 7}};
    const Member *a = &members[0], *b = &members[1];
    Bytes ids = {0}, sizes = {0};
    for (; has_line(&reader); next_line(&reader)) {
        const uint8_t *last;
        int64_t similarity = 0;
        if (!find_members(reader.line, reader.stop, members, 4, &last) || !is_id(a) || !is_id(b))
            break;
        if (members[3].kind != ABSENT)
            break;
        if (a->end - a->value == b->end - b->value && !memcmp(a->value, b->value, (size_t)(a->end - a->value)))
            break;
        if (least >= 0 && (members[2].kind == ABSENT || (similarity = scaled(&members[2])) < 0))
            break;
        if (similarity >= least && (add_id(&ids, &sizes, a) || add_id(&ids, &sizes, b)))
            goto done;
    }
    result = Py_BuildValue("(LnNN)", (long long)reader.lines, (Py_ssize_t)(reader.line - reader.first),
                           bytes_of(&ids), bytes_of(&sizes));
done:
    free(ids.data);
    free(sizes.data);
    return result;
}

/* (lines, at): pairs with what dedup asks of them. Returns (lines, where the next begins, ids of a, bytes of each, ids
   of b, bytes of each, similarities in units of 10^-DECIMALS or -1 where there is none, and whether the pair is one of
   two sides, a byte each). */
PyObject *read_similarities(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *data, *result = NULL;
    Py_ssize_t start;
    Reader reader;
    if (!PyArg_ParseTuple(args, "O!n", &PyBytes_Type, &data, &start) || !begin(&reader, data, start))
        return NULL;
    Member members[4] = {{.name = (const uint8_t *)"a", .name_size = 1},
                         {.name = (const uint8_t *)"b", .name_size = 1},
                         {.name = (const uint8_t *)"similarity", .name_size = 10},
                         {.name = (const uint8_t *)"against", .name_size = 7}};
    const Member *a = &members[0], *b = &members[1], *similarity = &members[2], *against = &members[3];
    Bytes ids[2] = {{0}, {0}}, sizes[2] = {{0}, {0}}, similarities = {0}, flags = {0};
    for (; has_line(&reader); next_line(&reader)) {
        const uint8_t *last;
        int64_t value = -1;
        uint8_t flag = 0;
        if (!find_members(reader.line, reader.stop, members, 4, &last) || !is_id(a) || !is_id(b))
            break;
        if (similarity->kind != ABSENT && (value = scaled(similarity)) < 0)
            break;
        if (against->kind != ABSENT && !(flag = against->end - against->value == 4 && *against->value == 't'))
            break;
        if (add_id(&ids[0], &sizes[0], a) || add_id(&ids[1], &sizes[1], b) || add_number(&similarities, value) ||
            add_bytes(&flags, &flag, 1))
            goto done;
    }
    result = Py_BuildValue("(LnNNNNNN)", (long long)reader.lines, (Py_ssize_t)(reader.line - reader.first),
                           bytes_of(&ids[0]), bytes_of(&sizes[0]), bytes_of(&ids[1]), bytes_of(&sizes[1]),
                           bytes_of(&similarities), bytes_of(&flags));
done:
    for (int i = 0; i < 2; i++) {
        free(ids[i].data);
        free(sizes[i].data);
    }
    free(similarities.data);
    free(flags.data);
    return result;
}

/* How many characters UTF-8 has. */
static int64_t characters(const uint8_t *text, size_t size)
{
    int64_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += (text[i] & 0xC0) != 0x80;
    return count;
}

/* (lines, at, (id, text, marked, mark, second mark, value)): documents by the names of their fields. text: None if its
   length does not count; marks: fields that may be there once if `marked`, else not at all; None if they do not count;
   value: None if it does not. Returns (lines, where the next begins, ids, bytes of each, where each line begins, where
   the last value of each ends, characters of each text, where each value begins and where it ends, 0 and 0 if there is
   none). */
PyObject *read_documents(PyObject *Py_UNUSED(self), PyObject *args)
{
    enum { ID, TEXT, MARK, SECOND, VALUE, NAMES };
    const char *names[NAMES];
    Py_ssize_t name_sizes[NAMES], start;
    int marked;
    PyObject *data, *result = NULL;
    Reader reader;
    if (!PyArg_ParseTuple(args, "O!n(y#z#pz#z#z#)", &PyBytes_Type, &data, &start, &names[ID], &name_sizes[ID],
                          &names[TEXT], &name_sizes[TEXT], &marked, &names[MARK], &name_sizes[MARK], &names[SECOND],
                          &name_sizes[SECOND], &names[VALUE], &name_sizes[VALUE]) ||
        !begin(&reader, data, start))
        return NULL;
    Member members[NAMES];
    Member *of[NAMES] = {NULL};
    int count = 0, paths = 0;
    for (int i = 0; i < NAMES; i++)
        if (names[i]) {
            of[i] = &members[count++];
            *of[i] = (Member){.name = (const uint8_t *)names[i], .name_size = (size_t)name_sizes[i]};
            paths |= is_path(of[i]); /* marks are none */
        }
    const Member *id = of[ID], *text = of[TEXT], *mark = of[MARK], *second = of[SECOND], *value = of[VALUE];
    Bytes ids = {0}, sizes = {0}, places = {0}, lasts = {0}, lengths = {0}, values = {0}, room = {0};
    for (; has_line(&reader); next_line(&reader)) {
        const uint8_t *last, *content;
        size_t size;
        if (!find_members(reader.line, reader.stop, members, count, &last) ||
            (paths && !find_nested(reader.line, reader.stop, members, count)) || !is_id(id))
            break;
        if (!marked && ((mark && mark->kind != ABSENT) || (second && second->kind != ABSENT)))
            break;
        if (text) {
            if (text->kind != STRING && text->kind != ESCAPED)
                break;
            room.used = 0;
            if (text_of(text, &room, &content, &size) || add_number(&lengths, characters(content, size)))
                goto done;
        }
        if (value) {
            int there = value->kind != ABSENT;
            if (add_number(&values, there ? value->value - reader.first : 0) ||
                add_number(&values, there ? value->end - reader.first : 0))
                goto done;
        }
        if (add_id(&ids, &sizes, id) || add_number(&places, reader.line - reader.first) ||
            add_number(&lasts, last - reader.first))
            goto done;
    }
    result = Py_BuildValue("(LnNNNNNN)", (long long)reader.lines, (Py_ssize_t)(reader.line - reader.first),
                           bytes_of(&ids), bytes_of(&sizes), bytes_of(&places), bytes_of(&lasts), bytes_of(&lengths),
                           bytes_of(&values));
done:
    free(ids.data);
    free(sizes.data);
    free(places.data);
    free(lasts.data);
    free(lengths.data);
    free(values.data);
    free(room.data);
    return result;
}

/* Adds the ids of a list; returns their number, -1 if there is anything else in it, -2 with an exception. */
static int64_t add_members(Bytes *ids, Bytes *sizes, const Member *list)
{
    int64_t count = 0;
    const uint8_t *at = list->value, *end = list->end;
    if (list->kind != OTHER || *at != '[')
        return -1;
    at = skip_blanks(at + 1);
    while (*at != ']') { /* the list is JSON, so that there is a next thing, and a byte behind it */
        Member id = {.kind = INTEGER, .value = at};
        if (*at == '"') {
            id.kind = STRING;
            for (at++; *at != '"'; at++)
                if (*at == '\\')
                    return -1;
            at++;
        } else {
            at += *at == '-';
            while (*at >= '0' && *at <= '9')
                at++;
        }
        id.end = at;
        at = skip_blanks(at);
        if (at == id.value || at >= end || (*at != ',' && *at != ']') || !is_id(&id))
            return -1;
        if (add_id(ids, sizes, &id))
            return -2;
        count++;
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    return count;
}

/* (lines, at): the ids of groups. Returns (lines, where the next begins, ids, bytes of each, how many each line has). */
PyObject *read_members(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *data, *result = NULL;
    Py_ssize_t start;
    Reader reader;
    if (!PyArg_ParseTuple(args, "O!n", &PyBytes_Type, &data, &start) || !begin(&reader, data, start))
        return NULL;
    Member list = {.name = (const uint8_t *)"members", .name_size = 7};
    Bytes ids = {0}, sizes = {0}, counts = {0};
    for (; has_line(&reader); next_line(&reader)) {
        const uint8_t *last;
        size_t before[2] = {ids.used, sizes.used};
        int64_t count = find_members(reader.line, reader.stop, &list, 1, &last) ? add_members(&ids, &sizes, &list) : -1;
        if (count == -2 || (count >= 0 && add_number(&counts, count)))
            goto done;
        if (count < 0) {
            ids.used = before[0];
            sizes.used = before[1];
            break;
        }
    }
    result = Py_BuildValue("(LnNNN)", (long long)reader.lines, (Py_ssize_t)(reader.line - reader.first),
                           bytes_of(&ids), bytes_of(&sizes), bytes_of(&counts));
done:
    free(ids.data);
    free(sizes.data);
    free(counts.data);
    return result;
}

/* (members, sizes): lines of groups. members: the data and ends of ids, as Ids has them, and the numbers of the members
   of all groups, one group after the other; sizes: how many each has, int64. */
PyObject *group_lines(PyObject *Py_UNUSED(self), PyObject *args)
{
    Named members = {0};
    Py_buffer sizes = {0};
    PyObject *result = NULL;
    Bytes out = {0};
    if (!PyArg_ParseTuple(args, "(y*y*y*)y*", &members.data, &members.ends, &members.numbers, &sizes))
        return NULL;
    Py_ssize_t groups = sizes.len / (Py_ssize_t)sizeof(int64_t), place = 0;
    int64_t left = members.numbers.len / (Py_ssize_t)sizeof(int64_t);
    const int64_t *size = sizes.buf;
    for (Py_ssize_t i = 0; i < groups && left >= 0; i++)
        left = size[i] < 1 ? -1 : left - size[i];
    if (left) {
        PyErr_SetString(PyExc_ValueError, "the sizes are not those of the groups");
        goto done;
    }
    for (Py_ssize_t i = 0; i < groups; i++) {
        char number[24];
        size_t its_size;
        const char *id = named(&members, place, &its_size);
        int digits = PyOS_snprintf(number, sizeof number, "%lld", (long long)size[i]);
        if (!id || add_bytes(&out, "{\"group\":", 9) || add_bytes(&out, id, its_size) || add_bytes(&out, ",\"size\":", 8) ||
            add_bytes(&out, number, (size_t)digits) || add_bytes(&out, ",\"members\":", 11))
            goto done;
        for (int64_t j = 0; j < size[i]; j++) {
            id = named(&members, place++, &its_size);
            if (!id || add_bytes(&out, j ? "," : "[", 1) || add_bytes(&out, id, its_size))
                goto done;
        }
        if (add_bytes(&out, "]}\n", 3))
            goto done;
    }
    result = bytes_of(&out);
done:
    free(out.data);
    release_named(&members);
    PyBuffer_Release(&sizes);
    return result;
}

/* The first of those that a number is connected with; each on the way is led to the one after the next. */
static int64_t first_of(int64_t *parent, int64_t number)
{
    while (parent[number] != number)
        number = parent[number] = parent[parent[number]];
    return number;
}

/* (parent, left, right, news): connects numbers, int64, by the parent of each, int64, which is no greater; news: bytes,
   one a pair, set to whether the two were not connected before. */
PyObject *connect_pairs(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_buffer parent = {0}, left = {0}, right = {0}, news = {0};
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "w*y*y*w*", &parent, &left, &right, &news))
        return NULL;
    const Py_ssize_t word = sizeof(int64_t), pairs = news.len;
    const int64_t numbers = parent.len / word, *one = left.buf, *two = right.buf;
    int good = left.len == word * pairs && right.len == word * pairs;
    for (Py_ssize_t i = 0; good && i < pairs; i++)
        good = one[i] >= 0 && one[i] < numbers && two[i] >= 0 && two[i] < numbers;
    if (!good) {
        PyErr_SetString(PyExc_ValueError, "no pairs of these numbers");
        goto done;
    }
    for (Py_ssize_t i = 0; i < pairs; i++) {
        int64_t a = first_of(parent.buf, one[i]), b = first_of(parent.buf, two[i]);
        ((int64_t *)parent.buf)[a > b ? a : b] = a > b ? b : a;
        ((uint8_t *)news.buf)[i] = a != b;
    }
    result = Py_NewRef(Py_None);
done:
    PyBuffer_Release(&parent);
    PyBuffer_Release(&left);
    PyBuffer_Release(&right);
    PyBuffer_Release(&news);
    return result;
}
