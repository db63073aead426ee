/* Turns texts into rolling fingerprints of their shingles. The fingerprints of words are BLAKE3. */

#include "blake3.h"
#include "columns.h"
#include "fingerprint_slots.h"
#include "payloads.h"

enum { WORDS, CHARACTERS, WORD_CHARACTERS }; /* units of shingles: see memo.py */
enum { KEY = 48 }; /* bytes of a key: 32 of BLAKE3, then 16 of SipHash */

typedef struct {
    Memo memo;
    uint64_t base;           /* of the rolling sum */
    Blake3 how;
    uint64_t last[2];        /* the key of SipHash, which replaces the finalizer if there is a key */
    uint64_t brief, emptied; /* texts in links: with fewer words than a shingle; left without shingles */
    Bytes gathered;          /* fingerprints of shingles, each once for a text */
} FingerprintMemo;

/* Writes the fingerprint of a word that is not in the memo. */
static int make(FingerprintMemo *self, const Token *word, uint8_t *to)
{
    if (word->size <= BLAKE3_MOST) {
        const uint64_t value = blake3(&self->how, word->at, word->size);
        memcpy(to, &value, sizeof value);
        keep(&self->memo, word, &value, sizeof value);
        return 0;
    }
    PyObject *made = ask(self->memo.function, word->at, word->size);
    if (!made)
        return -1;
    char *data;
    Py_ssize_t length;
    int failed = PyBytes_AsStringAndSize(made, &data, &length);
    if (!failed && length != 8) {
        PyErr_SetString(PyExc_ValueError, "a fingerprint has 8 bytes");
        failed = -1;
    }
    if (!failed) {
        const uint64_t value = first_low(load_8((const uint8_t *)data));
        memcpy(to, &value, sizeof value);
    }
    Py_DECREF(made);
    return failed;
}

static int add_fingerprints(FingerprintMemo *self, const Token *words, int count, Bytes *out)
{
    if (grow(out, sizeof(uint64_t) * (size_t)count))
        return -1;
    for (const Token *word = words; word < words + count; word++, out->used += sizeof(uint64_t)) {
        size_t size;
        const uint8_t *known = word->size <= INSIDE ? find(&self->memo, word, &size) : NULL;
        if (known)
            memcpy(out->data + out->used, known, sizeof(uint64_t));
        else if (make(self, word, out->data + out->used))
            return -1;
    }
    return 0;
}

/* The fingerprints of a text's words. */
static int add_words(FingerprintMemo *self, const uint8_t *at, const uint8_t *end, Bytes *out)
{
    Token words[AHEAD];
    int count;
    do {
        count = take_tokens(&self->memo, &at, end, 0, words);
        if (add_fingerprints(self, words, count, out))
            return -1;
    } while (count == AHEAD);
    return 0;
}

/* The fingerprints of the characters of a word. */
static int add_characters(FingerprintMemo *self, const uint8_t *at, const uint8_t *end, Bytes *out)
{
    while (at < end) {
        const uint8_t *stop = at + 1;
        while (stop < end && (*stop & 0xC0) == 0x80)
            stop++;
        const Token character = token_of(at, stop, end);
        if (add_fingerprints(self, &character, 1, out))
            return -1;
        at = stop;
    }
    return 0;
}

/* SipHash-2-4 (Aumasson, Bernstein 2012) of 8 bytes, little-endian. */
static uint64_t siphash(const uint64_t *key, uint64_t word)
{
    uint64_t v[4] = {key[0] ^ UINT64_C(0x736F6D6570736575), key[1] ^ UINT64_C(0x646F72616E646F6D),
                     key[0] ^ UINT64_C(0x6C7967656E657261), key[1] ^ UINT64_C(0x7465646279746573)};
    const uint64_t length = UINT64_C(8) << 56;
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
    v[3] ^= length;
    sip_rounds(v, 2);
    v[0] ^= length;
    v[2] ^= 0xFF;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

typedef struct {
    FingerprintMemo *memo;
    size_t run;              /* units in a shingle */
    int units;
    uint64_t sample;         /* m: 1 in m shingles is kept */
    Listed listed;           /* without slots if all shingles are kept */
    int kept;                /* whether only listed fingerprints are kept, or only these are left out */
    uint64_t brief, emptied; /* as in the memo */
    Bytes words, made;       /* fingerprints of units, and of shingles */
    Bytes seen;              /* slots of the fingerprints of one text */
} Shingling;

/* Writes the fingerprints of a text's shingles that are in the sample to `to`; returns their number. */
static inline size_t roll(const Shingling *shingling, size_t count, size_t k, uint8_t *to)
{
    /* z = sum of w_(i+j) * base^(k-1-j) mod 2^64; lead = base^k */
    const FingerprintMemo *memo = shingling->memo;
    const uint64_t *w = (const uint64_t *)shingling->words.data, base = memo->base, sample = shingling->sample;
    const Listed *listed = &shingling->listed;
    uint64_t z = 0, lead = 1;
    size_t made = 0;
    for (size_t i = 0; i < k; i++) {
        z = z * base + w[i];
        lead *= base;
    }
    for (size_t i = 0; i + k <= count && k; i++) {
        if (i)
            z = z * base + (w[i + k - 1] - w[i - 1] * lead);
        uint64_t fingerprint = memo->how.mode ? siphash(memo->last, z) : finish(z);
        if (sample > 1 && fmix64(fingerprint) % sample)
            continue;
        if (listed->slots) /* prefetches all slots, since each may be far away in memory */
            PREFETCH(listed->slots + 8 * slot_of(listed, fingerprint));
        memcpy(to + 8 * made++, &fingerprint, sizeof fingerprint);
    }
    return made;
}

/* Keeps the fingerprints that the list lets pass, in place; returns their number. */
static inline size_t sift(const Listed *listed, int kept, uint8_t *values, size_t count)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t fingerprint = load_8(values + 8 * i);
        memcpy(values + 8 * made, &fingerprint, sizeof fingerprint);
        made += is_listed(listed, fingerprint) == kept;
    }
    return made;
}

/* Adds the fingerprints of the runs of the units so far, and forgets these. */
static int add_runs(Shingling *shingling, size_t *units, Bytes *out)
{
    size_t count = shingling->words.used / sizeof(uint64_t);
    size_t k = shingling->run < count ? shingling->run : count;
    if (grow(out, sizeof(uint64_t) * (count - k + 1)))
        return -1;
    out->used += sizeof(uint64_t) * roll(shingling, count, k, out->data + out->used);
    shingling->words.used = 0;
    *units += count;
    return 0;
}

/* Adds the fingerprints of runs of characters. */
static int add_runs_of_characters(Shingling *shingling, const uint8_t *at, const uint8_t *end, size_t *units,
                                  Bytes *out)
{
    static const uint8_t SPACE[] = " ";
    Bytes *words = &shingling->words;
    int alone = shingling->units == WORD_CHARACTERS;
    for (const uint8_t *stop; (stop = next_token(&at, end, 0)) > at; at = stop) {
        if ((alone || words->used) && add_characters(shingling->memo, SPACE, SPACE + 1, words))
            return -1;
        if (add_characters(shingling->memo, at, stop, words))
            return -1;
        if (alone && (add_characters(shingling->memo, SPACE, SPACE + 1, words) || add_runs(shingling, units, out)))
            return -1;
    }
    return add_runs(shingling, units, out);
}

/* Makes the fingerprints of a text's shingles. */
static Made shingle(void *self, const uint8_t *at, size_t size, Bytes *out)
{
    Shingling *shingling = self;
    Bytes *words = &shingling->words;
    size_t count = 0;
    words->used = out->used = 0;
    if (shingling->units != WORDS ? add_runs_of_characters(shingling, at, at + size, &count, out)
                                  : add_words(shingling->memo, at, at + size, words) ||
                                        add_runs(shingling, &count, out))
        return FAILED;
    size_t made = out->used / 8;
    if (shingling->listed.slots)
        made = sift(&shingling->listed, shingling->kept, out->data, made);
    shingling->brief += count && count < shingling->run;
    shingling->emptied += count && !made;
    out->used = 8 * made;
    return WIDE;
}

/* Gathers each of a text's fingerprints once. The payload is empty. */
static Made gather(void *object, const uint8_t *at, size_t size, Bytes *Py_UNUSED(out))
{
    Shingling *self = object;
    Bytes *made = &self->made, *seen = &self->seen, *gathered = &self->memo->gathered;
    if (shingle(self, at, size, made) == FAILED || grow(gathered, made->used))
        return FAILED;
    Listed listed = {.factor = self->listed.factor};
    size_t room = slots_of(made->used / 8, &listed);
    if (grow(seen, room))
        return FAILED;
    listed.slots = seen->data;
    memset(seen->data, 0, room);
    for (size_t i = 0; i < made->used; i += 8)
        if (add_listed(&listed, load_8(made->data + i))) {
            memcpy(gathered->data + gathered->used, made->data + i, 8);
            gathered->used += 8;
        }
    return PLAIN;
}

static int is_run(Py_ssize_t run, int units)
{
    int right = run >= 1 && units >= WORDS && units <= WORD_CHARACTERS;
    if (!right)
        PyErr_SetString(PyExc_ValueError, "a shingle has one unit at least: a word or a character");
    return right;
}

static PyObject *rolling(PyObject *object, PyObject *args)
{
    PyObject *text, *result = NULL;
    Py_ssize_t run, size;
    int units = WORDS;
    if (!PyArg_ParseTuple(args, "Un|i", &text, &run, &units) || !is_run(run, units))
        return NULL;
    const uint8_t *at = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!at)
        return NULL;
    Shingling shingling = {.memo = (FingerprintMemo *)object, .run = (size_t)run, .units = units, .sample = 1};
    Made made = shingle(&shingling, at, (size_t)size, &shingling.made);
    if (made != FAILED)
        result = written(&shingling.made, made);
    free(shingling.words.data);
    free(shingling.made.data);
    return result;
}

static void end_gathering(void *object)
{
    Shingling *self = object;
    free(self->words.data);
    free(self->made.data);
    free(self->seen.data);
    PyMem_Free(self);
}

static void end_shingling(void *object)
{
    Shingling *self = object;
    self->memo->brief += self->brief;
    self->memo->emptied += self->emptied;
    end_gathering(self);
}

static Shingling *new_shingling(PyObject *memo, Py_ssize_t run, int units, uint64_t sample)
{
    Shingling *self = is_run(run, units) ? new_self(sizeof *self) : NULL;
    if (self) {
        self->memo = (FingerprintMemo *)memo;
        self->run = (size_t)run;
        self->units = units;
        self->sample = sample;
    }
    return self;
}

static void *start_shingling(PyObject *arguments)
{
    PyObject *memo, *listed;
    Py_ssize_t run;
    int units;
    unsigned long long sample;
    if (!PyArg_ParseTuple(arguments, "O(niKO!)", &memo, &run, &units, &sample, &PyTuple_Type, &listed))
        return NULL;
    Shingling *self = new_shingling(memo, run, units, sample);
    if (self && take_listed(listed, &self->listed, &self->kept)) {
        end_shingling(self);
        return NULL;
    }
    return self;
}

static PyObject *link_shingles(PyObject *object, PyObject *args)
{
    static const LinkType SHINGLES = {shingle, NULL, start_shingling, end_shingling};
    return new_link(&SHINGLES, Py_BuildValue("(OO)", object, args));
}

static void *start_gathering(PyObject *arguments)
{
    PyObject *memo;
    Py_ssize_t run;
    int units;
    unsigned long long sample, factor;
    if (!PyArg_ParseTuple(arguments, "O(niKK)", &memo, &run, &units, &sample, &factor))
        return NULL;
    Shingling *self = new_shingling(memo, run, units, sample);
    if (self)
        self->listed.factor = factor;
    return self;
}

static PyObject *link_gathering(PyObject *object, PyObject *args)
{
    static const LinkType GATHERING = {gather, NULL, start_gathering, end_gathering};
    return new_link(&GATHERING, Py_BuildValue("(OO)", object, args));
}

static PyObject *take_gathered(PyObject *object, PyObject *Py_UNUSED(none))
{
    Bytes *gathered = &((FingerprintMemo *)object)->gathered;
    PyObject *taken = bytes_of(gathered);
    if (taken)
        gathered->used = 0;
    return taken;
}

static void free_fingerprints(PyObject *self)
{
    free(((FingerprintMemo *)self)->gathered.data);
    free_memo(self);
}

static PyObject *take_counts(PyObject *object, PyObject *Py_UNUSED(none))
{
    FingerprintMemo *self = (FingerprintMemo *)object;
    PyObject *counts = Py_BuildValue("(KK)", (unsigned long long)self->brief, (unsigned long long)self->emptied);
    if (counts)
        self->brief = self->emptied = 0;
    return counts;
}

static PyObject *new_fingerprints(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords))
{
    PyObject *function;
    unsigned long long base;
    const uint8_t *key;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "OKy#", &function, &base, &key, &size))
        return NULL;
    if (size && size != KEY) {
        PyErr_SetString(PyExc_ValueError, "a key has 48 bytes, or none");
        return NULL;
    }
    FingerprintMemo *self = (FingerprintMemo *)new_memo(type, function);
    if (!self)
        return NULL;
    self->base = base;
    self->how = blake3_with(size ? key : NULL);
    for (int i = 0; i < 2 && size; i++)
        self->last[i] = word_at(key + 32 + 8 * i) | (uint64_t)word_at(key + 36 + 8 * i) << 32;
    return (PyObject *)self;
}

static PyMethodDef methods[] = {
    {"rolling", rolling, METH_VARARGS, "(text, k, units=0): the payload of its shingles' fingerprints."},
    {"link", link_shingles, METH_VARARGS, "(k, units, m, listed): a link that makes the payload, without some."},
    {"link_gathering", link_gathering, METH_VARARGS, "(k, units, m, factor): a link that gathers fingerprints."},
    {"take_gathered", take_gathered, METH_NOARGS, "Fingerprints gathered since the last call, each once for a text."},
    {"take_counts", take_counts, METH_NOARGS, "Since the last call: texts of fewer than k words; without shingles."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "FingerprintMemo(function, base, key): a memo of words' fingerprints; the function is for long words."},
    {Py_tp_new, new_fingerprints},
    {Py_tp_dealloc, free_fingerprints},
    {Py_tp_traverse, traverse_memo},
    {Py_tp_clear, clear_memo},
    {Py_tp_methods, methods},
    {0},
};

PyType_Spec fingerprint_memo_spec = {
    .name = "shingletools.kernel._kernel.FingerprintMemo",
    .basicsize = sizeof(FingerprintMemo),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};
