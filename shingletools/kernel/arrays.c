/* Loops over arrays, which come as buffers, contiguous, of the machine's own byte order:

       rows     uint8, uint32 or uint64, one value for each component of a signature, row after row
       left, right, firsts, lasts, starts, sizes, wanted    int64; least, too, where there is one for each pair
       tokens   uint64, sets one after the other, each ascending; starts and sizes say where each is
       counters uint32, 2^COUNTERS, in how many sets the tokens of each are
       keys     uint64
       numbers  int64, of tokens, those of one set after the other; rows, bounds: which rows have the token of each number
       out      int64 for counts and places, uint64 for keys, bytes of 0 or 1 for shared
*/

#include "kernel.h"

enum { COUNTERS = 22, SPARSE_BITS = 3 /* of 8 places for a key, one is taken */ };

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
    result = Py_NewRef(Py_None);
done:
    release(&arrays);
    return result;
}

static inline uint64_t key_of(const char *row, Py_ssize_t size, int64_t first, int64_t last)
{
    uint64_t key = 0;
    for (int64_t component = first; component < last; component++) {
        uint64_t value = size == 1   ? ((const uint8_t *)row)[component]
                         : size == 4 ? ((const uint32_t *)row)[component]
                                     : ((const uint64_t *)row)[component];
        key = key * ROLL + value;
    }
    return fmix64(key);
}

/* band_keys(width, size, rows, firsts, lasts, out): the keys of all rows in the first band, then in the second. Rows are
   read once for all bands: they are far larger than the cache. */
PyObject *band_keys(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_ssize_t width, size;
    PyObject *unused;
    if (!PyArg_ParseTuple(args, "nnOOOO", &width, &size, &unused, &unused, &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    PyObject *result = NULL;
    if (take_arrays(args, 2, &arrays))
        goto done;
    const Py_buffer *rows = &arrays.view[0], *firsts = &arrays.view[1], *out = &arrays.view[3];
    const int64_t *first = firsts->buf, *last = arrays.view[2].buf;
    Py_ssize_t bands = firsts->len / 8, number = is_row(width, size) ? rows->len / (width * size) : -1;
    int bad = number < 0 || rows->len % (width * size) || arrays.view[2].len != firsts->len ||
              (bands ? out->len / 8 / bands != number || out->len % (8 * bands) : out->len);
    for (Py_ssize_t band = 0; band < bands && !bad; band++)
        bad = first[band] < 0 || last[band] < first[band] || last[band] > width;
    if (bad) {
        fail_arrays();
        goto done;
    }
    uint64_t *keys = out->buf;
    Py_BEGIN_ALLOW_THREADS
    const char *row = rows->buf;
    for (Py_ssize_t i = 0; i < number; i++, row += width * size)
        for (Py_ssize_t band = 0; band < bands; band++)
            keys[band * number + i] = key_of(row, size, first[band], last[band]);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    release(&arrays);
    return result;
}

/* shared(keys, out): 1 for each key that stands twice, and for some that do not: their highest bits are those of
   another. A bit says that such were seen, a second one that they were seen again. */
PyObject *shared(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *unused, *result = NULL;
    if (!PyArg_ParseTuple(args, "OO", &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    uint64_t *seen = NULL;
    if (take_arrays(args, 0, &arrays))
        goto done;
    const uint64_t *keys = arrays.view[0].buf;
    uint8_t *out = arrays.view[1].buf;
    Py_ssize_t count = arrays.view[1].len;
    if (arrays.view[0].len / 8 != count) {
        fail_arrays();
        goto done;
    }
    int bits = SPARSE_BITS + 6;
    while (bits < 40 && count >> (bits - SPARSE_BITS))
        bits++;
    size_t words = (size_t)1 << (bits - 6);
    if (!(seen = PyMem_Calloc(2 * words, sizeof *seen))) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    uint64_t *again = seen + words;
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t place = keys[i] >> (64 - bits), bit = UINT64_C(1) << (place & 63);
        again[place >> 6] |= seen[place >> 6] & bit;
        seen[place >> 6] |= bit;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t place = keys[i] >> (64 - bits);
        out[i] = again[place >> 6] >> (place & 63) & 1;
    }
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    PyMem_Free(seen);
    release(&arrays);
    return result;
}

/* How many tokens two ascending sets have in common; 0 as soon as it is clear that it is fewer than `least`. */
static int64_t overlap(const uint64_t *one, int64_t size_one, const uint64_t *two, int64_t size_two, int64_t least)
{
    int64_t i = 0, j = 0, common = 0;
    while (i < size_one && j < size_two) {
        int64_t left_one = size_one - i, left_two = size_two - j;
        if (common + (left_one < left_two ? left_one : left_two) < least)
            return 0;
        uint64_t a = one[i], b = two[j];
        common += a == b;
        i += a <= b;
        j += b <= a;
    }
    return common < least ? 0 : common;
}

/* Whether there are as many starts as sizes of sets, and all of these are among the tokens. */
static int are_sets(const Py_buffer *tokens, const Py_buffer *starts, const Py_buffer *sizes)
{
    const int64_t *start = starts->buf, *size = sizes->buf;
    int64_t bad = starts->len != sizes->len;
    for (Py_ssize_t i = 0; i < starts->len / 8 && !bad; i++)
        bad |= start[i] < 0 || size[i] < 0 || start[i] > tokens->len / 8 - size[i];
    return !bad;
}

/* overlaps(tokens, starts, sizes, left, right, least, out) */
PyObject *overlaps(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *unused;
    if (!PyArg_ParseTuple(args, "OOOOOOO", &unused, &unused, &unused, &unused, &unused, &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    PyObject *result = NULL;
    if (take_arrays(args, 0, &arrays))
        goto done;
    const Py_buffer *view = arrays.view;
    const uint64_t *tokens = view[0].buf;
    const int64_t *starts = view[1].buf, *sizes = view[2].buf, *left = view[3].buf, *right = view[4].buf,
                  *least = view[5].buf;
    int64_t *counts = view[6].buf, number = view[1].len / 8, bad = 0;
    for (int i = 4; i < 7; i++)
        bad |= view[i].len != view[3].len;
    if (bad || !are_rows(&view[3], number) || !are_rows(&view[4], number) || !are_sets(&view[0], &view[1], &view[2])) {
        fail_arrays();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < view[3].len / 8; i++)
        counts[i] = overlap(tokens + starts[left[i]], sizes[left[i]], tokens + starts[right[i]], sizes[right[i]],
                            least[i]);
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    release(&arrays);
    return result;
}

static inline uint64_t counter_of(uint64_t token)
{
    return fmix64(token) >> (64 - COUNTERS);
}

/* count_tokens(tokens, counters) */
PyObject *count_tokens(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *unused, *result = NULL;
    if (!PyArg_ParseTuple(args, "OO", &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    if (take_arrays(args, 0, &arrays))
        goto done;
    const uint64_t *tokens = arrays.view[0].buf;
    uint32_t *counters = arrays.view[1].buf;
    if (arrays.view[1].len != (Py_ssize_t)sizeof *counters << COUNTERS) {
        fail_arrays();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < arrays.view[0].len / 8; i++) {
        uint32_t *counter = &counters[counter_of(tokens[i])];
        *counter += *counter < UINT32_MAX;
    }
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    release(&arrays);
    return result;
}

/* set_keys(tokens, starts, sizes, out) */
PyObject *set_keys(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *unused, *result = NULL;
    if (!PyArg_ParseTuple(args, "OOOO", &unused, &unused, &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    if (take_arrays(args, 0, &arrays))
        goto done;
    const uint64_t *tokens = arrays.view[0].buf;
    const int64_t *starts = arrays.view[1].buf, *sizes = arrays.view[2].buf;
    uint64_t *keys = arrays.view[3].buf;
    if (!are_sets(&arrays.view[0], &arrays.view[1], &arrays.view[2]) || arrays.view[3].len != arrays.view[1].len) {
        fail_arrays();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < arrays.view[1].len / 8; i++) {
        uint64_t sum = 0;
        for (int64_t j = 0; j < sizes[i]; j++)
            sum += fmix64(tokens[starts[i] + j]);
        keys[i] = fmix64(sum);
    }
    Py_END_ALLOW_THREADS
    result = Py_NewRef(Py_None);
done:
    release(&arrays);
    return result;
}

typedef struct {
    uint32_t count, place; /* of a token, in all sets and in its own */
} Counted;

/* By their counts, those of one count staying in their order: a radix sort, byte by byte. Returns which of the two
   arrays has them. */
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

/* rarest(tokens, starts, sizes, wanted, counters, out): of each set the places of so many tokens. */
PyObject *rarest(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *unused, *result = NULL;
    if (!PyArg_ParseTuple(args, "OOOOOO", &unused, &unused, &unused, &unused, &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    Counted *room = NULL;
    if (take_arrays(args, 0, &arrays))
        goto done;
    const Py_buffer *view = arrays.view;
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
    release(&arrays);
    return result;
}

/* The first place from `start` on, up to `end`, of a row that is no less. */
static int64_t first_from(const int64_t *rows, int64_t start, int64_t end, int64_t row)
{
    while (start < end) {
        int64_t middle = start + (end - start) / 2;
        if (rows[middle] < row)
            start = middle + 1;
        else
            end = middle;
    }
    return start;
}

typedef struct {
    const int64_t *rows, *bounds; /* of each token the rows that have it, and where they begin and end */
    int64_t entries, tokens, number;
    uint32_t *counts; /* of each row; where it is not 0, the row is among those that were met */
    int64_t *met, meetings;
} Counting;

/* Counts a token of a row: met with all rows from `after` on that have it, or only with those that were met before.
   Returns whether the arrays were wrong. */
static int count_token(Counting *all, int64_t token, int64_t after, int anew)
{
    if (token < 0 || token >= all->tokens)
        return 1;
    int64_t start = all->bounds[token], end = all->bounds[token + 1];
    if (start < 0 || end < start || end > all->entries)
        return 1;
    start = first_from(all->rows, start, end, after);
    if (!anew && end - start > 8 * all->meetings) { /* few were met: look for these */
        for (int64_t i = 0; i < all->meetings; i++) {
            int64_t place = first_from(all->rows, start, end, all->met[i]);
            all->counts[all->met[i]] += place < end && all->rows[place] == all->met[i];
        }
        return 0;
    }
    for (; start < end; start++) {
        int64_t row = all->rows[start];
        if (row < 0 || row >= all->number)
            return 1;
        if (anew && !all->counts[row])
            all->met[all->meetings++] = row;
        all->counts[row] += anew || all->counts[row];
    }
    return 0;
}

/* shared_counts(first, last, after, least, numbers, starts, sizes, rows, bounds, out): see reference.py. out: how many
   rows were met, how many pairs there are, and of each pair two rows and a count. */
PyObject *shared_counts(PyObject *Py_UNUSED(self), PyObject *args)
{
    long long first, last, after, least;
    PyObject *unused, *result = NULL;
    if (!PyArg_ParseTuple(args, "LLLLOOOOOO", &first, &last, &after, &least, &unused, &unused, &unused, &unused,
                          &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    Counting all = {0};
    if (take_arrays(args, 4, &arrays))
        goto done;
    const Py_buffer *view = arrays.view;
    const int64_t *numbers = view[0].buf, *starts = view[1].buf, *sizes = view[2].buf;
    int64_t *out = view[5].buf, room = (view[5].len / 8 - 2) / 3, candidates = 0, pairs = 0;
    all = (Counting){.rows = view[3].buf, .bounds = view[4].buf, .entries = view[3].len / 8,
                     .tokens = view[4].len / 8 - 1, .number = view[2].len / 8};
    int bad = !are_sets(&view[0], &view[1], &view[2]) || first < 0 || last > all.number || view[5].len < 16;
    if (bad) {
        fail_arrays();
        goto done;
    }
    all.counts = PyMem_Calloc((size_t)all.number + 1, sizeof *all.counts);
    all.met = PyMem_Malloc(((size_t)all.number + 1) * sizeof *all.met);
    if (!all.counts || !all.met) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (int64_t row = first; row < last && !bad; row++) {
        int64_t size = sizes[row], from = row + 1 > after ? row + 1 : after;
        all.meetings = 0;
        for (int64_t i = 0; i < size && !bad; i++)
            bad = count_token(&all, numbers[starts[row] + i], from, i <= size - least);
        candidates += all.meetings;
        for (int64_t i = 0; i < all.meetings; i++) {
            int64_t other = all.met[i], count = all.counts[other];
            all.counts[other] = 0;
            if (count < least)
                continue;
            if (pairs == room) {
                bad = 1;
                break;
            }
            int64_t *pair = out + 2 + 3 * pairs++;
            pair[0] = row;
            pair[1] = other;
            pair[2] = count;
        }
    }
    Py_END_ALLOW_THREADS
    if (bad) {
        fail_arrays();
        goto done;
    }
    out[0] = candidates;
    out[1] = pairs;
    result = Py_NewRef(Py_None);
done:
    PyMem_Free(all.counts);
    PyMem_Free(all.met);
    release(&arrays);
    return result;
}
