/* Lines: each ends with a line feed, perhaps except the last. */

#include "kernel.h"

/* The end of the line that begins here, without its line feed. */
static const char *end_of_line(const char *at, const char *end)
{
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    return feed ? feed : end;
}

PyObject *count_lines(PyObject *Py_UNUSED(self), PyObject *data)
{
    char *at;
    Py_ssize_t size, count = 0;
    if (PyBytes_AsStringAndSize(data, &at, &size))
        return NULL;
    for (const char *line = at, *end = at + size; line < end; line = end_of_line(line, end) + 1)
        count++;
    return PyLong_FromSsize_t(count);
}

PyObject *split_lines(PyObject *Py_UNUSED(self), PyObject *data)
{
    char *at;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(data, &at, &size))
        return NULL;
    PyObject *lines = PyList_New(0);
    for (const char *line = at, *end = at + size, *stop; lines && line < end; line = stop + 1) {
        stop = end_of_line(line, end);
        PyObject *bytes = PyBytes_FromStringAndSize(line, stop - line);
        if (!bytes || PyList_Append(lines, bytes))
            Py_CLEAR(lines);
        Py_XDECREF(bytes);
    }
    return lines;
}
