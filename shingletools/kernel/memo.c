#include "memo.h"

int enlarge(Bytes *bytes, size_t more)
{
    size_t room = bytes->used + more + bytes->room / 2;
    uint8_t *data = PyMem_Realloc(bytes->data, room);
    if (!data) {
        PyErr_NoMemory();
        return -1;
    }
    bytes->data = data;
    bytes->room = room;
    return 0;
}

PyObject *ask(PyObject *function, const uint8_t *key, size_t size)
{
    PyObject *text = PyUnicode_DecodeUTF8((const char *)key, (Py_ssize_t)size, NULL);
    if (!text)
        return NULL;
    PyObject *value = PyObject_CallFunctionObjArgs(function, text, NULL);
    Py_DECREF(text);
    return value;
}

PyObject *new_memo(PyTypeObject *type, PyObject *function)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Memo *self = (Memo *)allocate(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(function);
    self->function = function;
    self->block = PyMem_Calloc((2 << PAIR_BITS) + 1, sizeof(Line));
    if (!self->block) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    /* A line of the table is one of the cache */
    uintptr_t beyond = (uintptr_t)self->block % sizeof(Line);
    self->lines = (Line *)((char *)self->block + (beyond ? sizeof(Line) - beyond : 0));
    return (PyObject *)self;
}

int traverse_memo(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Memo *)self)->function);
    return 0;
}

int clear_memo(PyObject *self)
{
    Py_CLEAR(((Memo *)self)->function);
    return 0;
}

void free_memo(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_memo(self);
    PyMem_Free(((Memo *)self)->block);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}
