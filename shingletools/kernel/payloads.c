/* Payloads of hex digits, the signatures made of them. */

#include "kernel.h"

enum {
    BATCH = 32, /* min-hash functions whose minima stay in registers */
    BLOCK = 64, /* groups of digits that are read together */
};

/* Eight digits; one that is none sets *bad. */
static inline uint64_t parse_8_digits(uint64_t text, uint64_t *bad)
{
    text = first_low(text);
    uint64_t digits = (text & EACH(15)) + (text >> 6 & EACH(1)) * 9;
    /* They are digits if the letters of what they are taken for are what they are, but for case */
    *bad |= letters_of(digits & EACH(15)) ^ (text | (text & EACH(0x40)) >> 1);
    digits = (digits << 4 | digits >> 8) & UINT64_C(0x00FF00FF00FF00FF);
    digits = (digits << 8 | digits >> 16) & UINT64_C(0x0000FFFF0000FFFF);
    return (digits << 16 | digits >> 32) & UINT32_MAX;
}

VECTORS static uint64_t parse_singles(const uint64_t *text, size_t count, uint64_t *values)
{
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++)
        values[i] = parse_8_digits(text[i], &bad);
    return bad;
}

VECTORS static uint64_t parse_pairs(const uint64_t *text, size_t count, uint64_t *values)
{
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++)
        values[i] = parse_8_digits(text[2 * i], &bad) << 32 | parse_8_digits(text[2 * i + 1], &bad);
    return bad;
}

/* Digit groups of 8 or 16; not 0 if one has something else. Their digits come to stand together first, so that many
   can be read at once. */
static uint64_t parse_groups(const uint8_t *payload, size_t groups, size_t digits, uint64_t *values)
{
    uint64_t text[BLOCK], bad = 0;
    size_t parts = digits / 8;
    while (groups) {
        size_t count = groups < BLOCK / parts ? groups : BLOCK / parts;
        if (parts == 1) {
            for (size_t i = 0; i < count; i++)
                memcpy(text + i, payload + 9 * i, 8);
            bad |= parse_singles(text, count, values);
        } else {
            for (size_t i = 0; i < count; i++)
                memcpy(text + 2 * i, payload + 17 * i, 16);
            bad |= parse_pairs(text, count, values);
        }
        payload += count * (digits + 1);
        groups -= count;
        values += count;
    }
    return bad;
}

/* Groups of so many hex digits, single blanks between: their number, and -1 if the payload is none such. */
static Py_ssize_t count_groups(const uint8_t *payload, size_t size, size_t digits)
{
    if ((size + 1) % (digits + 1))
        return -1;
    for (size_t at = digits; at < size; at += digits + 1)
        if (payload[at] != ' ')
            return -1;
    return (Py_ssize_t)((size + 1) / (digits + 1));
}

/* A payload's shingles, of 8 or 16 digits as its first group has; NULL without an exception if it is none. */
static uint64_t *take_shingles(PyObject *text, size_t *count, int *narrow)
{
    Py_ssize_t size;
    const uint8_t *payload = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!payload)
        return NULL;
    *narrow = size == 8 || (size > 8 && payload[8] == ' ');
    size_t digits = *narrow ? 8 : 16;
    Py_ssize_t groups = count_groups(payload, (size_t)size, digits);
    if (groups < 1)
        return NULL;
    uint64_t *values = PyMem_Malloc((size_t)groups * sizeof *values);
    if (!values) {
        PyErr_NoMemory();
        return NULL;
    }
    if (parse_groups(payload, (size_t)groups, digits, values)) {
        PyMem_Free(values);
        return NULL;
    }
    *count = (size_t)groups;
    return values;
}

static PyObject *none_unless_failed(void)
{
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

PyObject *payload_to_bytes(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *text;
    Py_ssize_t digits, size;
    if (!PyArg_ParseTuple(args, "Un", &text, &digits))
        return NULL;
    const uint8_t *payload = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!payload)
        return NULL;
    if (digits < 8 || digits % 8) {
        PyErr_SetString(PyExc_ValueError, "groups have a multiple of 8 digits");
        return NULL;
    }
    Py_ssize_t groups = count_groups(payload, (size_t)size, (size_t)digits);
    if (groups < 0)
        Py_RETURN_NONE;
    PyObject *result = PyBytes_FromStringAndSize(NULL, groups * digits / 2);
    if (!result)
        return NULL;
    uint8_t *out = (uint8_t *)PyBytes_AsString(result);
    uint64_t bad = 0;
    for (Py_ssize_t group = 0; group < groups; group++, payload++)
        for (Py_ssize_t i = 0; i < digits; i += 8, payload += 8) {
            uint64_t text, value;
            memcpy(&text, payload, 8);
            value = parse_8_digits(text, &bad);
            for (int byte = 3; byte >= 0; byte--)
                *out++ = (uint8_t)(value >> 8 * byte);
        }
    if (bad) {
        Py_DECREF(result);
        Py_RETURN_NONE;
    }
    return result;
}

/* BATCH functions at a time, whose minima stay in registers: that is why the inner loop is unrolled. Left to itself, gcc
   unrolls the outer one, and keeps them in memory. */
VECTORS static void least(const uint32_t *y, size_t count, const uint32_t *a, const uint32_t *b, uint32_t *minima)
{
    uint32_t low[BATCH];
    memset(low, 0xFF, sizeof low);
    for (size_t i = 0; i < count; i++) {
        uint32_t each = y[i];
#pragma GCC unroll 32 /* BATCH */
        for (int j = 0; j < BATCH; j++) {
            uint32_t value = a[j] * each + b[j];
            low[j] = value < low[j] ? value : low[j];
        }
    }
    memcpy(minima, low, sizeof low);
}

PyObject *minima(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *text;
    const char *a, *b;
    Py_ssize_t a_size, b_size;
    if (!PyArg_ParseTuple(args, "Uy#y#", &text, &a, &a_size, &b, &b_size))
        return NULL;
    size_t n = (size_t)a_size / 4, batches = (n + BATCH - 1) / BATCH, count;
    if (a_size != b_size || a_size % 4) {
        PyErr_SetString(PyExc_ValueError, "a and b are arrays of n integers of 4 bytes");
        return NULL;
    }
    int narrow;
    uint64_t *shingles = take_shingles(text, &count, &narrow);
    if (!shingles)
        return none_unless_failed();
    /* a, b and the minima are filled up to whole batches */
    uint32_t *work = PyMem_Calloc(3 * batches * BATCH + count, sizeof *work);
    uint8_t *out = PyMem_Malloc(9 * n + 1);
    PyObject *result = NULL;
    if (!work || !out) {
        PyErr_NoMemory();
        goto done;
    }
    uint32_t *factors = work, *summands = work + batches * BATCH, *low = summands + batches * BATCH;
    uint32_t *y = low + batches * BATCH;
    memcpy(factors, a, (size_t)a_size);
    memcpy(summands, b, (size_t)b_size);
    Py_BEGIN_ALLOW_THREADS
    for (size_t i = 0; i < count; i++)
        y[i] = (uint32_t)(fmix64(shingles[i]) >> 32);
    for (size_t batch = 0; batch < batches * BATCH; batch += BATCH)
        least(y, count, factors + batch, summands + batch, low + batch);
    for (size_t i = 0; i < n; i++) {
        put_hex(out + 9 * i, low[i], 8);
        out[9 * i + 8] = ' ';
    }
    Py_END_ALLOW_THREADS
    result = PyUnicode_DecodeUTF8((const char *)out, (Py_ssize_t)(n ? 9 * n - 1 : 0), NULL);
done:
    PyMem_Free(shingles);
    PyMem_Free(work);
    PyMem_Free(out);
    return result;
}

VECTORS static void count_bits(const uint64_t *shingles, size_t count, uint64_t *counts)
{
    for (size_t i = 0; i < count; i++)
        for (int bit = 0; bit < 64; bit++)
            counts[bit] += shingles[i] >> bit & 1;
}

PyObject *simhash(PyObject *Py_UNUSED(self), PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a payload is a string");
        return NULL;
    }
    size_t count;
    int narrow;
    uint64_t *shingles = take_shingles(text, &count, &narrow);
    if (!shingles)
        return none_unless_failed();
    uint64_t counts[64] = {0}, value = 0;
    uint8_t out[16];
    Py_BEGIN_ALLOW_THREADS
    for (size_t i = 0; i < count && narrow; i++)
        shingles[i] = fmix64(shingles[i]);
    count_bits(shingles, count, counts);
    for (int bit = 0; bit < 64; bit++)
        value |= (uint64_t)(2 * counts[bit] > count) << bit;
    put_hex(out, value, 16);
    Py_END_ALLOW_THREADS
    PyMem_Free(shingles);
    return PyUnicode_DecodeUTF8((const char *)out, 16, NULL);
}
