/* Reads ordinary lines for simgroup and dedup, as arrays; connects pairs; writes groups as lines.

   Each reader gets (lines, at, ...): lines in a bytes object, and the start of the first one. It stops at the first
   line that is not ordinary. It returns the number of lines taken, the start of the next one, and arrays of int64,
   except ids, which are JSON, one after the other. */

#include "columns.h"

enum { DECIMALS = 12 /* a double keeps so many */ };

/* A number from 0 to 9.99..., in units of 10^-DECIMALS; -1 if it has another form. */
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

enum { A, B, SIMILARITY, SIDE, PAIR_MEMBERS };

static const Member PAIR[PAIR_MEMBERS] = {{.name = (const uint8_t *)"a", .name_size = 1},
                                          {.name = (const uint8_t *)"b", .name_size = 1},
                                          {.name = (const uint8_t *)"similarity", .name_size = 10},
                                          {.name = (const uint8_t *)"against", .name_size = 7}};

/* Whether a line is ordinary and has the ids of a pair. */
static int read_pair(const Reader *reader, Member *members)
{
    const uint8_t *last;
    return find_members(reader->line, reader->stop, members, PAIR_MEMBERS, &last) && is_id(&members[A]) &&
           is_id(&members[B]);
}

/* (lines, at, least): reads pairs. It gives the ids, a and b, of pairs with a similarity of at least `least`, in units
   of 10^-DECIMALS; of all pairs if that is below 0. A pair that tells its sides is not ordinary. Returns (number of
   lines, start of the next one, ids, bytes of each). */
PyObject *read_pairs(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *data;
    Py_ssize_t start;
    long long least;
    Reader reader;
    if (!PyArg_ParseTuple(args, "O!nL", &PyBytes_Type, &data, &start, &least) || !begin(&reader, data, start))
        return NULL;
    Member members[PAIR_MEMBERS];
    memcpy(members, PAIR, sizeof PAIR);
    const Member *a = &members[A], *b = &members[B];
    enum { IDS, SIZES, COLUMNS };
    Bytes columns[COLUMNS] = {0};
    int failed = 0;
    for (; !failed && has_line(&reader); next_line(&reader)) {
        int64_t similarity = 0;
        if (!read_pair(&reader, members) || members[SIDE].kind != ABSENT)
            break;
        if (a->end - a->value == b->end - b->value && !memcmp(a->value, b->value, (size_t)(a->end - a->value)))
            break;
        if (least >= 0 && (members[SIMILARITY].kind == ABSENT || (similarity = scaled(&members[SIMILARITY])) < 0))
            break;
        failed = similarity >= least &&
                 (add_id(&columns[IDS], &columns[SIZES], a) || add_id(&columns[IDS], &columns[SIZES], b));
    }
    return end_reading(&reader, columns, COLUMNS, !failed);
}

/* (lines, at): reads pairs for dedup. Returns (number of lines, start of the next one, ids of a, bytes of each, ids of
   b, bytes of each, similarities in units of 10^-DECIMALS or -1 for none, and a byte for each: whether the pair is of
   two sides). */
PyObject *read_similarities(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *data;
    Py_ssize_t start;
    Reader reader;
    if (!PyArg_ParseTuple(args, "O!n", &PyBytes_Type, &data, &start) || !begin(&reader, data, start))
        return NULL;
    Member members[PAIR_MEMBERS];
    memcpy(members, PAIR, sizeof PAIR);
    const Member *similarity = &members[SIMILARITY], *against = &members[SIDE];
    enum { IDS, SIZES, OTHERS, OTHER_SIZES, SIMILARITIES, FLAGS, COLUMNS };
    Bytes columns[COLUMNS] = {0};
    int failed = 0;
    for (; !failed && has_line(&reader); next_line(&reader)) {
        int64_t value = -1;
        uint8_t flag = 0;
        if (!read_pair(&reader, members))
            break;
        if (similarity->kind != ABSENT && (value = scaled(similarity)) < 0)
            break;
        if (against->kind != ABSENT && !(flag = against->end - against->value == 4 && *against->value == 't'))
            break;
        failed = add_id(&columns[IDS], &columns[SIZES], &members[A]) ||
                 add_id(&columns[OTHERS], &columns[OTHER_SIZES], &members[B]) ||
                 add_number(&columns[SIMILARITIES], value) || add_bytes(&columns[FLAGS], &flag, 1);
    }
    return end_reading(&reader, columns, COLUMNS, !failed);
}

/* The number of characters in UTF-8. */
static int64_t characters(const uint8_t *text, size_t size)
{
    int64_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += (text[i] & 0xC0) != 0x80;
    return count;
}

/* (lines, at, (id, text, marked, mark, second mark, value, whole)): reads documents by the names of their fields. text,
   value, whole: None if they do not count; marks: fields that may stand once if `marked`, else not at all; None if they
   do not matter. Returns (number of lines, start of the next one, ids, bytes of each, start of each line, end of each
   line's last value, characters of each text, start and end of each value or 0 and 0, and of each whole). */
PyObject *read_documents(PyObject *Py_UNUSED(self), PyObject *args)
{
    enum { ID, TEXT, MARK, SECOND, VALUE, WHOLE, NAMES };
    const char *names[NAMES];
    Py_ssize_t name_sizes[NAMES], start;
    int marked;
    PyObject *data;
    Reader reader;
    if (!PyArg_ParseTuple(args, "O!n(y#z#pz#z#z#z#)", &PyBytes_Type, &data, &start, &names[ID], &name_sizes[ID],
                          &names[TEXT], &name_sizes[TEXT], &marked, &names[MARK], &name_sizes[MARK], &names[SECOND],
                          &name_sizes[SECOND], &names[VALUE], &name_sizes[VALUE], &names[WHOLE], &name_sizes[WHOLE]) ||
        !begin(&reader, data, start))
        return NULL;
    Member members[NAMES];
    Member *of[NAMES] = {NULL};
    int count = 0, paths = 0;
    for (int i = 0; i < NAMES; i++)
        if (names[i]) {
            of[i] = &members[count++];
            *of[i] = (Member){.name = (const uint8_t *)names[i], .name_size = (size_t)name_sizes[i]};
            paths |= is_path(of[i]); /* marks are no paths */
        }
    const Member *id = of[ID], *text = of[TEXT], *mark = of[MARK], *second = of[SECOND];
    enum { IDS, SIZES, PLACES, LASTS, LENGTHS, VALUES, WHOLES, COLUMNS };
    Bytes columns[COLUMNS] = {0}, room = {0};
    int failed = 0;
    for (; !failed && has_line(&reader); next_line(&reader)) {
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
            failed = text_of(text, &room, &content, &size) || add_number(&columns[LENGTHS], characters(content, size));
        }
        for (int i = VALUE; i <= WHOLE; i++)
            if (of[i]) {
                const int there = of[i]->kind != ABSENT;
                Bytes *column = &columns[i == VALUE ? VALUES : WHOLES];
                failed = failed || add_number(column, there ? of[i]->value - reader.first : 0) ||
                         add_number(column, there ? of[i]->end - reader.first : 0);
            }
        failed = failed || add_id(&columns[IDS], &columns[SIZES], id) ||
                 add_number(&columns[PLACES], reader.line - reader.first) ||
                 add_number(&columns[LASTS], last - reader.first);
    }
    free(room.data);
    return end_reading(&reader, columns, COLUMNS, !failed);
}

/* Adds the ids of a list. Returns their number; -1 if the list has anything else, -2 with an exception. */
static int64_t add_members(Bytes *ids, Bytes *sizes, const Member *list)
{
    int64_t count = 0;
    const uint8_t *at = list->value, *end = list->end;
    if (list->kind != OTHER || *at != '[')
        return -1;
    at = skip_blanks(at + 1);
    while (*at != ']') { /* the list is JSON, so there is a next thing, and a byte after it */
        Member id;
        if (!find_scalar(at, end, &id) || !is_id(&id))
            return -1;
        if (add_id(ids, sizes, &id))
            return -2;
        at = skip_blanks(id.end);
        count++;
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    return count;
}

/* (lines, at): reads groups. Returns (number of lines, start of the next one, ids, bytes of each, ids of each line). */
PyObject *read_members(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *data;
    Py_ssize_t start;
    Reader reader;
    if (!PyArg_ParseTuple(args, "O!n", &PyBytes_Type, &data, &start) || !begin(&reader, data, start))
        return NULL;
    Member list = {.name = (const uint8_t *)"members", .name_size = 7};
    enum { IDS, SIZES, COUNTS, COLUMNS };
    Bytes columns[COLUMNS] = {0}, *ids = &columns[IDS], *sizes = &columns[SIZES];
    int failed = 0;
    for (; !failed && has_line(&reader); next_line(&reader)) {
        const uint8_t *last;
        size_t before[2] = {ids->used, sizes->used};
        int64_t count = find_members(reader.line, reader.stop, &list, 1, &last) ? add_members(ids, sizes, &list) : -1;
        if (count == -1) {
            ids->used = before[0];
            sizes->used = before[1];
            break;
        }
        failed = count < 0 || add_number(&columns[COUNTS], count);
    }
    return end_reading(&reader, columns, COLUMNS, !failed);
}

/* (members, sizes): lines of groups. members: the data and ends of ids, as in Ids, and the numbers of the members of
   all groups, group by group; sizes: the number of members of each group, int64. */
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

/* The least number that a number is connected with, by path halving. */
static int32_t first_of(int32_t *parent, int32_t number)
{
    while (parent[number] != number)
        number = parent[number] = parent[parent[number]];
    return number;
}

/* (parent, left, right, news): connects pairs of numbers, int64. parent: of each number, int32, not greater than it;
   news: a byte for each pair, set to whether the two were not connected before. */
PyObject *connect_pairs(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_buffer parent = {0}, left = {0}, right = {0}, news = {0};
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "w*y*y*w*", &parent, &left, &right, &news))
        return NULL;
    const Py_ssize_t word = sizeof(int64_t), pairs = news.len;
    const int64_t numbers = parent.len / (Py_ssize_t)sizeof(int32_t), *one = left.buf, *two = right.buf;
    int good = left.len == word * pairs && right.len == word * pairs;
    for (Py_ssize_t i = 0; good && i < pairs; i++)
        good = one[i] >= 0 && one[i] < numbers && two[i] >= 0 && two[i] < numbers;
    if (!good) {
        PyErr_SetString(PyExc_ValueError, "no pairs of these numbers");
        goto done;
    }
    for (Py_ssize_t i = 0; i < pairs; i++) {
        int32_t a = first_of(parent.buf, (int32_t)one[i]), b = first_of(parent.buf, (int32_t)two[i]);
        ((int32_t *)parent.buf)[a > b ? a : b] = a > b ? b : a;
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
