/* Counts of tokens, the rarest tokens of sets, and keys of whole sets; arrays.h describes the arrays. */

#include "arrays.h"

enum { COUNTERS = 22 };

static inline uint64_t counter_of(uint64_t token)
{
    return fmix64(token) >> (64 - COUNTERS);
}

/* count_tokens(tokens, counters) */
PyObject *count_tokens(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *result = NULL;
    Py_buffer view[2] = {0};
    if (!PyArg_ParseTuple(args, "y*w*", &view[0], &view[1]))
        return NULL;
    const uint64_t *tokens = view[0].buf;
    uint32_t *counters = view[1].buf;
    if (view[1].len != (Py_ssize_t)sizeof *counters << COUNTERS) {
        fail_arrays();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < view[0].len / 8; i++) {
        uint32_t *counter = &counters[counter_of(tokens[i])];
        *counter += *counter < UINT32_MAX;
    }
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    release(view, 2);
    return result;
}

/* Arguments (tokens, starts, sizes, out): sets `width` words of `out` for each set. */
static PyObject *for_each_set(PyObject *args, int width, void (*work)(const uint64_t *, int64_t, uint64_t *))
{
    PyObject *result = NULL;
    Py_buffer view[4] = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*w*", &view[0], &view[1], &view[2], &view[3]))
        return NULL;
    const uint64_t *tokens = view[0].buf;
    const int64_t *starts = view[1].buf, *sizes = view[2].buf;
    uint64_t *out = view[3].buf;
    if (!are_sets(&view[0], &view[1], &view[2]) || view[3].len != width * view[1].len) {
        fail_arrays();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < view[1].len / 8; i++)
        work(tokens + starts[i], sizes[i], out + width * i);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    release(view, 4);
    return result;
}

static void set_key(const uint64_t *tokens, int64_t size, uint64_t *key)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < size; i++)
        sum += fmix64(tokens[i]);
    *key = fmix64(sum);
}

PyObject *set_keys(PyObject *Py_UNUSED(self), PyObject *args)
{
    return for_each_set(args, 1, set_key);
}

static void set_parities(const uint64_t *tokens, int64_t size, uint64_t *bits)
{
    bits[0] = bits[1] = 0;
    for (int64_t i = 0; i < size; i++) {
        uint64_t which = fmix64(tokens[i]);
        bits[which >> 6 & 1] ^= UINT64_C(1) << (which & 63);
    }
}

PyObject *parities(PyObject *Py_UNUSED(self), PyObject *args)
{
    return for_each_set(args, 2, set_parities);
}

typedef struct {
    uint32_t count, place; /* of a token: its counter, and its place in its set */
} Counted;

/* A stable sort by counts: a radix sort, byte by byte. Returns the one of the two arrays that has the result. */
static Counted *sort_by_count(Counted *from, Counted *to, size_t size, uint32_t most)
{
    for (int shift = 0; shift < 32 && most >> shift; shift += 8) {
        uint32_t starts[256] = {0}, sum = 0;
        for (size_t i = 0; i < size; i++)
            starts[from[i].count >> shift & 255]++;
        for (int i = 0; i < 256; i++) {
            uint32_t here = starts[i];
            starts[i] = sum;
            sum += here;
        }
        for (size_t i = 0; i < size; i++)
            to[starts[from[i].count >> shift & 255]++] = from[i];
        Counted *other = from;
        from = to;
        to = other;
    }
    return from;
}

/* rarest(tokens, starts, sizes, wanted, counters, out): the places of the rarest tokens of each set. */
PyObject *rarest(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *result = NULL;
    Py_buffer view[6] = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*w*", &view[0], &view[1], &view[2], &view[3], &view[4], &view[5]))
        return NULL;
    Counted *room = NULL;
    const uint64_t *tokens = view[0].buf;
    const int64_t *starts = view[1].buf, *sizes = view[2].buf, *wanted = view[3].buf;
    const uint32_t *counters = view[4].buf;
    int64_t *out = view[5].buf, number = view[1].len / 8, sum = 0, largest = 0;
    int bad = !are_sets(&view[0], &view[1], &view[2]) || view[3].len != view[1].len ||
              view[4].len != (Py_ssize_t)sizeof *counters << COUNTERS;
    for (int64_t i = 0; i < number && !bad; i++) {
        bad = wanted[i] < 0 || wanted[i] > sizes[i] || sizes[i] > UINT32_MAX;
        sum += wanted[i];
        largest = sizes[i] > largest ? sizes[i] : largest;
    }
    if (bad || sum != view[5].len / 8) {
        fail_arrays();
        goto done;
    }
    if (!(room = PyMem_Malloc(2 * (size_t)largest * sizeof *room + 1))) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (int64_t i = 0; i < number; i++) {
        uint32_t most = 0;
        for (int64_t j = 0; j < sizes[i]; j++) {
            uint32_t count = counters[counter_of(tokens[starts[i] + j])];
            room[j] = (Counted){count, (uint32_t)j};
            most = count > most ? count : most;
        }
        const Counted *sorted = sort_by_count(room, room + largest, (size_t)sizes[i], most);
        for (int64_t j = 0; j < wanted[i]; j++)
            *out++ = starts[i] + sorted[j].place;
    }
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    PyMem_Free(room);
    release(view, 6);
    return result;
}
