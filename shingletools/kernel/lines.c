/* The elements of JSON arrays, and lines of JSON from columns. */

#include "json_members.h"

/* With memchr, which bytes.count does not use. */
PyObject *count_lines(PyObject *Py_UNUSED(self), PyObject *data)
{
    char *at;
    Py_ssize_t size, count = 0;
    if (PyBytes_AsStringAndSize(data, &at, &size))
        return NULL;
    for (const uint8_t *line = (uint8_t *)at, *end = line + size; line < end; line = end_of_line(line, end) + 1)
        count++;
    return PyLong_FromSsize_t(count);
}

/* element_end(data, at, deepest): where the comma or the bracket stands that ends an element; -1 without one, -2 within
 * more than `deepest` brackets. */
PyObject *element_end(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_buffer data;
    Py_ssize_t at, deepest, depth = 0, found = -1;
    if (!PyArg_ParseTuple(args, "y*nn", &data, &at, &deepest))
        return NULL;
    const uint8_t *bytes = data.buf;
    int quoted = 0;
    for (at = at < 0 ? 0 : at; at < data.len; at++) {
        uint8_t byte = bytes[at];
        if (quoted) {
            if (byte == '\\')
                at++;
            else if (byte == '"')
                quoted = 0;
        } else if (byte == '"') {
            quoted = 1;
        } else if (byte == '[' || byte == '{') {
            if (++depth > deepest) {
                found = -2;
                break;
            }
        } else if (!depth && (byte == ',' || byte == ']')) {
            found = at;
            break;
        } else if (depth && (byte == ']' || byte == '}')) {
            depth--;
        }
    }
    PyBuffer_Release(&data);
    return PyLong_FromSsize_t(found);
}

/* What stands before each value of a column; the values, one after the other; where each begins and the last ends. */
typedef struct {
    Py_buffer head, data, starts;
    int text; /* whether the values are text, which is to be quoted */
} Values;

static int add_value(Bytes *out, const Values *column, Py_ssize_t row)
{
    const int64_t *starts = column->starts.buf;
    if (row + 1 >= column->starts.len / (Py_ssize_t)sizeof *starts || starts[row] < 0 ||
        starts[row + 1] < starts[row] || starts[row + 1] > column->data.len) {
        PyErr_SetString(PyExc_ValueError, "no values of these rows");
        return -1;
    }
    const uint8_t *value = (const uint8_t *)column->data.buf + starts[row];
    size_t size = (size_t)(starts[row + 1] - starts[row]);
    return add_bytes(out, column->head.buf, (size_t)column->head.len) ||
                   (column->text ? add_quoted(out, value, size) : add_bytes(out, value, size))
               ? -1
               : 0;
}

/* record_lines(columns, rows): a line for each row, of its values. */
PyObject *record_lines(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *columns, *result = NULL;
    Py_ssize_t rows, taken = 0;
    if (!PyArg_ParseTuple(args, "O!n", &PyTuple_Type, &columns, &rows))
        return NULL;
    Bytes out = {0};
    Py_ssize_t count = PyTuple_Size(columns);
    Values *values = PyMem_Calloc((size_t)count + 1, sizeof *values);
    if (!values) {
        PyErr_NoMemory();
        goto done;
    }
    for (; taken < count; taken++) {
        Values *each = &values[taken];
        if (!PyArg_ParseTuple(PyTuple_GetItem(columns, taken), "y*y*y*p", &each->head, &each->data, &each->starts,
                              &each->text))
            goto done;
    }
    for (Py_ssize_t row = 0; row < rows; row++) {
        for (Py_ssize_t i = 0; i < count; i++)
            if (add_value(&out, &values[i], row))
                goto done;
        if (add_bytes(&out, "}\n", 2))
            goto done;
    }
    result = PyBytes_FromStringAndSize((const char *)out.data, (Py_ssize_t)out.used);
done:
    while (taken--) {
        PyBuffer_Release(&values[taken].head);
        PyBuffer_Release(&values[taken].data);
        PyBuffer_Release(&values[taken].starts);
    }
    PyMem_Free(values);
    free(out.data);
    return result;
}
