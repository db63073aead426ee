/* Signatures of weighted shingles: kernel/weighted_minhash_times.py and sketch/weighted_signatures.py define them.

   For a min-hash function, single precision nearly always tells which shingle comes first: by s / w, rounded, where s
   is half the hash. The logarithm is computed only if another shingle comes nearly as soon.

   Slots of weights: their number is a power of two, and at most half of them are taken. A slot has a fingerprint and
   its weight plus 1, both uint64; a weight of 0 is a free slot. A fingerprint stands in the slot that its product with
   a factor gives, or in the next free one, around the end. The factor is odd and random, as in fingerprint_slots.h. */

#include "fingerprint_slots.h"
#include "payloads.h"
#include <float.h>
#include <math.h>

/* A time must be the same on every machine, so a product and a sum must not become one operation; with -std=c11, gcc
   does not fuse them */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
#error "doubles are not rounded to doubles here: without a C kernel, numpy rounds them"
#endif

enum { SCANNED = 16 /* shingles that are compared together */ };

typedef struct {
    const uint8_t *slots;
    Listed places; /* the mask, factor and shift of the slots */
    uint64_t heaviest;
    Py_ssize_t digits; /* of the fingerprints */
} Weights;

typedef struct {
    Sketching sketching; /* its y has the shingles with weights above 0 */
    Weights weights;
    Bytes found, rates;    /* their weights, as double; 1 / weight, as float */
    float *first, *second; /* for each function, the least s / w, and the second least */
} Clocks;

static uint64_t weight_of(const Weights *weights, uint64_t fingerprint)
{
    uint64_t weight;
    size_t slot = slot_of(&weights->places, fingerprint);
    while ((weight = load_8(weights->slots + 16 * slot + 8)) && load_8(weights->slots + 16 * slot) != fingerprint)
        slot = (slot + 1) & weights->places.mask;
    return weight ? weight - 1 : weights->heaviest;
}

/* (fingerprints, weights, factor): the slots of the weights of distinct fingerprints, at least one; arrays of uint64.
   */
PyObject *weigh_fingerprints(PyObject *Py_UNUSED(self), PyObject *args)
{
    const char *fingerprints, *weights;
    Py_ssize_t size, weights_size;
    unsigned long long factor;
    if (!PyArg_ParseTuple(args, "y#y#K", &fingerprints, &size, &weights, &weights_size, &factor))
        return NULL;
    if (size % 8 || size != weights_size || !(factor & 1)) {
        PyErr_SetString(PyExc_ValueError, "fingerprints and weights have 8 bytes each, and the factor is odd");
        return NULL;
    }
    Listed places = {.factor = factor};
    size_t room = 2 * (slots_of((size_t)size / 8, &places) - 8);
    PyObject *slots = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room);
    if (!slots)
        return NULL;
    uint8_t *first = (uint8_t *)PyBytes_AsString(slots);
    memset(first, 0, room);
    for (Py_ssize_t i = 0; i < size; i += 8) {
        uint64_t fingerprint = load_8((const uint8_t *)fingerprints + i);
        uint64_t weight = load_8((const uint8_t *)weights + i) + 1;
        size_t slot = slot_of(&places, fingerprint);
        while (load_8(first + 16 * slot + 8))
            slot = (slot + 1) & places.mask;
        memcpy(first + 16 * slot, &fingerprint, 8);
        memcpy(first + 16 * slot + 8, &weight, 8);
    }
    return slots;
}

/* (factor, slots, heaviest, digits) */
static int take_weights(Weights *weights, PyObject *tuple)
{
    const char *slots;
    Py_ssize_t size;
    unsigned long long factor, heaviest;
    if (!PyArg_ParseTuple(tuple, "Ky#Kn", &factor, &slots, &size, &heaviest, &weights->digits))
        return -1;
    if (size < 32 || 2 * (slots_of((size_t)size / 32, &weights->places) - 8) != (size_t)size) {
        PyErr_SetString(PyExc_ValueError, "slots are a power of two");
        return -1;
    }
    weights->slots = (const uint8_t *)slots;
    weights->places.factor = factor;
    weights->heaviest = heaviest;
    return 0;
}

/* Whether the table has weights of shingles with as many digits. */
static int are_weighed(const Weights *weights, const Shingles *shingles)
{
    return shingles->narrow == (weights->digits == 8);
}

/* Fetches the slots of shingles, each of which may be far away in memory, for weights that are needed soon. */
static void prefetch_weights(const Weights *weights, const uint64_t *shingles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        PREFETCH(weights->slots + 16 * slot_of(&weights->places, shingles[i]));
}

/* -ln(1 - u) 2^33 for u = (2 hash + 1) / 2^33, by the steps of waiting_times, with the same rounding. */
static double wait_of(uint32_t hash)
{
    static const double LN_2 = 0.6931471805599453, HALF_ROOT = 0.7071067811865476;
    enum { TERMS = 11 };
    double left = 8589934591.0 - 2.0 * hash, series = 0.0; /* (1 - u) 2^33, exactly */
    int exponent;
    double half = frexp(left, &exponent);
    if (half < HALF_ROOT) {
        half *= 2.0;
        exponent--;
    }
    double s = (half - 1.0) / (half + 1.0), square = s * s;
    for (int term = TERMS; term >= 0; term--)
        series = series * square + 1.0 / (2 * term + 1);
    return -(2.0 * s * series + (exponent - 33) * LN_2) * 8589934592.0;
}

/* For each function, the hash with the least s / w, this value, and the second least value. */
VECTORS static void race(const uint32_t *y, const float *rates, size_t count, size_t functions,
                         const uint32_t *restrict a, const uint32_t *restrict b, uint32_t *restrict hashes,
                         float *restrict first, float *restrict second)
{
    for (size_t j = 0; j < functions; j++)
        first[j] = second[j] = INFINITY;
    for (size_t i = 0; i < count; i++) {
        uint32_t each = y[i];
        float rate = rates[i];
        for (size_t j = 0; j < functions; j++) {
            uint32_t value = a[j] * each + b[j];
            float rough = (float)(int32_t)(value >> 1) * rate;
            float low = first[j], next = second[j], later = rough > low ? rough : low;
            later = value == hashes[j] ? INFINITY : later; /* the same hash again */
            hashes[j] = rough < low ? value : hashes[j];
            first[j] = rough < low ? rough : low;
            second[j] = later < next ? later : next;
        }
    }
}

/* The greatest rounded s / w of a shingle that may come as soon as the one with the least.

   With h = 2s or 2s + 1 the hash and u = (2h + 1) / 2^33, its time is at least u 2^33 / w, so 4s / w; and at most
   u (2 - u) / (2 (1 - u)) 2^33 / w, since ln x <= (x^2 - 1) / 2x for x >= 1. That grows with u, which is at most
   (s + 1) / 2^31. Rates, conversions and products are each within 2^-24 of the exact ones, which SLACK is for. */
static double bound_of(uint32_t hash, float least)
{
    static const double SLACK = 1 + 1e-6;
    double s = hash >> 1, u = (s + 1) / 2147483648.0;
    return s && u < 1 ? least * ((s + 1) / s) * ((2 - u) / (2 * (1 - u))) * SLACK : INFINITY;
}

/* Whether one of SCANNED shingles may come so soon. */
VECTORS static int has_early(const uint32_t *y, const float *rates, uint32_t a, uint32_t b, float bound)
{
    int early = 0;
    for (int i = 0; i < SCANNED; i++)
        early |= (float)(int32_t)((a * y[i] + b) >> 1) * rates[i] <= bound;
    return early;
}

/* The hash of the shingle that comes first, by exact times; of equals the least. */
static uint32_t soonest(const Clocks *self, size_t count, size_t function, float bound)
{
    const uint32_t *y = (const uint32_t *)self->sketching.y.data;
    const float *rates = (const float *)self->rates.data;
    const double *weights = (const double *)self->found.data;
    uint32_t a = self->sketching.factors[function], b = self->sketching.summands[function], hash = 0;
    double time = INFINITY, weight = 0;
    for (size_t start = 0; start < count; start += SCANNED) { /* the arrays are filled up after the last one */
        if (!has_early(y + start, rates + start, a, b, bound))
            continue;
        for (size_t i = start; i < start + SCANNED && i < count; i++) {
            uint32_t value = a * y[i] + b;
            if ((float)(int32_t)(value >> 1) * rates[i] > bound || (value == hash && weights[i] == weight))
                continue;
            double each = wait_of(value) / weights[i];
            if (each < time || (each == time && value < hash)) {
                time = each;
                hash = value;
                weight = weights[i];
            }
        }
    }
    return hash;
}

/* Takes the shingles with weights above 0; returns their number, or -1 with an exception. */
static Py_ssize_t weigh(Clocks *self, const uint64_t *shingles, size_t count)
{
    Sketching *sketching = &self->sketching;
    sketching->y.used = self->rates.used = self->found.used = 0;
    if (grow(&sketching->y, (count + SCANNED) * sizeof(uint32_t)) ||
        grow(&self->rates, (count + SCANNED) * sizeof(float)) || grow(&self->found, count * sizeof(double)))
        return -1;
    uint32_t *y = (uint32_t *)sketching->y.data;
    float *rates = (float *)self->rates.data;
    double *found = (double *)self->found.data;
    size_t some = 0;
    prefetch_weights(&self->weights, shingles, count);
    for (size_t i = 0; i < count; i++) {
        double weight = (double)weight_of(&self->weights, shingles[i]);
        y[some] = (uint32_t)(fmix64(shingles[i]) >> 32);
        rates[some] = weight > 0 ? (float)(1.0 / weight) : 0;
        found[some] = weight;
        some += weight > 0;
    }
    for (size_t i = some; i < some + SCANNED; i++) { /* these never come first */
        y[i] = 0;
        rates[i] = INFINITY;
    }
    return (Py_ssize_t)some;
}

static Made sketch(void *object, Shingles *shingles, Bytes *out)
{
    Clocks *self = object;
    Sketching *sketching = &self->sketching;
    if (!are_weighed(&self->weights, shingles))
        return ODD;
    Py_ssize_t count = weigh(self, shingles->values, shingles->count);
    if (count < 1)
        return count ? FAILED : PLAIN;
    const uint32_t *y = (const uint32_t *)sketching->y.data;
    const float *rates = (const float *)self->rates.data;
    race(y, rates, (size_t)count, sketching->batches * BATCH, sketching->factors, sketching->summands, sketching->low,
         self->first, self->second);
    for (size_t i = 0; i < sketching->n; i++) {
        double bound = bound_of(sketching->low[i], self->first[i]);
        if (self->second[i] <= bound)
            sketching->low[i] = soonest(self, (size_t)count, i, (float)bound);
    }
    return add_sketch(sketching, out);
}

static void end_clocks(void *object)
{
    Clocks *self = object;
    end_sketching(&self->sketching);
    free(self->found.data);
    free(self->rates.data);
    PyMem_Free(self->first);
    PyMem_Free(self);
}

/* (a, b, group, pairs, weights, bits), 32 bits if they are not given */
static void *start_clocks(PyObject *arguments)
{
    const char *a, *b;
    Py_ssize_t a_size, b_size;
    PyObject *weights;
    Clocks *self = new_self(sizeof *self);
    if (!self)
        return NULL;
    Sketching *sketching = &self->sketching;
    sketching->bits = 32;
    if (!PyArg_ParseTuple(arguments, "y#y#npO!|n", &a, &a_size, &b, &b_size, &sketching->group, &sketching->pairs,
                          &PyTuple_Type, &weights, &sketching->bits) ||
        take_weights(&self->weights, weights) || start_sketching(sketching, a, a_size, b, b_size))
        goto failed;
    self->first = PyMem_Calloc(2 * self->sketching.batches * BATCH + 1, sizeof(float));
    if (!self->first) {
        PyErr_NoMemory();
        goto failed;
    }
    self->second = self->first + self->sketching.batches * BATCH;
    return self;
failed:
    end_clocks(self);
    return NULL;
}

PyObject *link_weighted_minima(PyObject *Py_UNUSED(self), PyObject *args)
{
    static const LinkType MINIMA = {NULL, sketch, start_clocks, end_clocks};
    Py_INCREF(args);
    return new_link(&MINIMA, args);
}

typedef struct {
    Weights weights;
    Bytes found; /* as int64 */
} Scales;

/* For each bit, the weights of shingles that have it, minus those of the others. */
VECTORS static void weigh_bits(const uint64_t *shingles, const int64_t *weights, size_t count, int64_t *sums)
{
    for (size_t i = 0; i < count; i++)
        for (int bit = 0; bit < 64; bit++)
            sums[bit] += (2 * (int64_t)(shingles[i] >> bit & 1) - 1) * weights[i];
}

/* The simhash of shingles; an empty payload if none weighs more than 0. Those of 32 bits are first spread over 64. */
static Made weighted_simhash(void *object, Shingles *shingles, Bytes *out)
{
    Scales *self = object;
    const size_t count = shingles->count;
    int64_t sums[64] = {0}, any = 0;
    uint64_t *values = shingles->values, value = 0;
    self->found.used = 0;
    if (!are_weighed(&self->weights, shingles))
        return ODD;
    if (grow(&self->found, count * sizeof any))
        return FAILED;
    int64_t *weights = (int64_t *)self->found.data;
    prefetch_weights(&self->weights, values, count);
    for (size_t i = 0; i < count; i++)
        any |= weights[i] = (int64_t)weight_of(&self->weights, values[i]);
    if (!any)
        return PLAIN;
    for (size_t i = 0; i < count && shingles->narrow; i++)
        values[i] = fmix64(values[i]);
    weigh_bits(values, weights, count, sums);
    for (int bit = 0; bit < 64; bit++)
        value |= (uint64_t)(sums[bit] > 0) << bit;
    return add_bytes(out, &value, sizeof value) ? FAILED : WIDE;
}

static void end_scales(void *object)
{
    Scales *self = object;
    free(self->found.data);
    PyMem_Free(self);
}

static void *start_scales(PyObject *arguments)
{
    Scales *self = new_self(sizeof *self);
    if (self && take_weights(&self->weights, arguments)) {
        end_scales(self);
        return NULL;
    }
    return self;
}

PyObject *link_weighted_simhash(PyObject *Py_UNUSED(self), PyObject *weights)
{
    static const LinkType SIMHASH = {NULL, weighted_simhash, start_scales, end_scales};
    Py_INCREF(weights);
    return new_link(&SIMHASH, weights);
}
