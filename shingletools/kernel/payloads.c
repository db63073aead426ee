/* Payloads of hex digits, and signatures made from them. */

#include "blake3.h"
#include "payloads.h"

enum { BLOCK = 64 }; /* groups of digits that are read together */
enum { BATCH = 32 }; /* min-hash functions whose minima stay in registers */

typedef struct {
    size_t n, batches;                  /* functions, and batches of them; the last batch is filled up */
    uint32_t *factors, *summands, *low; /* of all batches */
    Py_ssize_t group;                   /* minima in a supershingle, or 0 */
    int pairs;                          /* whether to make megashingles */
    Py_ssize_t bits;                    /* of a minimum that are written: 8, 16, or 32 for all */
    Bytes y, supers;
} Sketching;

/* Reads eight digits; sets *bad if one of them is no digit. */
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

/* Moves the digits of groups together, so that many can be read at once. */
static inline void move_together(const uint8_t *payload, size_t count, size_t digits, uint8_t *to)
{
    switch (digits) { /* constants, so that the compiler knows the sizes */
    case 2:
        for (size_t i = 0; i < count; i++)
            memcpy(to + 2 * i, payload + 3 * i, 2);
        break;
    case 4:
        for (size_t i = 0; i < count; i++)
            memcpy(to + 4 * i, payload + 5 * i, 4);
        break;
    case 8:
        for (size_t i = 0; i < count; i++)
            memcpy(to + 8 * i, payload + 9 * i, 8);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            memcpy(to + 16 * i, payload + 17 * i, 16);
    }
}

/* Reads groups of 8 or 16 digits; returns 0 if all are digits. */
static uint64_t parse_groups(const uint8_t *payload, size_t groups, size_t digits, uint64_t *values)
{
    uint64_t text[BLOCK], bad = 0;
    size_t parts = digits / 8;
    while (groups) {
        size_t count = groups < BLOCK / parts ? groups : BLOCK / parts;
        move_together(payload, count, digits, (uint8_t *)text);
        bad |= parts == 1 ? parse_singles(text, count, values) : parse_pairs(text, count, values);
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

int read_bytes(const uint8_t *payload, size_t size, size_t digits, Bytes *out)
{
    uint64_t text[BLOCK], values[BLOCK], bad = 0;
    Py_ssize_t groups = count_groups(payload, size, digits);
    if (groups < 1)
        return 0;
    const size_t bytes = (size_t)groups * digits / 2;
    if (grow(out, bytes + 8))
        return -1;
    uint8_t *to = out->data + out->used;
    for (size_t left = (size_t)groups; left;) {
        const size_t count = left < sizeof text / digits ? left : sizeof text / digits, used = count * digits;
        const size_t words = (used + 7) / 8;
        move_together(payload, count, digits, (uint8_t *)text);
        memset((uint8_t *)text + used, '0', 8 * words - used);
        bad |= parse_singles(text, words, values);
        for (size_t i = 0; i < words; i++) /* each overwrites the extra bytes of the one before */
            put_highest_first(to + 4 * i, values[i] << 32);
        payload += count * (digits + 1);
        to += used / 2;
        left -= count;
    }
    out->used += bad ? 0 : bytes;
    return !bad;
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

/* Begins, with the group and the bits in `self`, whose other members are zeros; it must be ended in any case. */
static int start_sketching(Sketching *self, const char *a, Py_ssize_t a_size, const char *b, Py_ssize_t b_size)
{
    const Py_ssize_t group = self->group;
    if (a_size != b_size || a_size % 4) {
        PyErr_SetString(PyExc_ValueError, "a and b are arrays of n integers of 4 bytes");
        return -1;
    }
    self->n = (size_t)a_size / 4;
    if (group < 0 || group > BLAKE3_MOST / 4 || (group && self->n % (size_t)group)) {
        PyErr_SetString(PyExc_ValueError, "n min-hashes are put into equal groups, of 256 at most");
        return -1;
    }
    if (self->bits != 32 && (group || (self->bits != 8 && self->bits != 16))) {
        PyErr_SetString(PyExc_ValueError, "min-hashes have 8, 16 or 32 bits, in groups 32");
        return -1;
    }
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

static void end_sketching(Sketching *self)
{
    PyMem_Free(self->factors);
    free(self->y.data);
    free(self->supers.data);
}

/* Puts the minima of shingles into self->low; -1 with an exception. */
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
    return 0;
}

int add_digits(Bytes *out, const Bytes *made, Made kind)
{
    const size_t width = width_of(kind), digits = 2 * width, count = made->used / width;
    if (grow(out, (digits + 1) * count + 1))
        return -1;
    uint8_t *to = out->data + out->used;
    for (size_t i = 0; i < count; i++, to += digits + 1) {
        put_hex(to, number_at(made->data, i, width), digits);
        to[digits] = ' ';
    }
    out->used += count ? (digits + 1) * count - 1 : 0;
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

/* The signature of a payload of shingles; None if the payload has another form. */
static PyObject *made_of(WorkOnShingles work, void *self, PyObject *text)
{
    Shingles shingles = {{0}, NULL, 0, 0};
    Bytes out = {0};
    PyObject *result = NULL;
    Py_ssize_t size;
    const uint8_t *payload = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!payload)
        return NULL;
    const int read = read_shingles(payload, (size_t)size, &shingles);
    const Made made = read > 0 ? work(self, &shingles, &out) : FAILED;
    if (made > ODD)
        result = written(&out, made);
    free(shingles.room.data);
    free(out.data);
    return read ? result : Py_NewRef(Py_None);
}

/* The supershingles, or megashingles, of the current minima: big-endian numbers of the first bytes of BLAKE3. */
static int add_supers(Sketching *self, Bytes *out)
{
    const size_t group = (size_t)self->group;
    size_t supers = self->n / group, megas = supers * (supers - 1) / 2, most = supers + megas;
    size_t room = 4 * group < 16 ? 16 : 4 * group + 4;
    if (grow(&self->supers, most * sizeof(uint64_t) + room))
        return -1;
    uint64_t *super = (uint64_t *)self->supers.data, *mega = super + supers;
    uint8_t *bytes = self->supers.data + most * sizeof *super;
    for (size_t i = 0; i < supers; i++) {
        for (size_t j = 0; j < group; j++)
            put_highest_first(bytes + 4 * j, (uint64_t)self->low[i * group + j] << 32);
        super[i] = turned_about(blake3_of(bytes, 4 * group));
    }
    if (!self->pairs)
        return add_bytes(out, super, supers * sizeof *super);
    for (size_t i = 0; i < supers; i++)
        for (size_t j = i + 1; j < supers; j++) {
            put_highest_first(bytes, super[i]);
            put_highest_first(bytes + 8, super[j]);
            *mega++ = turned_about(blake3_of(bytes, 16));
        }
    return add_bytes(out, super + supers, megas * sizeof *super);
}

/* MurmurHash3's finalizer for 32 bits. The lowest bits of the minima are a function of those of the shingles, the same
   for all shingles that agree in them; those of the finalized ones are not. */
static inline uint32_t fmix32(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x85EBCA6B);
    x ^= x >> 13;
    x *= UINT32_C(0xC2B2AE35);
    return x ^ x >> 16;
}

VECTORS static void lowest_bytes(const uint32_t *minima, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)fmix32(minima[i]);
}

VECTORS static void lowest_shorts(const uint32_t *minima, size_t n, uint16_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint16_t)fmix32(minima[i]);
}

/* Adds the signature of the minima. */
static Made add_sketch(Sketching *self, Bytes *out)
{
    if (self->group)
        return add_supers(self, out) ? FAILED : WIDE;
    const size_t size = self->n * (size_t)self->bits / 8;
    if (self->bits == 32)
        return add_bytes(out, self->low, size) ? FAILED : NARROW;
    if (grow(out, size + 1))
        return FAILED;
    if (self->bits == 8)
        lowest_bytes(self->low, self->n, out->data);
    else
        lowest_shorts(self->low, self->n, (uint16_t *)out->data);
    out->used = size;
    return self->bits == 8 ? BYTES : SHORTS;
}

static Made sketch(void *self, Shingles *shingles, Bytes *out)
{
    return find_minima(self, shingles->values, shingles->count) ? FAILED : add_sketch(self, out);
}

PyObject *minima(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *text, *result = NULL;
    const char *a, *b;
    Py_ssize_t a_size, b_size;
    Sketching sketching = {.bits = 32};
    if (!PyArg_ParseTuple(args, "Uy#y#|n", &text, &a, &a_size, &b, &b_size, &sketching.bits))
        return NULL;
    if (!start_sketching(&sketching, a, a_size, b, b_size))
        result = made_of(sketch, &sketching, text);
    end_sketching(&sketching);
    return result;
}

static void end_minima(void *self)
{
    end_sketching(self);
    PyMem_Free(self);
}

static void *start_minima(PyObject *arguments)
{
    const char *a, *b;
    Py_ssize_t a_size, b_size;
    Sketching *self = new_self(sizeof *self);
    if (!self)
        return NULL;
    self->bits = 32;
    if (!PyArg_ParseTuple(arguments, "y#y#np|n", &a, &a_size, &b, &b_size, &self->group, &self->pairs, &self->bits) ||
        start_sketching(self, a, a_size, b, b_size)) {
        end_minima(self);
        return NULL;
    }
    return self;
}

PyObject *link_minima(PyObject *Py_UNUSED(self), PyObject *args)
{
    static const LinkType MINIMA = {NULL, sketch, start_minima, end_minima};
    Py_INCREF(args);
    return new_link(&MINIMA, args);
}

VECTORS static void count_bits(const uint64_t *shingles, size_t count, uint64_t *counts)
{
    for (size_t i = 0; i < count; i++)
        for (int bit = 0; bit < 64; bit++)
            counts[bit] += shingles[i] >> bit & 1;
}

/* The simhash of shingles; those of 32 bits are first spread over 64. */
static Made add_simhash(void *Py_UNUSED(self), Shingles *shingles, Bytes *out)
{
    uint64_t counts[64] = {0}, value = 0;
    for (size_t i = 0; i < shingles->count && shingles->narrow; i++)
        shingles->values[i] = fmix64(shingles->values[i]);
    count_bits(shingles->values, shingles->count, counts);
    for (int bit = 0; bit < 64; bit++)
        value |= (uint64_t)(2 * counts[bit] > shingles->count) << bit;
    return add_bytes(out, &value, sizeof value) ? FAILED : WIDE;
}

PyObject *simhash(PyObject *Py_UNUSED(self), PyObject *text)
{
    return made_of(add_simhash, NULL, text);
}

PyObject *link_simhash(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(none))
{
    static const LinkType SIMHASH = {NULL, add_simhash, take_arguments, NULL};
    return new_link(&SIMHASH, PyTuple_New(0));
}
