/* Payloads of hex digits, and signatures made from them. */

#include "payloads.h"

enum { BLOCK = 64 }; /* groups of digits that are read together */

/* Reads eight digits; sets *bad if one of them is none. */
static inline uint64_t parse_8_digits(uint64_t text, uint64_t *bad)
{
    text = first_low(text);
    uint64_t digits = (text & EACH(15)) + (text >> 6 & EACH(1)) * 9;
    /* They are digits if the values read for them, written again, give the same letters except for case */
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

/* Reads groups of 8 or 16 digits; returns 0 if all are digits. The digits are first moved together, so that many can
   be read at once. */
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

/* The number of groups of `digits` hex digits with single blanks between; -1 if the payload has another form. */
static Py_ssize_t count_groups(const uint8_t *payload, size_t size, size_t digits)
{
    if ((size + 1) % (digits + 1))
        return -1;
    for (size_t at = digits; at < size; at += digits + 1)
        if (payload[at] != ' ')
            return -1;
    return (Py_ssize_t)((size + 1) / (digits + 1));
}

int read_groups(const uint8_t *payload, size_t size, size_t digits, Shingles *shingles)
{
    shingles->narrow = digits == 8;
    Py_ssize_t groups = count_groups(payload, size, digits);
    if (groups < 1)
        return 0;
    shingles->room.used = 0;
    if (grow(&shingles->room, (size_t)groups * sizeof *shingles->values))
        return -1;
    shingles->values = (uint64_t *)shingles->room.data;
    shingles->count = (size_t)groups;
    return !parse_groups(payload, (size_t)groups, digits, shingles->values);
}

int read_shingles(const uint8_t *payload, size_t size, Shingles *shingles)
{
    return read_groups(payload, size, size == 8 || (size > 8 && payload[8] == ' ') ? 8 : 16, shingles);
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

/* BATCH functions at a time. The inner loop is unrolled, so that their minima stay in registers. By default, gcc
   unrolls the outer loop, and keeps them in memory. */
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

int start_sketching(Sketching *self, const char *a, Py_ssize_t a_size, const char *b, Py_ssize_t b_size,
                    Py_ssize_t group)
{
    if (a_size != b_size || a_size % 4) {
        PyErr_SetString(PyExc_ValueError, "a and b are arrays of n integers of 4 bytes");
        return -1;
    }
    self->n = (size_t)a_size / 4;
    if (group < 0 || group > BLAKE3_MOST / 4 || (group && self->n % (size_t)group)) {
        PyErr_SetString(PyExc_ValueError, "n min-hashes are put into equal groups, of 256 at most");
        return -1;
    }
    self->group = (size_t)group;
    self->batches = (self->n + BATCH - 1) / BATCH;
    self->factors = PyMem_Calloc(3 * self->batches * BATCH + 1, sizeof(uint32_t));
    if (!self->factors) {
        PyErr_NoMemory();
        return -1;
    }
    self->summands = self->factors + self->batches * BATCH;
    self->low = self->summands + self->batches * BATCH;
    memcpy(self->factors, a, (size_t)a_size);
    memcpy(self->summands, b, (size_t)b_size);
    return 0;
}

void end_sketching(Sketching *self)
{
    PyMem_Free(self->factors);
    free(self->shingles.room.data);
    free(self->y.data);
    free(self->supers.data);
}

/* Puts the minima of shingles into self->low: 1; -1 with an exception. */
static int find_minima(Sketching *self, const uint64_t *shingles, size_t count)
{
    self->y.used = 0;
    if (grow(&self->y, count * sizeof(uint32_t)))
        return -1;
    uint32_t *y = (uint32_t *)self->y.data;
    for (size_t i = 0; i < count; i++)
        y[i] = (uint32_t)(fmix64(shingles[i]) >> 32);
    for (size_t i = 0; i < self->batches * BATCH; i += BATCH)
        least(y, count, self->factors + i, self->summands + i, self->low + i);
    return 1;
}

/* Puts the minima of a payload into self->low: 1; 0 if it has another form; -1 with an exception. */
static int minima_of_payload(Sketching *self, const uint8_t *payload, size_t size)
{
    int read = read_shingles(payload, size, &self->shingles);
    return read < 1 ? read : find_minima(self, self->shingles.values, self->shingles.count);
}

int add_digits(Bytes *out, const Bytes *made, Made kind)
{
    const uint32_t *narrow = (const uint32_t *)made->data;
    const uint64_t *wide = (const uint64_t *)made->data;
    const int digits = kind == NARROW ? 8 : 16;
    const size_t count = made->used / (size_t)(digits / 2);
    if (grow(out, (size_t)(digits + 1) * count + 1))
        return -1;
    uint8_t *to = out->data + out->used;
    for (size_t i = 0; i < count; i++, to += digits + 1) {
        put_hex(to, digits == 8 ? narrow[i] : wide[i], digits);
        to[digits] = ' ';
    }
    out->used += count ? (size_t)(digits + 1) * count - 1 : 0;
    return 0;
}

PyObject *written(const Bytes *made, Made kind)
{
    Bytes out = {0};
    PyObject *result = NULL;
    if (!add_digits(&out, made, kind))
        result = PyUnicode_DecodeUTF8((const char *)out.data, (Py_ssize_t)out.used, NULL);
    free(out.data);
    return result;
}

PyObject *minima(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *text, *result = NULL;
    const char *a, *b;
    Py_ssize_t a_size, b_size, size;
    if (!PyArg_ParseTuple(args, "Uy#y#", &text, &a, &a_size, &b, &b_size))
        return NULL;
    const uint8_t *payload = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    Sketching sketching = {0};
    Bytes out = {0};
    if (!payload || start_sketching(&sketching, a, a_size, b, b_size, 0))
        return NULL;
    int found = minima_of_payload(&sketching, payload, (size_t)size);
    if (found > 0 && !add_bytes(&out, sketching.low, sketching.n * sizeof *sketching.low))
        result = written(&out, NARROW);
    end_sketching(&sketching);
    free(out.data);
    return found ? result : none_unless_failed();
}

/* The minima in big-endian order, as they are written. */
static void put_bytes(uint8_t *at, uint64_t value, int bytes)
{
    while (bytes--)
        *at++ = (uint8_t)(value >> 8 * bytes);
}

/* The first 8 bytes of the BLAKE3 of some bytes, as a big-endian number. */
static uint64_t first_bytes(const uint8_t *data, size_t size)
{
    uint64_t hash = blake3_of(data, size), turned = 0;
    for (int i = 0; i < 8; i++)
        turned = turned << 8 | (hash >> 8 * i & 255);
    return turned;
}

/* The supershingles, or megashingles, of the current minima. */
static int add_supers(Sketching *self, Bytes *out)
{
    size_t supers = self->n / self->group, megas = supers * (supers - 1) / 2, most = supers + megas;
    size_t room = 4 * self->group < 16 ? 16 : 4 * self->group;
    if (grow(&self->supers, most * sizeof(uint64_t) + room))
        return -1;
    uint64_t *super = (uint64_t *)self->supers.data, *mega = super + supers;
    uint8_t *bytes = self->supers.data + most * sizeof *super;
    for (size_t i = 0; i < supers; i++) {
        for (size_t j = 0; j < self->group; j++)
            put_bytes(bytes + 4 * j, self->low[i * self->group + j], 4);
        super[i] = first_bytes(bytes, 4 * self->group);
    }
    if (!self->pairs)
        return add_bytes(out, super, supers * sizeof *super);
    for (size_t i = 0; i < supers; i++)
        for (size_t j = i + 1; j < supers; j++) {
            put_bytes(bytes, super[i], 8);
            put_bytes(bytes + 8, super[j], 8);
            *mega++ = first_bytes(bytes, 16);
        }
    return add_bytes(out, super + supers, megas * sizeof *super);
}

Made add_sketch(Sketching *self, int found, Bytes *out)
{
    if (found < 1)
        return found ? FAILED : ODD;
    if (self->group ? add_supers(self, out) : add_bytes(out, self->low, self->n * sizeof *self->low))
        return FAILED;
    return self->group ? WIDE : NARROW;
}

static Made sketch(void *self, const uint8_t *payload, size_t size, Bytes *out)
{
    return size ? add_sketch(self, minima_of_payload(self, payload, size), out) : PLAIN;
}

static Made sketch_numbers(void *self, const uint8_t *shingles, size_t size, Bytes *out)
{
    return size ? add_sketch(self, find_minima(self, (const uint64_t *)shingles, size / sizeof(uint64_t)), out) : PLAIN;
}

static void end_minima(void *self)
{
    end_sketching(self);
    PyMem_Free(self);
}

static void *start_minima(PyObject *arguments)
{
    const char *a, *b;
    Py_ssize_t a_size, b_size, group;
    int pairs;
    if (!PyArg_ParseTuple(arguments, "y#y#np", &a, &a_size, &b, &b_size, &group, &pairs))
        return NULL;
    Sketching *self = new_self(sizeof *self);
    if (!self)
        return NULL;
    if (start_sketching(self, a, a_size, b, b_size, group)) {
        end_minima(self);
        return NULL;
    }
    self->pairs = pairs;
    return self;
}

PyObject *link_minima(PyObject *Py_UNUSED(self), PyObject *args)
{
    static const LinkType MINIMA = {sketch, sketch_numbers, start_minima, end_minima};
    Py_INCREF(args);
    return new_link(&MINIMA, args);
}

VECTORS static void count_bits(const uint64_t *shingles, size_t count, uint64_t *counts)
{
    for (size_t i = 0; i < count; i++)
        for (int bit = 0; bit < 64; bit++)
            counts[bit] += shingles[i] >> bit & 1;
}

static Made simhash_numbers(void *Py_UNUSED(self), const uint8_t *shingles, size_t size, Bytes *out)
{
    uint64_t counts[64] = {0}, value = 0, count = size / sizeof value;
    if (!size)
        return PLAIN;
    count_bits((const uint64_t *)shingles, count, counts);
    for (int bit = 0; bit < 64; bit++)
        value |= (uint64_t)(2 * counts[bit] > count) << bit;
    return add_bytes(out, &value, sizeof value) ? FAILED : WIDE;
}

/* The simhash of a payload; empty for an empty payload, ODD if it has another form. */
static Made add_simhash(void *object, const uint8_t *payload, size_t size, Bytes *out)
{
    Shingles *shingles = object;
    int read = size ? read_shingles(payload, size, shingles) : 0;
    if (read < 1)
        return read ? FAILED : size ? ODD : PLAIN;
    for (size_t i = 0; i < shingles->count && shingles->narrow; i++)
        shingles->values[i] = fmix64(shingles->values[i]);
    return simhash_numbers(NULL, (const uint8_t *)shingles->values, shingles->count * sizeof(uint64_t), out);
}

PyObject *simhash(PyObject *Py_UNUSED(self), PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a payload is a string");
        return NULL;
    }
    Py_ssize_t size;
    const uint8_t *payload = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!payload)
        return NULL;
    Shingles shingles = {{0}, NULL, 0, 0};
    Bytes out = {0};
    PyObject *result = NULL;
    Made made = add_simhash(&shingles, payload, (size_t)size, &out);
    if (made == WIDE)
        result = written(&out, made);
    free(shingles.room.data);
    free(out.data);
    return result ? result : none_unless_failed();
}

static void *start_simhash(PyObject *Py_UNUSED(arguments))
{
    return new_self(sizeof(Shingles));
}

static void end_simhash(void *object)
{
    Shingles *self = object;
    free(self->room.data);
    PyMem_Free(self);
}

PyObject *link_simhash(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
    static const LinkType SIMHASH = {add_simhash, simhash_numbers, start_simhash, end_simhash};
    return new_link(&SIMHASH, PyTuple_New(0));
}
