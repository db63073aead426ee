/* For LD_PRELOAD: calls of one function fail, on files whose path contains some text, from the nth call on.

       FAULT="read docs.jsonl 3 5"    function, text, n from 1, errno

   Where errno is 0, the process is killed at that call; a write has written half of its bytes then.
   A file that has no name any more is known by the one that it had. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(const char *function, const char *path)
{
    static int calls;
    char wanted[16], text[256];
    int from, error;
    const char *fault = getenv("FAULT");
    if (!fault || sscanf(fault, "%15s %255s %d %d", wanted, text, &from, &error) != 4 || strcmp(function, wanted) ||
        !strstr(path, text) || __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) < from)
        return 0;
    if (!error && strcmp(function, "write"))
        raise(SIGKILL);
    errno = error;
    return 1;
}

static int fails_on(const char *function, int descriptor)
{
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, PATH_MAX);
    if (size < 0)
        return 0;
    path[size] = 0;
    return fails(function, path);
}

#define REAL(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

ssize_t read(int descriptor, void *data, size_t size)
{
    return fails_on("read", descriptor) ? -1 : REAL(read)(descriptor, data, size);
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    if (!fails_on("write", descriptor))
        return REAL(write)(descriptor, data, size);
    if (!errno) {
        REAL(write)(descriptor, data, size / 2);
        raise(SIGKILL);
    }
    return -1;
}

ssize_t pread64(int descriptor, void *data, size_t size, off64_t at)
{
    return fails_on("pread64", descriptor) ? -1 : REAL(pread64)(descriptor, data, size, at);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t at)
{
    return fails_on("pwrite64", descriptor) ? -1 : REAL(pwrite64)(descriptor, data, size, at);
}

int fsync(int descriptor)
{
    return fails_on("fsync", descriptor) ? -1 : REAL(fsync)(descriptor);
}

/* Linux has closed a descriptor even where it says that something went wrong. */
int close(int descriptor)
{
    int failed = fails_on("close", descriptor), error = errno, result = REAL(close)(descriptor);
    if (!failed)
        return result;
    errno = error;
    return -1;
}

int rename(const char *from, const char *to)
{
    return fails("rename", to) ? -1 : REAL(rename)(from, to);
}

int unlink(const char *path)
{
    return fails("unlink", path) ? -1 : REAL(unlink)(path);
}
