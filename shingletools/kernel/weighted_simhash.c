/* Simhashes of weighted shingles: sketch/weighted_simhash.py defines them.

   Slots of weights: their number is a power of two, and at most half of them are taken. A slot has a fingerprint and
   its weight plus 1, both uint64; a weight of 0 is a free slot. A fingerprint stands in the slot that its product with
   a factor gives, or in the next free one, around the end. The factor is odd and random, as in fingerprint_slots.h. */

#include "fingerprint_slots.h"
#include "payloads.h"

typedef struct {
    const uint8_t *slots;
    Listed places; /* the mask, factor and shift of the slots */
    uint64_t heaviest;
    Py_ssize_t digits; /* of the fingerprints */
} Weights;

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
