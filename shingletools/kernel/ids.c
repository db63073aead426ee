/* Distinct ids, as JSON, numbered in the order in which they first came.

   `data` has the ids one after the other, `ends` the end of each (int64). A table of slots finds them, by open
   addressing with linear probing. A slot is 0 if empty, else the id's number + 1 in the low bits, and bits of its hash
   above. The hash is SipHash-1-3 with a random key, so nobody can make ids that all meet in one slot.

   Methods take ids as two buffers: one id after the other, and the bytes of each (int64). */

#include "json_members.h"
#include <structmember.h>

enum { NUMBER_BITS = 40, FEWEST = 1 << 10 /* slots */, AT_ONCE = 64 /* ids */ };
#define NUMBER_MASK ((UINT64_C(1) << NUMBER_BITS) - 1)

typedef struct {
    PyObject_HEAD
    PyObject *data, *ends; /* bytearrays */
    uint64_t key[2];
    uint64_t *slots;
    size_t mask, count, bytes; /* of all ids */
} Ids;

typedef struct {
    Py_buffer data, sizes;
    const uint8_t *at;
    const int64_t *size;
    Py_ssize_t count;
} Given;

/* Raises ValueError if the sizes do not fit the data. */
static int take_ids(PyObject *args, Given *given)
{
    if (!PyArg_ParseTuple(args, "y*y*", &given->data, &given->sizes))
        return -1;
    given->at = given->data.buf;
    given->size = given->sizes.buf;
    given->count = given->sizes.len / (Py_ssize_t)sizeof *given->size;
    int64_t left = given->data.len;
    for (Py_ssize_t i = 0; i < given->count && left >= 0; i++)
        left = given->size[i] < 0 ? -1 : left - given->size[i];
    if (left || given->sizes.len % (Py_ssize_t)sizeof *given->size) {
        PyErr_SetString(PyExc_ValueError, "the sizes are not those of the ids");
        PyBuffer_Release(&given->data);
        PyBuffer_Release(&given->sizes);
        return -1;
    }
    return 0;
}

static void release_ids(Given *given)
{
    PyBuffer_Release(&given->data);
    PyBuffer_Release(&given->sizes);
}

static uint64_t hash_of(const Ids *self, const uint8_t *id, size_t size)
{
    uint64_t v[4] = {self->key[0] ^ UINT64_C(0x736F6D6570736575), self->key[1] ^ UINT64_C(0x646F72616E646F6D),
                     self->key[0] ^ UINT64_C(0x6C7967656E657261), self->key[1] ^ UINT64_C(0x7465646279746573)};
    uint64_t last = (uint64_t)size << 56;
    const uint8_t *end = id + (size & ~(size_t)7);
    for (; id < end; id += 8) {
        uint64_t word = load_8(id);
        v[3] ^= word;
        sip_rounds(v, 1);
        v[0] ^= word;
    }
    for (size_t i = 0; i < (size & 7); i++)
        last |= (uint64_t)id[i] << 8 * i;
    v[3] ^= last;
    sip_rounds(v, 1);
    v[0] ^= last;
    v[2] ^= 0xFF;
    sip_rounds(v, 3);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static const uint8_t *id_at(const Ids *self, size_t number, size_t *size)
{
    const int64_t *ends = (const int64_t *)PyByteArray_AsString(self->ends);
    const int64_t start = number ? ends[number - 1] : 0;
    *size = (size_t)(ends[number] - start);
    return (const uint8_t *)PyByteArray_AsString(self->data) + start;
}

/* The slot of an id, or the empty slot for it. */
static uint64_t *slot_of(const Ids *self, uint64_t hash, const uint8_t *id, size_t size)
{
    for (size_t place = hash & self->mask;; place = (place + 1) & self->mask) {
        uint64_t *slot = &self->slots[place];
        if (!*slot)
            return slot;
        if ((*slot ^ hash) >> NUMBER_BITS)
            continue;
        size_t its_size;
        const uint8_t *its = id_at(self, (*slot & NUMBER_MASK) - 1, &its_size);
        if (its_size == size && !memcmp(its, id, size))
            return slot;
    }
}

/* Whether another id would take more than half of the slots. */
static int is_full(size_t count, size_t slots)
{
    return 2 * (count + 1) > slots;
}

static void free_slots(Ids *self)
{
    if (self->slots)
        unmap(self->slots, (self->mask + 1) * sizeof *self->slots);
    self->slots = NULL;
    self->mask = 0;
}

static int make_room(Ids *self)
{
    size_t slots = FEWEST;
    while (is_full(self->count, slots))
        slots *= 2;
    free_slots(self); /* before the new table is made, which is filled from the ids */
    uint64_t *table = map_zeros(slots * sizeof *table);
    if (!table) {
        PyErr_NoMemory();
        return -1;
    }
    self->slots = table;
    self->mask = slots - 1;
    uint64_t hashes[AT_ONCE];
    for (size_t first = 0; first < self->count; first += AT_ONCE) { /* ids whose slots can come at a time */
        const size_t some = self->count - first < AT_ONCE ? self->count - first : AT_ONCE;
        for (size_t i = 0; i < some; i++) {
            size_t size;
            const uint8_t *id = id_at(self, first + i, &size);
            hashes[i] = hash_of(self, id, size);
            PREFETCH(&table[hashes[i] & self->mask]);
        }
        for (size_t i = 0; i < some; i++) {
            size_t place = hashes[i] & self->mask;
            while (table[place])
                place = (place + 1) & self->mask;
            table[place] = (hashes[i] & ~NUMBER_MASK) | (first + i + 1);
        }
    }
    return 0;
}

/* Sets the sizes of `data` and `ends`: to those of all ids that it has, or with room for more of them. */
static int resize(Ids *self, Py_ssize_t more_bytes, Py_ssize_t more)
{
    const Py_ssize_t bytes = (Py_ssize_t)self->bytes + more_bytes, count = (Py_ssize_t)self->count + more;
    return PyByteArray_Resize(self->data, bytes) || PyByteArray_Resize(self->ends, 8 * count);
}

/* The number of an id, which is added if it is new, where there is room; -1 with an exception. */
static int64_t number_of(Ids *self, uint64_t hash, const uint8_t *id, size_t size)
{
    if (is_full(self->count, self->slots ? self->mask + 1 : 0) && make_room(self))
        return -1;
    uint64_t *slot = slot_of(self, hash, id, size);
    if (*slot)
        return (int64_t)(*slot & NUMBER_MASK) - 1;
    memcpy(PyByteArray_AsString(self->data) + self->bytes, id, size);
    self->bytes += size;
    ((int64_t *)PyByteArray_AsString(self->ends))[self->count] = (int64_t)self->bytes;
    *slot = (hash & ~NUMBER_MASK) | ++self->count;
    return (int64_t)self->count - 1;
}

/* Whether an id equals the one before it, as in pairs, which come in the order of one side. */
static inline int is_repeated(const uint8_t *id, const int64_t *size)
{
    return size[0] == size[-1] && !memcmp(id - size[0], id, (size_t)size[0]);
}

/* Hashes the next ids that do not repeat the one before, and prefetches the memory in which they will be looked up: a
   look-up waits for a slot, an end and an id, and those of several ids can come at a time. */
static void foresee(const Ids *self, const Given *given, Py_ssize_t first, Py_ssize_t count, uint64_t *hashes,
                    uint8_t *repeated)
{
    const int64_t *ends = (const int64_t *)PyByteArray_AsString(self->ends);
    const char *data = PyByteArray_AsString(self->data);
    const uint8_t *at = given->at;
    size_t numbers[AT_ONCE]; /* of ids that are probably these; 0 for none */
    for (Py_ssize_t i = 0; i < count; at += given->size[first + i++]) {
        repeated[i] = first + i && is_repeated(at, given->size + first + i);
        if (repeated[i])
            continue;
        hashes[i] = hash_of(self, at, (size_t)given->size[first + i]);
        if (self->slots)
            PREFETCH(&self->slots[hashes[i] & self->mask]);
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        const uint64_t slot = self->slots && !repeated[i] ? self->slots[hashes[i] & self->mask] : 0;
        numbers[i] = (slot ^ hashes[i]) >> NUMBER_BITS ? 0 : slot & NUMBER_MASK;
        if (numbers[i])
            PREFETCH(&ends[numbers[i] - 1]);
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (numbers[i] > 1)
            PREFETCH(&data[ends[numbers[i] - 2]]);
}

static PyObject *numbers(PyObject *object, PyObject *args, int adding)
{
    Given given;
    Ids *self = (Ids *)object;
    uint64_t hashes[AT_ONCE];
    uint8_t repeated[AT_ONCE];
    if (take_ids(args, &given))
        return NULL;
    PyObject *result = PyBytes_FromStringAndSize(NULL, given.count * (Py_ssize_t)sizeof(int64_t));
    int64_t *out = result ? (int64_t *)PyBytes_AsString(result) : NULL;
    if (result && adding && resize(self, given.data.len, given.count))
        Py_CLEAR(result);
    for (Py_ssize_t i = 0; result && i < given.count; given.at += given.size[i++]) {
        const size_t size = (size_t)given.size[i];
        const Py_ssize_t place = i % AT_ONCE;
        if (!place)
            foresee(self, &given, i, given.count - i < AT_ONCE ? given.count - i : AT_ONCE, hashes, repeated);
        if (repeated[place])
            out[i] = out[i - 1];
        else if (adding)
            out[i] = number_of(self, hashes[place], given.at, size);
        else
            out[i] = self->slots ? (int64_t)(*slot_of(self, hashes[place], given.at, size) & NUMBER_MASK) - 1 : -1;
        if (adding && out[i] < 0)
            Py_CLEAR(result);
    }
    if (adding && resize(self, 0, 0))
        Py_CLEAR(result);
    release_ids(&given);
    return result;
}

static PyObject *number(PyObject *object, PyObject *args)
{
    return numbers(object, args, 1);
}

static PyObject *find_ids(PyObject *object, PyObject *args)
{
    return numbers(object, args, 0);
}

static PyObject *hashes(PyObject *object, PyObject *args)
{
    Given given;
    if (take_ids(args, &given))
        return NULL;
    PyObject *result = PyBytes_FromStringAndSize(NULL, given.count * (Py_ssize_t)sizeof(uint64_t));
    uint64_t *out = result ? (uint64_t *)PyBytes_AsString(result) : NULL;
    for (Py_ssize_t i = 0; result && i < given.count; given.at += given.size[i++])
        out[i] = hash_of((Ids *)object, given.at, (size_t)given.size[i]);
    release_ids(&given);
    return result;
}

static PyObject *new_ids(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords))
{
    const uint8_t *key;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &key, &size))
        return NULL;
    if (size != 16) {
        PyErr_SetString(PyExc_ValueError, "a key has 16 bytes");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Ids *self = (Ids *)allocate(type, 0);
    if (!self)
        return NULL;
    memcpy(self->key, key, sizeof self->key);
    self->data = PyByteArray_FromStringAndSize(NULL, 0);
    self->ends = PyByteArray_FromStringAndSize(NULL, 0);
    if (!self->data || !self->ends) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void free_ids(PyObject *object)
{
    Ids *self = (Ids *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->data);
    Py_XDECREF(self->ends);
    free_slots(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static Py_ssize_t count_ids(PyObject *object)
{
    return (Py_ssize_t)((Ids *)object)->count;
}

static PyObject *close_ids(PyObject *object, PyObject *Py_UNUSED(none))
{
    free_slots((Ids *)object);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"close", close_ids, METH_NOARGS, "Frees the table: no ids can be added or found after this."},
    {"number", number, METH_VARARGS, "(ids, sizes): the number of each id, int64; new ids are added."},
    {"hashes", hashes, METH_VARARGS, "(ids, sizes): a hash of each id by the key, uint64."},
    {"find", find_ids, METH_VARARGS, "(ids, sizes): the number of each id, int64; -1 for unknown ids."},
    {0},
};

static PyMemberDef members[] = {
    {"data", T_OBJECT_EX, offsetof(Ids, data), READONLY, "The ids, one after the other."},
    {"ends", T_OBJECT_EX, offsetof(Ids, ends), READONLY, "The end of each id, int64."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Ids(key): distinct ids, as JSON, numbered in the order in which they came; a key of 16 random bytes."},
    {Py_tp_new, new_ids},
    {Py_tp_dealloc, free_ids},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_sq_length, count_ids},
    {0},
};

PyType_Spec ids_spec = {
    .name = "shingletools.kernel._kernel.Ids",
    .basicsize = sizeof(Ids),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
