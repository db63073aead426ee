/* Settings of the allocator for large blocks, by the work of a process. */

#include "kernel.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Makes this process keep the memory that it frees; returns whether it can. Else blocks of a megabyte would go back to
   the system each time, and come again by page faults. */
PyObject *keep_memory(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
#ifdef __GLIBC__
    return PyBool_FromLong(mallopt(M_MMAP_THRESHOLD, 1 << 25) && mallopt(M_TRIM_THRESHOLD, 1 << 26));
#else
    Py_RETURN_FALSE;
#endif
}

/* Makes this process return large arrays to the system when they are freed. By default, glibc puts large arrays into
   the heap after some were freed, where small ones soon block them: a tenth more memory for a join of a million
   sketches. */
PyObject *part_large_arrays(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 22);
#endif
    Py_RETURN_NONE;
}
