/* The watcher of signals.py, as a thread: it does not need Python's lock, which a long call may hold.
 *
 * A process has one watcher, so its state is global. `lock` guards what both threads change. The thread that holds it
 * decides how the run ends. The watcher never releases it: it ends the process.
 */

#include "kernel.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define MOST 8 /* unfinished files of one run */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int descriptor;
    double patience, again; /* seconds; a patience below 0 has no end */
    uint64_t asking;        /* bit n: signal n asks for the end */
    int settled, status;
    char *paths[MOST];
} watched;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The number of the next signal that asks for the end; 0 if no more can come. */
static int next_signal(void)
{
    unsigned char number;
    do {
        if (read(watched.descriptor, &number, 1) != 1)
            return 0;
    } while (number > 63 || !(watched.asking >> number & 1));
    return number;
}

static void *watch_signals(void *unused)
{
    int first = next_signal();
    if (!first)
        return unused;
    double begun = seconds(), patience = watched.patience;
    if (patience > 0) {
        struct timespec pause = {(time_t)patience, (long)((patience - (double)(time_t)patience) * 1e9)};
        nanosleep(&pause, NULL);
    }
    while (watched.patience < 0 && seconds() < begun + watched.again)
        next_signal();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST && !watched.settled; i++)
        if (watched.paths[i])
            unlink(watched.paths[i]);
    _exit(watched.settled ? watched.status : 128 + first);
}

PyObject *watch(PyObject *Py_UNUSED(self), PyObject *args)
{
    unsigned long long asking;
    if (!PyArg_ParseTuple(args, "iKdd", &watched.descriptor, &asking, &watched.patience, &watched.again))
        return NULL;
    watched.asking = asking;
    watched.settled = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_t thread;
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals must interrupt the main thread, not this one */
    int failed = pthread_create(&thread, NULL, watch_signals, NULL) || pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return PyBool_FromLong(!failed);
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

PyObject *watch_patience(PyObject *Py_UNUSED(self), PyObject *patience)
{
    watched.patience = PyFloat_AsDouble(patience);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

PyObject *watch_acquire(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&lock);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

PyObject *watch_release(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
    pthread_mutex_unlock(&lock);
    Py_RETURN_NONE;
}

/* Sets the files to be removed: bytes objects, at most MOST. Called under the lock. */
PyObject *watch_traces(PyObject *Py_UNUSED(self), PyObject *paths)
{
    for (int i = 0; i < MOST; i++) {
        free(watched.paths[i]);
        watched.paths[i] = NULL;
    }
    Py_ssize_t count = PyList_Size(paths);
    if (count < 0)
        return NULL;
    if (count > MOST)
        return PyErr_Format(PyExc_ValueError, "more than %d files", MOST);
    for (Py_ssize_t i = 0; i < count; i++) {
        char *path;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyList_GetItem(paths, i), &path, &size))
            return NULL;
        if (!(watched.paths[i] = malloc((size_t)size + 1)))
            return PyErr_NoMemory();
        memcpy(watched.paths[i], path, (size_t)size + 1);
    }
    Py_RETURN_NONE;
}

/* Called under the lock. */
PyObject *watch_settle(PyObject *Py_UNUSED(self), PyObject *status)
{
    watched.status = (int)PyLong_AsLong(status);
    watched.settled = 1;
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}
