/* Takes arrays from Python: see arrays.h. */

#include "arrays.h"

const char MISFIT[] = "arrays of the wrong size", NO_MEMORY[] = "no memory";

PyObject *with_arrays(PyObject *args, int count, int written, WorkOnArrays work)
{
    Arrays all = {0};
    int taken = 0, numbers = 0;
    const Py_ssize_t given = PyTuple_Size(args);
    for (Py_ssize_t i = 0; i < given && !PyErr_Occurred(); i++) {
        PyObject *item = PyTuple_GetItem(args, i);
        if (PyLong_Check(item) && numbers < 4)
            all.number[numbers++] = (int64_t)PyLong_AsUnsignedLongLongMask(item);
        else if (PyFloat_Check(item))
            all.share = PyFloat_AsDouble(item);
        else if (taken < count &&
                 !PyObject_GetBuffer(item, &all.view[taken], taken < written ? PyBUF_SIMPLE : PyBUF_WRITABLE))
            taken++;
    }
    const char *failure = NULL;
    if (PyErr_Occurred()) {
        failure = MISFIT;
    } else if (taken < count) {
        PyErr_SetString(PyExc_TypeError, failure = "too few arrays");
    } else {
        Py_BEGIN_ALLOW_THREADS
        failure = work(&all);
        Py_END_ALLOW_THREADS
        if (failure == NO_MEMORY)
            PyErr_NoMemory();
        else if (failure)
            PyErr_SetString(PyExc_ValueError, failure);
    }
    while (taken--)
        PyBuffer_Release(&all.view[taken]);
    return failure ? NULL : PyLong_FromLongLong(all.result);
}
