#include "columns.h"

enum { ID, CONSUMED, VIA, JOINED }; /* from JOINED on, those whose texts are joined and consumed */

/* Bytes of an argument. */
typedef struct {
    const char *at;
    Py_ssize_t size;
} Given;

typedef struct {
    Member *members;
    int others; /* from here on, members that must be absent: produced, between */
    int count, keep, placed;
    int paths;   /* whether the id or the consumed member may be inside other objects */
    int renamed; /* whether the produced member has another name than the consumed one */
    Given produced, recipe;
    Given before; /* the recipe that an ordinary line has; NULL for any */
    Given named;  /* the value of the member that is added; NULL for none */
    Py_buffer counts; /* of lines that have each of these, int64 */
} Fields;

typedef struct {
    Bytes text, made, out; /* the text without escapes; the payload; the lines */
    const Layout *layout;  /* of signatures that are made instead of lines; else NULL */
    Columns columns;
} Room;

static void add_member(Fields *fields, Given name)
{
    Member *member = &fields->members[fields->count++];
    member->name = (const uint8_t *)name.at;
    member->name_size = (size_t)name.size;
}

static int add_members(Fields *fields, PyObject *names)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++) {
        Given name;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(names, i), (char **)&name.at, &name.size))
            return -1;
        add_member(fields, name);
    }
    return 0;
}

static int take_fields(Fields *fields, PyObject *tuple)
{
    Given id, consumed, *produced = &fields->produced, *recipe = &fields->recipe;
    Given *before = &fields->before, *named = &fields->named;
    PyObject *between, *joined;
    memset(fields, 0, sizeof *fields);
    if (!PyArg_ParseTuple(tuple, "y#y#y#py#O!pz#O!w*z#", &id.at, &id.size, &consumed.at, &consumed.size, &produced->at,
                          &produced->size, &fields->keep, &recipe->at, &recipe->size, &PyTuple_Type, &between,
                          &fields->placed, &before->at, &before->size, &PyTuple_Type, &joined, &fields->counts,
                          &named->at, &named->size))
        return -1;
    if (fields->counts.len != PyTuple_Size(joined) * (Py_ssize_t)sizeof(int64_t)) {
        PyErr_SetString(PyExc_ValueError, "each joined member has a count");
        return -1;
    }
    const size_t count = (size_t)PyTuple_Size(between) + (size_t)PyTuple_Size(joined);
    fields->members = PyMem_Calloc(count + JOINED + 4, sizeof *fields->members);
    if (!fields->members) {
        PyErr_NoMemory();
        return -1;
    }
    add_member(fields, id);
    add_member(fields, consumed);
    add_member(fields, (Given){"via", 3});
    if (add_members(fields, joined))
        return -1;
    fields->others = fields->count;
    for (int i = 0; i < fields->others; i++)
        fields->paths |= is_path(&fields->members[i]);
    fields->renamed = consumed.size != produced->size || memcmp(consumed.at, produced->at, (size_t)consumed.size);
    if (fields->renamed)
        add_member(fields, *produced);
    if (fields->placed) {
        add_member(fields, (Given){"source", 6});
        add_member(fields, (Given){"at", 2});
    }
    if (named->at)
        add_member(fields, (Given){"named", 5});
    return add_members(fields, between);
}

/* Adds bytes that need no escapes between what stands before and behind them. */
static int add_between(Bytes *out, const char *before, const Given *given, const char *behind)
{
    return add_bytes(out, before, strlen(before)) || add_bytes(out, given->at, (size_t)given->size) ||
                   add_bytes(out, behind, strlen(behind))
               ? -1
               : 0;
}

static int add_payload(Bytes *out, const Bytes *made, Made kind)
{
    if (kind == TEXT && made->used) /* Bytes that were never used have no address */
        return add_quoted(out, made->data, made->used);
    if (kind == JSON)
        return add_bytes(out, made->data, made->used);
    if (add_bytes(out, "\"", 1) ||
        (made->used && (width_of(kind) ? add_digits(out, made, kind) : add_bytes(out, made->data, made->used))))
        return -1;
    return add_bytes(out, "\"", 1);
}

/* Copies the bytes from *from to `to`. */
static int add_rest(Bytes *out, const uint8_t **from, const uint8_t *to)
{
    const uint8_t *start = *from;
    *from = to;
    return add_bytes(out, start, (size_t)(to - start));
}

static int add_consumed(Bytes *out, const Fields *fields, const uint8_t **from, const Bytes *made, Made kind)
{
    const Member *consumed = &fields->members[CONSUMED];
    if (fields->renamed) {
        if (add_rest(out, from, consumed->name_at) || add_between(out, "\"", &fields->produced, "\""))
            return -1;
        *from = consumed->name_at + consumed->name_size + 2;
    }
    if (add_rest(out, from, consumed->value) || add_payload(out, made, kind))
        return -1;
    *from = consumed->end;
    return 0;
}

static inline int is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* Copies all bytes up to the consumed member, inside another object; leaves it out, with a comma before or after it. */
static int leave_consumed(Bytes *out, const Fields *fields, const uint8_t **from)
{
    const Member *consumed = &fields->members[CONSUMED];
    const uint8_t *start = consumed->name_at, *end = consumed->end, *before = start;
    while (is_blank(before[-1]))
        before--;
    if (before[-1] == ',') {
        start = before - 1;
        while (is_blank(start[-1]))
            start--;
    } else if (*skip_blanks(end) == ',') {
        end = skip_blanks(skip_blanks(end) + 1);
    }
    if (add_rest(out, from, start))
        return -1;
    *from = end;
    return 0;
}

static int add_via(Bytes *out, const Fields *fields, const uint8_t **from)
{
    const Member *via = &fields->members[VIA];
    const char *before = via->end - via->value > 2 ? " | " : "";
    return add_rest(out, from, via->end - 1) || add_between(out, before, &fields->recipe, "") ? -1 : 0;
}

static int add_source(Bytes *out, const Fields *fields, const Bytes *text, const Bytes *places)
{
    const Member *consumed = &fields->members[CONSUMED];
    return add_bytes(out, ",\"source\":", 10) ||
                   (fields->others > JOINED
                        ? add_quoted(out, text->data, text->used)
                        : add_bytes(out, consumed->value, (size_t)(consumed->end - consumed->value))) ||
                   add_bytes(out, ",\"at\":", 6) || add_payload(out, places, PLAIN)
               ? -1
               : 0;
}

/* Writes the line with its new payload. */
static int add_line(Room *room, const Fields *fields, const uint8_t *line, const uint8_t *end, const uint8_t *last,
                    const Bytes *whole, Made kind)
{
    Bytes *out = &room->out, payload = *whole, places = {0}, *made = &payload;
    if (fields->placed) {
        const uint8_t *feed = memchr(whole->data, '\n', whole->used); /* there always is one */
        payload.used = (size_t)(feed - whole->data);
        places.data = payload.data + payload.used + 1;
        places.used = whole->used - payload.used - 1;
    }
    const uint8_t *from = line;
    const Member *via = &fields->members[VIA], *consumed = &fields->members[CONSUMED];
    int keep = fields->keep || !consumed->kind, moves = fields->renamed && consumed->nested, behind = keep || moves;
    int via_first = via->kind && (keep || via->value < consumed->value);
    if (via_first && add_via(out, fields, &from))
        return -1;
    if (!keep &&
        (moves ? leave_consumed(out, fields, &from) : add_consumed(out, fields, &from, made, kind)))
        return -1;
    if (via->kind && !via_first && add_via(out, fields, &from))
        return -1;
    if (add_rest(out, &from, last))
        return -1;
    if (behind && (add_between(out, ",\"", &fields->produced, "\":") || add_payload(out, made, kind)))
        return -1;
    if (fields->placed && add_source(out, fields, &room->text, &places))
        return -1;
    if (fields->named.at && add_between(out, ",\"named\":\"", &fields->named, "\""))
        return -1;
    if (!via->kind && add_between(out, ",\"via\":\"", &fields->recipe, "\""))
        return -1;
    return add_rest(out, &from, end) || add_bytes(out, "\n", 1) ? -1 : 0;
}

/* Whether the line has the recipe that it must have, if any; a line without recipe passes. */
static int is_made_right(const Fields *fields, const Member *via)
{
    const Given *before = &fields->before;
    if (!before->at)
        return 1;
    const Py_ssize_t size = via->kind == ABSENT ? 0 : via->end - via->value - 2;
    return size == before->size && (!size || !memcmp(via->value + 1, before->at, (size_t)size));
}

/* Adds the bytes of numbers, the highest first, as digits have them; -1 with an exception. */
static int add_highest_first(Bytes *out, const uint64_t *numbers, size_t count, size_t width)
{
    if (grow(out, count * width + sizeof *numbers))
        return -1;
    uint8_t *to = out->data + out->used;
    for (size_t i = 0; i < count; i++, to += width) /* each group overwrites the extra bytes of the one before */
        put_highest_first(to, numbers[i] << (64 - 8 * width));
    out->used += count * width;
    return 0;
}

/* Adds a line's id and signature. */
static Made add_signed(Room *room, const Member *id, Made kind)
{
    const Layout *layout = room->layout;
    const size_t id_size = (size_t)(id->end - id->value);
    Column *ids = &room->columns.columns[0], *payloads = &room->columns.columns[1];
    Bytes *values = &room->columns.shingles.room;
    const size_t width = width_of(kind), size = room->made.used, count = width ? size / width : 0;
    if (size && (!width || layout->digits != 2 * width || (layout->size && layout->size != size)))
        return ODD;
    values->used = 0;
    if (grow(values, count * sizeof(uint64_t)) || add_bytes(&ids->data, id->value, id_size) ||
        add_number(&ids->sizes, (int64_t)id_size))
        return FAILED;
    uint64_t *numbers = (uint64_t *)values->data;
    for (size_t i = 0; i < count; i++)
        numbers[i] = number_at(room->made.data, i, width);
    if (size && !layout->size)
        return add_set(payloads, layout, numbers, count, &room->columns.sorted) ? FAILED : kind;
    if (add_highest_first(&payloads->data, numbers, count, width) || add_number(&payloads->sizes, (int64_t)size))
        return FAILED;
    return kind;
}

/* Whether a text may end in a hyphen or, beyond ASCII, white space. */
static int may_be_parted(const Bytes *text)
{
    const uint8_t *end = text->data + text->used;
    while (end > text->data && end[-1] <= ' ')
        end--;
    if (end == text->data || end[-1] < 0x80)
        return end > text->data && end[-1] == '-';
    const uint8_t last = end[-1], next = end[-2];
    if (end - text->data == 2 || next == 0xC2)
        return next == 0xC2; /* U+0080 to U+00BF */
    switch (end[-3]) {
    case 0xE1:
        return next == 0x9A; /* U+1680 to U+16BF */
    case 0xE2: /* U+2000 to U+2010, but not quotes and the ellipsis, with which texts end; U+2028 to U+207F */
        return next == 0x81 || (next == 0x80 && (last <= 0x90 || last >= 0xA8));
    case 0xE3:
        return next == 0x80 && last == 0x80; /* U+3000 */
    }
    return 0;
}

/* Adds the text of a member, behind a line feed if there is some already. */
static Made add_text(const Member *member, Bytes *room)
{
    const uint8_t *text;
    size_t size;
    if (!is_text(member) || (room->used && member->end - member->value > 2 && may_be_parted(room)))
        return ODD;
    if (member->end - member->value == 2)
        return TEXT;
    if ((room->used && add_bytes(room, "\n", 1)) || text_of(member, room, &text, &size) ||
        (member->kind == STRING && add_bytes(room, text, size)))
        return FAILED;
    room->used += member->kind == STRING ? 0 : size;
    return TEXT;
}

/* Adds the texts to which a path leads, and sets *there if there are some. The path begins with a name, or is the rest
   of one: it ends, or begins with a dot or "[]". */
static Made add_texts(const Member *from, const uint8_t *path, const uint8_t *path_end, Bytes *room, int *there)
{
    const uint8_t first = *from->value, *last;
    Member next = {0};
    if (path == path_end) {
        *there |= first != 'n'; /* null */
        return first == 'n' ? TEXT : add_text(from, room);
    }
    if (*path == '[') {
        const uint8_t *at = first == '[' ? skip_blanks(from->value + 1) : (const uint8_t *)"]";
        while (*at != ']') {
            if (!find_value(at, from->end, &next))
                return ODD;
            Made made = add_texts(&next, path + 2, path_end, room, there);
            if (made <= ODD)
                return made;
            at = skip_blanks(next.end);
            at = *at == ',' ? skip_blanks(at + 1) : at;
        }
        return TEXT;
    }
    path += *path == '.';
    const uint8_t *brackets = brackets_in(path, path_end), *name_end = brackets ? brackets : path_end;
    const uint8_t *dot = memchr(path, '.', (size_t)(name_end - path));
    next.name = path;
    next.name_size = (size_t)((dot ? dot : name_end) - path);
    if (first != '{')
        return TEXT;
    if (!find_members(from->value, from->end, &next, 1, &last))
        return ODD;
    return next.kind == ABSENT ? TEXT : add_texts(&next, path + next.name_size, path_end, room, there);
}

/* The text of the record: of the consumed member, or of the joined ones that are there, line feeds between. */
static Made take_text(const Fields *fields, const Member *record, Bytes *room, const uint8_t **text, size_t *size)
{
    const Member *consumed = &fields->members[CONSUMED], *end = fields->members + fields->others;
    int there = 0;
    if (fields->others == JOINED)
        return !is_text(consumed) ? ODD : text_of(consumed, room, text, size) ? FAILED : TEXT;
    if (consumed->kind && !is_text(consumed))
        return ODD; /* an object may have joined members and the id */
    for (Member *member = fields->members + JOINED; member < end; member++) {
        Made made = TEXT;
        if (member->kind) {
            there |= *member->value != 'n'; /* null */
            made = *member->value == 'n' ? TEXT : add_text(member, room);
        } else if (leads_into_lists(member)) {
            int leads = 0;
            made = add_texts(record, member->name, member->name + member->name_size, room, &leads);
            member->kind = leads ? OTHER : ABSENT;
            there |= leads;
        }
        if (made <= ODD)
            return made;
    }
    if (grow(room, 1))
        return FAILED;
    room->data[room->used] = 0; /* ends the text */
    *text = room->data;
    *size = room->used;
    return there ? TEXT : ODD;
}

static void count_joined(const Fields *fields)
{
    int64_t *counts = fields->counts.buf;
    for (int i = JOINED; i < fields->others; i++)
        counts[i - JOINED] += fields->members[i].kind != ABSENT;
}

/* ODD and FAILED leave the lines as they were. */
static Made do_line(Work work, void *self, Fields *fields, const uint8_t *line, const uint8_t *end, Room *room)
{
    Member *members = fields->members;
    const uint8_t *last, *text;
    size_t size, before = room->out.used;
    if (!find_members(line, end, members, fields->count, &last) ||
        (fields->paths && !find_nested(line, end, members, fields->others)) || !is_id(&members[ID]) ||
        (members[VIA].kind != ABSENT && !is_text(&members[VIA])) ||
        !is_made_right(fields, &members[VIA]))
        return ODD;
    for (int i = fields->others; i < fields->count; i++)
        if (members[i].kind != ABSENT)
            return ODD;
    room->text.used = room->made.used = 0;
    const Member record = {.value = skip_blanks(line), .end = end};
    Made made = take_text(fields, &record, &room->text, &text, &size);
    if (made > ODD)
        made = work(self, text, size, &room->made);
    if (made > ODD && room->layout)
        return add_signed(room, &members[ID], made);
    if (made > ODD && add_line(room, fields, line, end, last, &room->made, made)) {
        room->out.used = before;
        return FAILED;
    }
    return made;
}

/* Takes the exception if the caller can handle it; else leaves it set, and returns NULL. */
static PyObject *take_exception(void)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError))
        return NULL;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (value && traceback)
        PyException_SetTraceback(value, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
}

PyObject *splice_lines(Work work, void *self, PyObject *tuple, PyObject *data, Py_ssize_t start, const Layout *layout)
{
    Fields fields;
    Lines lines;
    Room room = {.layout = layout};
    PyObject *error = NULL, *result = NULL;
    if (take_fields(&fields, tuple) || begin_lines(&lines, data, start) ||
        (!layout && grow(&room.out, (size_t)(lines.end - lines.line) + 64)))
        goto done;
    for (; has_line(&lines); next_line(&lines)) {
        Made made = do_line(work, self, &fields, lines.line, lines.stop, &room);
        if (made == FAILED && !(error = take_exception()))
            goto done;
        if (made <= ODD)
            break;
        count_joined(&fields);
    }
    PyObject *made = layout ? columns_read(&room.columns, 2, &lines) : bytes_of(&room.out);
    result = Py_BuildValue("(NLnO)", made, (long long)lines.rows, (Py_ssize_t)(lines.line - lines.first),
                           error ? error : Py_None);
done:
    Py_XDECREF(error);
    PyMem_Free(fields.members);
    PyBuffer_Release(&fields.counts);
    free_columns(&room.columns);
    free(room.text.data);
    free(room.made.data);
    free(room.out.data);
    return result;
}
