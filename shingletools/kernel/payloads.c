/* Payloads of hex digits, the signatures made of them. */

#include "kernel.h"

enum { BATCH = 32 }; /* min-hash functions whose minima stay in registers */

/* Eight digits; one that is none sets *bad. */
static inline uint32_t parse_8_digits(const uint8_t *at, uint64_t *bad)
{
    uint64_t text;
    memcpy(&text, at, 8);
    text = first_low(text);
    uint64_t digits = (text & EACH(15)) + (text >> 6 & EACH(1)) * 9;
    /* They are digits if the letters of what they are taken for are what they are, but for case */
    *bad |= letters_of(digits & EACH(15)) ^ (text | (text & EACH(0x40)) >> 1);
    digits = (digits << 4 | digits >> 8) & UINT64_C(0x00FF00FF00FF00FF);
    digits = (digits << 8 | digits >> 16) & UINT64_C(0x0000FFFF0000FFFF);
    return (uint32_t)(digits << 16 | digits >> 32);
}

static inline uint64_t parse_word(const uint8_t *at, size_t digits, uint64_t *bad)
{
    uint64_t high = parse_8_digits(at, bad);
    return digits == 8 ? high : high << 32 | parse_8_digits(at + 8, bad);
}

/* Words of so many hex digits, 16 at most, single blanks between: their number, and -1 if the payload is none such. */
static Py_ssize_t count_words(const uint8_t *payload, size_t size, size_t digits)
{
    if ((size + 1) % (digits + 1))
        return -1;
    for (size_t at = digits; at < size; at += digits + 1)
        if (payload[at] != ' ')
            return -1;
    return (Py_ssize_t)((size + 1) / (digits + 1));
}

/* A payload's shingles, of 8 or 16 digits as its first word has; NULL without an exception if it is none. */
static uint64_t *take_shingles(PyObject *text, size_t *count, int *narrow)
{
    Py_ssize_t size;
    const uint8_t *payload = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!payload)
        return NULL;
    *narrow = size == 8 || (size > 8 && payload[8] == ' ');
    size_t digits = *narrow ? 8 : 16;
    Py_ssize_t words = count_words(payload, (size_t)size, digits);
    if (words < 1)
        return NULL;
    uint64_t *values = PyMem_Malloc((size_t)words * sizeof *values);
    if (!values) {
        PyErr_NoMemory();
        return NULL;
    }
    uint64_t bad = 0;
    for (Py_ssize_t i = 0; i < words; i++)
        values[i] = parse_word(payload + (size_t)i * (digits + 1), digits, &bad);
    if (bad) {
        PyMem_Free(values);
        return NULL;
    }
    *count = (size_t)words;
    return values;
}

static PyObject *none_unless_failed(void)
{
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

PyObject *words_to_bytes(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *text;
    Py_ssize_t digits, size;
    if (!PyArg_ParseTuple(args, "Un", &text, &digits))
        return NULL;
    const uint8_t *payload = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!payload)
        return NULL;
    if (digits < 8 || digits % 8) {
        PyErr_SetString(PyExc_ValueError, "words have a multiple of 8 digits");
        return NULL;
    }
    Py_ssize_t words = count_words(payload, (size_t)size, (size_t)digits);
    if (words < 0)
        Py_RETURN_NONE;
    PyObject *result = PyBytes_FromStringAndSize(NULL, words * digits / 2);
    if (!result)
        return NULL;
    uint8_t *out = (uint8_t *)PyBytes_AsString(result);
    uint64_t bad = 0;
    for (Py_ssize_t word = 0; word < words; word++, payload++)
        for (Py_ssize_t i = 0; i < digits; i += 8, payload += 8) {
            uint32_t value = parse_8_digits(payload, &bad);
            for (int byte = 3; byte >= 0; byte--)
                *out++ = (uint8_t)(value >> 8 * byte);
        }
    if (bad) {
        Py_DECREF(result);
        Py_RETURN_NONE;
    }
    return result;
}

/* BATCH functions at a time, whose minima stay in registers. */
VECTORS static void least(const uint32_t *y, size_t count, const uint32_t *a, const uint32_t *b, uint32_t *minima)
{
    uint32_t low[BATCH];
    memset(low, 0xFF, sizeof low);
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < BATCH; j++) {
            uint32_t value = a[j] * y[i] + b[j];
            low[j] = value < low[j] ? value : low[j];
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
        PyErr_SetString(PyExc_ValueError, "a and b are arrays of n words of 4 bytes");
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

VECTORS static void count_bits(const uint64_t *words, size_t count, uint64_t *counts)
{
    for (size_t i = 0; i < count; i++)
        for (int bit = 0; bit < 64; bit++)
            counts[bit] += words[i] >> bit & 1;
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
