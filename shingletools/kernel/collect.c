/* Reads ordinary lines for simjoin, as arrays, and writes pairs as lines. */

#include "signed.h"

enum { OTHERS = 5 /* that must be absent, or not twice */, LABELS = 8, MOST = 2 + PAYLOADS + OTHERS + LABELS };

/* Adds a payload to the columns: 1; 0 if it has another form, or is empty; -1 with an exception. */
static int take_payload(Columns *columns, int which, const Form *form, const Member *member)
{
    if (member->kind != STRING)
        return 0;
    const uint8_t *text = member->value + 1;
    size_t size = (size_t)(member->end - 1 - text);
    Shingles *shingles = &columns->shingles;
    if (form->size && (size + 1) * (form->digits / 2) != form->size * (form->digits + 1))
        return 0;
    int read = form->size ? read_bytes(text, size, form->digits, &columns->data[which])
                          : read_groups(text, size, form->digits, shingles);
    if (read < 1)
        return read;
    return (form->size ? add_number(&columns->sizes[which], (int64_t)form->size)
                       : add_set(columns, which, form, shingles->values, shingles->count))
               ? -1
               : 1;
}

/* What each line must have. */
typedef struct {
    Member members[MOST]; /* that are looked for: the id, via, the payloads, others, labels */
    Form forms[PAYLOADS];
    int count, payloads, absent, labels;
    int path;        /* whether the id may be inside another object */
    const char *via; /* the value that via must have, or NULL */
    Py_ssize_t via_size;
} Wanted;

static Member *labels_of(Wanted *wanted)
{
    return &wanted->members[wanted->count - wanted->labels];
}

/* Whether all labels are there: strings, numbers, true, false or null. */
static int has_labels(Wanted *wanted, const uint8_t *line, const uint8_t *end)
{
    Member *labels = labels_of(wanted);
    if (!find_nested(line, end, labels, wanted->labels))
        return 0;
    for (int i = 0; i < wanted->labels; i++)
        if (labels[i].kind == ABSENT || *labels[i].value == '{' || *labels[i].value == '[')
            return 0;
    return 1;
}

static int add_labels(Columns *columns, Wanted *wanted)
{
    int failed = 0;
    for (int i = 0; i < wanted->labels && !failed; i++)
        failed = add_id(&columns->labels, &columns->label_sizes, &labels_of(wanted)[i]);
    return failed;
}

static int is_wanted(Wanted *wanted, const uint8_t *line, const uint8_t *end)
{
    const Member *members = wanted->members, *via = &members[1];
    const uint8_t *last;
    if (!find_members(line, end, wanted->members, wanted->count, &last) ||
        (wanted->path && !find_nested(line, end, wanted->members, 1)) || !is_id(&members[0]))
        return 0;
    if (wanted->via ? via->kind != STRING || via->end - via->value != wanted->via_size + 2 ||
                          memcmp(via->value + 1, wanted->via, (size_t)wanted->via_size)
                    : via->kind != ABSENT)
        return 0;
    for (int i = 0; i < wanted->absent; i++)
        if (members[2 + wanted->payloads + i].kind != ABSENT)
            return 0;
    return !wanted->labels || has_labels(wanted, line, end);
}

/* Whether a payload has a capital; our digits are lower case. */
VECTORS static int has_capitals(const uint8_t *text, size_t size)
{
    uint8_t capitals = 0;
    for (size_t i = 0; i < size; i++)
        capitals |= (text[i] & 0x60) == 0x40;
    return capitals;
}

/* The starts of the id and the first payload in the lines; -1 for a payload that is not spelled as we spell it. */
static int add_values(Columns *columns, const Wanted *wanted, const uint8_t *first)
{
    const Member *id = &wanted->members[0], *payload = &wanted->members[2];
    int ours = !has_capitals(payload->value, (size_t)(payload->end - payload->value));
    return add_number(&columns->values, id->value - first) ||
           add_number(&columns->values, ours ? payload->value - first : -1);
}

/* Adds a line to the columns: 1; 0 if it is not ordinary, and nothing was added; -1 with an exception. */
static int take_line(Columns *columns, Wanted *wanted, const uint8_t *first, const uint8_t *line, const uint8_t *end)
{
    size_t data[PAYLOADS], sizes[PAYLOADS];
    int good = is_wanted(wanted, line, end);
    for (int i = 0; i < PAYLOADS; i++) {
        data[i] = columns->data[i].used;
        sizes[i] = columns->sizes[i].used;
    }
    for (int i = 0; good > 0 && i < wanted->payloads; i++)
        good = take_payload(columns, i, &wanted->forms[i], &wanted->members[2 + i]);
    for (int i = 0; !good && i < PAYLOADS; i++) {
        columns->data[i].used = data[i];
        columns->sizes[i].used = sizes[i];
    }
    if (good > 0 && (add_id(&columns->ids, &columns->id_sizes, &wanted->members[0]) ||
                     add_number(&columns->places, line - first) || add_values(columns, wanted, first) ||
                     add_labels(columns, wanted)))
        return -1;
    return good;
}

/* The names to look for, which live as long as the arguments. */
static int take_wanted(Wanted *wanted, PyObject *payloads, PyObject *absent, PyObject *once, PyObject *labels)
{
    const char *name;
    Py_ssize_t size;
    wanted->payloads = (int)PyTuple_Size(payloads);
    wanted->absent = (int)PyTuple_Size(absent);
    wanted->labels = (int)PyTuple_Size(labels);
    if (wanted->payloads > PAYLOADS || wanted->absent + PyTuple_Size(once) > OTHERS || wanted->labels > LABELS) {
        PyErr_SetString(PyExc_ValueError, "too many fields");
        return -1;
    }
    for (int i = 0; i < wanted->payloads; i++) {
        Py_ssize_t digits, bytes;
        if (!PyArg_ParseTuple(PyTuple_GetItem(payloads, i), "y#nn", &name, &size, &digits, &bytes))
            return -1;
        if (!is_width(digits) || (!bytes && digits < 8)) {
            PyErr_SetString(PyExc_ValueError, "groups have 2, 4, 8 or 16 digits, in sets 8 or 16");
            return -1;
        }
        wanted->forms[i] = (Form){(size_t)digits, (size_t)bytes};
        wanted->members[wanted->count++] = (Member){.name = (const uint8_t *)name, .name_size = (size_t)size};
    }
    PyObject *others[] = {absent, once, labels};
    for (size_t which = 0; which < sizeof others / sizeof *others; which++)
        for (Py_ssize_t i = 0; i < PyTuple_Size(others[which]); i++) {
            char *its;
            if (PyBytes_AsStringAndSize(PyTuple_GetItem(others[which], i), &its, &size))
                return -1;
            wanted->members[wanted->count++] = (Member){.name = (const uint8_t *)its, .name_size = (size_t)size};
        }
    return 0;
}

/* (lines, at, id, via, absent, payloads, once, labels): reads ordinary lines from `at` on, up to the first other line.

   via: the recipe as JSON without the quotes, None if there must be none; absent: names that must not occur; payloads:
   (name, digits, bytes or 0) of each, at most two; once: names that must not occur twice, OTHERS at most with absent;
   labels: fields that must have values that are no lists or objects, at most LABELS. It releases Python's lock. */
PyObject *read_signed(PyObject *Py_UNUSED(self), PyObject *args)
{
    char *bytes;
    const char *name;
    PyObject *data, *absent, *payloads, *once, *labels, *result = NULL;
    Py_ssize_t start, name_size, size;
    Wanted wanted = {.count = 2};
    if (!PyArg_ParseTuple(args, "O!ny#z#O!O!O!O!", &PyBytes_Type, &data, &start, &name, &name_size, &wanted.via,
                          &wanted.via_size, &PyTuple_Type, &absent, &PyTuple_Type, &payloads, &PyTuple_Type, &once,
                          &PyTuple_Type, &labels) ||
        PyBytes_AsStringAndSize(data, &bytes, &size))
        return NULL;
    if (start < 0 || start > size) {
        PyErr_SetString(PyExc_ValueError, "no place in the lines");
        return NULL;
    }
    wanted.members[0] = (Member){.name = (const uint8_t *)name, .name_size = (size_t)name_size};
    wanted.path = is_path(&wanted.members[0]);
    wanted.members[1] = (Member){.name = (const uint8_t *)"via", .name_size = 3};
    if (take_wanted(&wanted, payloads, absent, once, labels))
        return NULL;
    const uint8_t *first = (const uint8_t *)bytes, *end = first + size, *line = first + start;
    Columns columns = {0};
    int64_t lines = 0;
    int taken = 1;
    Py_BEGIN_ALLOW_THREADS
    while (line < end) {
        const uint8_t *stop = end_of_line(line, end);
        taken = take_line(&columns, &wanted, first, line, stop);
        if (taken < 1)
            break;
        lines++;
        line = stop < end ? stop + 1 : end;
    }
    Py_END_ALLOW_THREADS
    if (taken >= 0)
        result = columns_read(&columns, wanted.payloads, lines, line - first);
    free_columns(&columns);
    return result;
}

/* (a, b, rests, which): lines of pairs. a and b: the data and ends of ids, as in Ids, and the numbers of the pairs'
   ids, int64; rests: a list of bytes that follow the ids; which: the number of each pair's rest, int64. */
PyObject *pair_lines(PyObject *Py_UNUSED(self), PyObject *args)
{
    Named sides[2] = {0};
    Py_buffer which = {0};
    PyObject *rests, *result = NULL;
    if (!PyArg_ParseTuple(args, "(y*y*y*)(y*y*y*)O!y*", &sides[0].data, &sides[0].ends, &sides[0].numbers,
                          &sides[1].data, &sides[1].ends, &sides[1].numbers, &PyList_Type, &rests, &which))
        return NULL;
    Py_ssize_t pairs = which.len / (Py_ssize_t)sizeof(int64_t);
    const int64_t *rest = which.buf;
    Bytes out = {0};
    if (grow(&out, 64 * (size_t)pairs + 1))
        goto done;
    for (Py_ssize_t i = 0; i < pairs; i++) {
        size_t sizes[2];
        const char *ids[2] = {named(&sides[0], i, &sizes[0]), named(&sides[1], i, &sizes[1])};
        PyObject *behind = ids[0] && ids[1] ? PyList_GetItem(rests, (Py_ssize_t)rest[i]) : NULL;
        char *text;
        Py_ssize_t size;
        if (!behind || PyBytes_AsStringAndSize(behind, &text, &size) ||
            add_bytes(&out, "{\"a\":", 5) || add_bytes(&out, ids[0], sizes[0]) || add_bytes(&out, ",\"b\":", 5) ||
            add_bytes(&out, ids[1], sizes[1]) || add_bytes(&out, ",", 1) || add_bytes(&out, text, (size_t)size))
            goto done;
    }
    result = bytes_of(&out);
done:
    free(out.data);
    for (int i = 0; i < 2; i++)
        release_named(&sides[i]);
    PyBuffer_Release(&which);
    return result;
}
