/* Links of chains: see splice.h. */

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
