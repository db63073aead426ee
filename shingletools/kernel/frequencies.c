/* Reads lines of tables of document frequencies and of weights, and makes sets of fingerprints. */

#include "columns.h"
#include "fingerprint_slots.h"

/* Returns (lines, start of the next one, the columns), or NULL after an error. Frees the columns. */
static PyObject *end_reading(const Lines *lines, Bytes *columns, Py_ssize_t count, int well)
{
    PyObject *result = well ? PyTuple_New(2 + count) : NULL;
    for (Py_ssize_t i = 0; result && i < 2 + count; i++) {
        PyObject *item = i == 0   ? PyLong_FromLongLong(lines->rows)
                         : i == 1 ? PyLong_FromSsize_t(lines->line - lines->first)
                                  : bytes_of(&columns[i - 2]);
        if (!item || PyTuple_SetItem(result, i, item))
            Py_CLEAR(result);
    }
    for (Py_ssize_t i = 0; i < count; i++)
        free(columns[i].data);
    return result;
}

enum { MOST_DIGITS = 18 /* of a number that cannot overflow */ };

/* A number spelled with digits only, or -1. */
static int64_t whole(const Member *member)
{
    const uint8_t *at = member->value;
    int64_t value = 0;
    if (member->kind != INTEGER || member->end - at > MOST_DIGITS)
        return -1;
    for (; at < member->end && *at >= '0' && *at <= '9'; at++)
        value = 10 * value + *at - '0';
    return at == member->end ? value : -1;
}

/* Reads hex digits between quotes; returns whether they are that. */
static int take_digits(const Member *member, Py_ssize_t digits, uint64_t *value)
{
    if (member->kind != STRING || member->end - member->value != digits + 2)
        return 0;
    *value = 0;
    for (const uint8_t *at = member->value + 1; at < member->end - 1; at++) {
        int digit = digit_of(*at);
        if (digit < 0)
            return 0;
        *value = *value << 4 | (uint64_t)digit;
    }
    return 1;
}

/* Whether a line of a table is ordinary: its fingerprint, of so many digits, is the first of two members. */
static int read_row(const Lines *lines, Member *members, Py_ssize_t digits, uint64_t *fingerprint)
{
    const uint8_t *last;
    return find_members(lines->line, lines->stop, members, 2, &last) && take_digits(members, digits, fingerprint);
}

/* A number of few digits, at most 2^32, in units of 2^-16, rounded half to even; or -1. */
static int64_t units(const Member *member)
{
    static const double POWERS[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    enum { MOST_EXACT = 15 }; /* digits: the quotient is then the double nearest to the written number */
    const uint8_t *at = member->value;
    int64_t number = 0, digits = 0, decimals = 0;
    int point = 0;
    if (member->kind == ABSENT)
        return -1;
    for (; at < member->end && digits <= MOST_EXACT; at++) {
        if (*at == '.' && !point) {
            point = 1;
            continue;
        }
        if (*at < '0' || *at > '9')
            return -1;
        number = 10 * number + *at - '0';
        digits++;
        decimals += point;
    }
    if (digits > MOST_EXACT)
        return -1;
    double value = (double)number / POWERS[decimals] * 65536.0;
    if (value > 4294967296.0)
        return -1;
    int64_t low = (int64_t)value;
    double rest = value - (double)low;
    return low + (rest > 0.5 || (rest == 0.5 && (low & 1)));
}

/* (lines, at, digits): reads lines of a table with weights, up to the first that is not ordinary or has a fingerprint
   of other than `digits` digits. Returns (number of lines, start of the next one, fingerprints as uint64, weights as
   int64 in units of 2^-16). */
PyObject *read_weights(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *data;
    Py_ssize_t start, digits;
    Lines lines;
    if (!PyArg_ParseTuple(args, "O!nn", &PyBytes_Type, &data, &start, &digits) || begin_lines(&lines, data, start))
        return NULL;
    Member members[2] = {{.name = (const uint8_t *)"shingle", .name_size = 7},
                         {.name = (const uint8_t *)"weight", .name_size = 6}};
    enum { FINGERPRINTS, WEIGHTS, COLUMNS };
    Bytes columns[COLUMNS] = {0};
    int failed = 0;
    for (; !failed && has_line(&lines); next_line(&lines)) {
        uint64_t fingerprint;
        int64_t weight;
        if (!read_row(&lines, members, digits, &fingerprint) || (weight = units(&members[1])) < 0)
            break;
        failed = add_bytes(&columns[FINGERPRINTS], &fingerprint, sizeof fingerprint) ||
                 add_number(&columns[WEIGHTS], weight);
    }
    return end_reading(&lines, columns, COLUMNS, !failed);
}

/* (lines, at, digits, low, high, least, most): reads lines of a table, up to the first that is not ordinary, or has a
   fingerprint of other than `digits` digits, or a document frequency not from `low` to `high`. Returns (number of
   lines, start of the next one, fingerprints with frequencies from `least` to `most`, fingerprints above; both uint64).
   */
PyObject *read_frequencies(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *data;
    Py_ssize_t start, digits;
    long long low, high, least, most;
    Lines lines;
    if (!PyArg_ParseTuple(args, "O!nnLLLL", &PyBytes_Type, &data, &start, &digits, &low, &high, &least, &most) ||
        begin_lines(&lines, data, start))
        return NULL;
    Member members[2] = {{.name = (const uint8_t *)"shingle", .name_size = 7},
                         {.name = (const uint8_t *)"df", .name_size = 2}};
    enum { BETWEEN, ABOVE, COLUMNS };
    Bytes columns[COLUMNS] = {0};
    int failed = 0;
    for (; !failed && has_line(&lines); next_line(&lines)) {
        uint64_t fingerprint;
        int64_t df;
        if (!read_row(&lines, members, digits, &fingerprint) || (df = whole(&members[1])) < low || df > high)
            break;
        failed = df >= least && add_bytes(&columns[df > most ? ABOVE : BETWEEN], &fingerprint, sizeof fingerprint);
    }
    return end_reading(&lines, columns, COLUMNS, !failed);
}

/* (fingerprints, without, factor): the slots of the set of fingerprints minus `without`; see fingerprint_slots.h. */
PyObject *list_fingerprints(PyObject *self, PyObject *args)
{
    PyObject *without = NULL, *slots = NULL;
    const char *values, *others;
    Py_ssize_t size, others_size;
    unsigned long long factor;
    if (!PyArg_ParseTuple(args, "y#y#K", &values, &size, &others, &others_size, &factor))
        return NULL;
    if (size % 8 || others_size % 8 || !(factor & 1)) {
        PyErr_SetString(PyExc_ValueError, "fingerprints have 8 bytes, and the factor is odd");
        return NULL;
    }
    Listed listed = {.factor = factor}, other = {.factor = factor};
    if (others_size) {
        PyObject *arguments = Py_BuildValue("(y#y#K)", others, others_size, "", (Py_ssize_t)0, factor);
        without = arguments ? list_fingerprints(self, arguments) : NULL;
        Py_XDECREF(arguments);
        if (!without)
            return NULL;
        slots_of((size_t)others_size / 8, &other);
        other.slots = (uint8_t *)PyBytes_AsString(without);
    }
    size_t room = slots_of((size_t)size / 8, &listed);
    slots = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room);
    if (!slots)
        goto done;
    listed.slots = (uint8_t *)PyBytes_AsString(slots);
    memset(listed.slots, 0, room);
    for (Py_ssize_t i = 0; i < size; i += 8) {
        uint64_t fingerprint = load_8((const uint8_t *)values + i);
        if (!without || !is_listed(&other, fingerprint))
            add_listed(&listed, fingerprint);
    }
done:
    Py_XDECREF(without);
    return slots;
}
