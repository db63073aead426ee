/* Loops over arrays, which come as buffers, contiguous, of the machine's own byte order:

       rows     uint8, uint32 or uint64, one value for each component of a signature, row after row
       left, right, starts, sizes, counts    int64
       entries  int64, sets one after the other, each ascending
*/

#include "kernel.h"

typedef struct {
    Py_buffer view[7];
    int taken;
} Arrays;

/* Buffers of the arguments from `first` on, the last of them for writing. */
static int take_arrays(PyObject *args, Py_ssize_t first, Arrays *arrays)
{
    Py_ssize_t count = PyTuple_Size(args) - first;
    for (Py_ssize_t i = 0; i < count; i++) {
        int flags = i == count - 1 ? PyBUF_CONTIG : PyBUF_CONTIG_RO;
        if (PyObject_GetBuffer(PyTuple_GetItem(args, first + i), &arrays->view[i], flags))
            return -1;
        arrays->taken++;
    }
    return 0;
}

static void release(Arrays *arrays)
{
    while (arrays->taken)
        PyBuffer_Release(&arrays->view[--arrays->taken]);
}

/* In how many of n components two rows agree; 0 as soon as it is clear that it is in fewer than `least`. */
#define AGREEMENTS(NAME, TYPE)                                                                                        \
    VECTORS static int64_t NAME(const TYPE *one, const TYPE *two, size_t n, size_t least)                            \
    {                                                                                                                 \
        size_t agreeing = 0, part = 64 / sizeof(TYPE), i = 0;                                                        \
        for (; i + part <= n; i += part) {                                                                           \
            TYPE same = 0;                                                                                            \
            for (size_t j = 0; j < part; j++)                                                                        \
                same += one[i + j] == two[i + j];                                                                    \
            agreeing += same;                                                                                        \
            if (agreeing + (n - i - part) < least)                                                                   \
                return 0;                                                                                             \
        }                                                                                                             \
        for (; i < n; i++)                                                                                           \
            agreeing += one[i] == two[i];                                                                            \
        return agreeing < least ? 0 : (int64_t)agreeing;                                                             \
    }
AGREEMENTS(agreements8, uint8_t)
AGREEMENTS(agreements32, uint32_t)
AGREEMENTS(agreements64, uint64_t)

static int64_t agreements_of(const char *rows, size_t width, size_t size, int64_t one, int64_t two, size_t least)
{
    const char *left = rows + (size_t)one * width * size, *right = rows + (size_t)two * width * size;
    switch (size) {
    case 1:
        return agreements8((const uint8_t *)left, (const uint8_t *)right, width, least);
    case 4:
        return agreements32((const uint32_t *)left, (const uint32_t *)right, width, least);
    default:
        return agreements64((const uint64_t *)left, (const uint64_t *)right, width, least);
    }
}

static PyObject *fail_arrays(void)
{
    PyErr_SetString(PyExc_ValueError, "arrays of the wrong size");
    return NULL;
}

/* Whether a row can have so many components of so many bytes. */
static int is_row(Py_ssize_t width, Py_ssize_t size)
{
    return width > 0 && width <= PY_SSIZE_T_MAX / 8 && (size == 1 || size == 4 || size == 8);
}

/* Whether all values of an index array are rows. */
static int are_rows(const Py_buffer *index, int64_t rows)
{
    const int64_t *values = index->buf;
    int64_t bad = 0;
    for (Py_ssize_t i = 0; i < index->len / 8; i++)
        bad |= values[i] < 0 || values[i] >= rows;
    return !bad;
}

/* agreements(width, size, least, rows, left, right, out) */
PyObject *agreements(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_ssize_t width, size, least;
    PyObject *unused;
    if (!PyArg_ParseTuple(args, "nnnOOOO", &width, &size, &least, &unused, &unused, &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    PyObject *result = NULL;
    if (take_arrays(args, 3, &arrays))
        goto done;
    const Py_buffer *rows = &arrays.view[0], *left = &arrays.view[1], *right = &arrays.view[2], *out = &arrays.view[3];
    if (!is_row(width, size) || rows->len % (width * size) || left->len != right->len || left->len != out->len ||
        least < 0) {
        fail_arrays();
        goto done;
    }
    int64_t number = rows->len / (width * size);
    if (!are_rows(left, number) || !are_rows(right, number)) {
        fail_arrays();
        goto done;
    }
    const int64_t *one = left->buf, *two = right->buf;
    int64_t *counts = out->buf;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < left->len / 8; i++)
        counts[i] = agreements_of(rows->buf, (size_t)width, (size_t)size, one[i], two[i], (size_t)least);
    Py_END_ALLOW_THREADS
    result = Py_None;
    Py_INCREF(result);
done:
    release(&arrays);
    return result;
}

/* row_keys(width, size, first, last, rows, out) */
PyObject *row_keys(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_ssize_t width, size, first, last;
    PyObject *unused;
    if (!PyArg_ParseTuple(args, "nnnnOO", &width, &size, &first, &last, &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    PyObject *result = NULL;
    if (take_arrays(args, 4, &arrays))
        goto done;
    const Py_buffer *rows = &arrays.view[0], *out = &arrays.view[1];
    if (!is_row(width, size) || first < 0 || last < first || last > width || rows->len % (width * size) ||
        rows->len / (width * size) != out->len / 8) {
        fail_arrays();
        goto done;
    }
    uint64_t *keys = out->buf;
    const char *row = rows->buf;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < out->len / 8; i++, row += width * size) {
        uint64_t key = 0;
        for (Py_ssize_t component = first; component < last; component++) {
            uint64_t value = size == 1   ? ((const uint8_t *)row)[component]
                             : size == 4 ? ((const uint32_t *)row)[component]
                                         : ((const uint64_t *)row)[component];
            key = key * ROLL + value;
        }
        keys[i] = fmix64(key);
    }
    Py_END_ALLOW_THREADS
    result = Py_None;
    Py_INCREF(result);
done:
    release(&arrays);
    return result;
}

/* How many tokens two ascending sets have in common; 0 as soon as it is clear that it is fewer than `least`. The
   tokens of the second are greater by `apart`. */
static int64_t overlap(const int64_t *one, int64_t size_one, const int64_t *two, int64_t size_two, int64_t apart,
                       int64_t least)
{
    int64_t i = 0, j = 0, common = 0;
    while (i < size_one && j < size_two) {
        int64_t left_one = size_one - i, left_two = size_two - j;
        if (common + (left_one < left_two ? left_one : left_two) < least)
            return 0;
        int64_t a = one[i] + apart, b = two[j];
        common += a == b;
        i += a <= b;
        j += b <= a;
    }
    return common < least ? 0 : common;
}

/* overlaps(universe, entries, starts, sizes, left, right, least, out) */
PyObject *overlaps(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_ssize_t universe;
    PyObject *unused;
    if (!PyArg_ParseTuple(args, "nOOOOOOO", &universe, &unused, &unused, &unused, &unused, &unused, &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    PyObject *result = NULL;
    if (take_arrays(args, 1, &arrays))
        goto done;
    const Py_buffer *view = arrays.view;
    const int64_t *entries = view[0].buf, *starts = view[1].buf, *sizes = view[2].buf, *left = view[3].buf,
                  *right = view[4].buf, *least = view[5].buf;
    int64_t *counts = view[6].buf, number = view[1].len / 8, bad = view[1].len != view[2].len;
    for (int i = 4; i < 7; i++)
        bad |= view[i].len != view[3].len;
    if (bad || !are_rows(&view[3], number) || !are_rows(&view[4], number)) {
        fail_arrays();
        goto done;
    }
    for (int64_t i = 0; i < number; i++)
        bad |= starts[i] < 0 || sizes[i] < 0 || starts[i] > view[0].len / 8 - sizes[i];
    if (bad) {
        fail_arrays();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < view[3].len / 8; i++)
        counts[i] = overlap(entries + starts[left[i]], sizes[left[i]], entries + starts[right[i]], sizes[right[i]],
                            (right[i] - left[i]) * universe, least[i]);
    Py_END_ALLOW_THREADS
    result = Py_None;
    Py_INCREF(result);
done:
    release(&arrays);
    return result;
}
