/* How the system's allocator is to deal with large blocks, which depends on what a process does. */

#include "kernel.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Lets this process keep memory that it frees, for what it does next; whether it can. Blocks of a megabyte would go back
   to the system each time, and come again by page faults. */
PyObject *keep_memory(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
#ifdef __GLIBC__
    return PyBool_FromLong(mallopt(M_MMAP_THRESHOLD, 1 << 25) && mallopt(M_TRIM_THRESHOLD, 1 << 26));
#else
    Py_RETURN_FALSE;
#endif
}

/* Large arrays are given back to the system as soon as they are freed. Left to itself, glibc puts them into the heap once
   some were freed, where small ones soon lie behind them: a tenth more memory for a join of a million sketches. */
PyObject *part_large_arrays(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 22);
#endif
    Py_RETURN_NONE;
}
