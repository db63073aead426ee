/* Links for Python, and the link that asks a function in Python: see splice.h. */

#include "splice.h"

PyObject *new_link(const LinkType *type, PyObject *arguments)
{
    return Py_BuildValue("(NN)", PyCapsule_New((void *)type, LINK, NULL), arguments);
}

void *new_self(size_t size)
{
    void *self = PyMem_Calloc(1, size);
    if (!self)
        PyErr_NoMemory();
    return self;
}

void *take_arguments(PyObject *arguments)
{
    return arguments;
}

/* Calls the function, which is in the tuple `self`. */
static Made call(void *self, const uint8_t *text, size_t size, Bytes *out)
{
    PyObject *payload = ask(PyTuple_GetItem(self, 0), text, size);
    if (!payload)
        return FAILED;
    const int is_string = PyUnicode_Check(payload);
    Py_ssize_t length = is_string ? 0 : PyBytes_Size(payload);
    const char *bytes = is_string ? PyUnicode_AsUTF8AndSize(payload, &length) : PyBytes_AsString(payload);
    const int failed = !bytes || add_bytes(out, bytes, (size_t)length);
    Py_DECREF(payload);
    return failed ? FAILED : is_string ? TEXT : JSON;
}

PyObject *link_function(PyObject *Py_UNUSED(self), PyObject *function)
{
    static const LinkType FUNCTION = {call, NULL, take_arguments, NULL};
    return new_link(&FUNCTION, Py_BuildValue("(O)", function));
}
