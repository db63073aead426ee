/* Settings of a process: when its memory goes back to the system, and what ends the process. */

#include "kernel.h"
#include <stdlib.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
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
    mallopt(M_TRIM_THRESHOLD, 1 << 24);
#endif
    Py_RETURN_NONE;
}

/* Makes the system kill this process when the thread that started it ends; returns whether it can. */
PyObject *end_with_parent(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
#ifdef __linux__
    return PyBool_FromLong(!prctl(PR_SET_PDEATHSIG, SIGKILL));
#else
    Py_RETURN_FALSE;
#endif
}

static void end_failed(void)
{
    if (Py_IsInitialized())
        _exit(2);
}

/* Gives the process status 2 if a library calls exit() before Python has ended: OpenBLAS does it with 1, for lack of
   memory, and that would mean that some records were rejected. */
PyObject *fail_at_exit(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
    atexit(end_failed);
    Py_RETURN_NONE;
}
