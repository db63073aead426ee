/* The hot loops of shingletools: what reference.py defines, over bytes.

   Texts and payloads come and go as Python strings and are worked on as UTF-8, in which hex digits, blanks and JSON's
   words are single bytes. Arrays come as buffers, contiguous, of the machine's own byte order:

       rows     uint8, uint32 or uint64, one value for each place of a signature, row after row
       a, b     uint32, the factors and summands of min-hash functions
       left, right, starts, sizes, counts    int64
       entries  int64, sets one after the other, each ascending

   A memo is a table of lines of 64 bytes. A key may stand in one of two lines, which its hash names; whatever stands
   there gives way. So memory is fixed, and keys that flood it cost a miss each, no more:

       byte 0 to 3    some bits of the key's hash
       byte 4         bytes of the key; 0 in an empty line
       byte 5         bytes of the value; SAME if it is the key
       byte 6 to 63   the key, then the value
*/

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* 3.11: one build for all Pythons since */
#include <Python.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__)
#define VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS
#endif

enum {
    LINES = 1 << 16, /* pairs of lines: 8 MB */
    INSIDE = 58,     /* bytes of a key and its value */
    SAME = 255,
    BATCH = 32,       /* min-hash functions whose minima stay in registers */
    LONG_LOOP = 1 << 16, /* values from which on others may run meanwhile */
};

static const uint64_t ROLL = 0x9E3779B97F4A7C15u;
static const uint64_t FINISH = 0xD6E8FEB86659FD93u;

typedef struct {
    uint32_t tag;
    uint8_t key_size, value_size;
    uint8_t bytes[INSIDE];
} Line;

typedef struct {
    PyObject_HEAD
    PyObject *function;
    void *block; /* has the lines, and room to align them */
    Line *lines;
    int plain; /* ASCII is known without the function */
    int alone; /* ideographs and kana letters are asked for one by one */
} Memo;

/* Bytes that grow. */
typedef struct {
    uint8_t *data;
    size_t used, room;
} Bytes;

static int grow(Bytes *bytes, size_t more)
{
    if (bytes->room - bytes->used >= more)
        return 0;
    size_t room = bytes->used + more + bytes->room / 2;
    uint8_t *data = PyMem_Realloc(bytes->data, room);
    if (!data) {
        PyErr_NoMemory();
        return -1;
    }
    bytes->data = data;
    bytes->room = room;
    return 0;
}

static uint64_t fmix64(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xFF51AFD7ED558CCDu;
    x ^= x >> 33;
    x *= 0xC4CEB9FE1A85EC53u;
    x ^= x >> 33;
    return x;
}

/* ---- text ---- */

/* 1: white space of one byte; 2, 3: the first byte of a longer character that may be white space; 3, 4: one that may be
   a word alone */
static const uint8_t BLANK[256] = {
    [0x09] = 1, [0x0A] = 1, [0x0B] = 1, [0x0C] = 1, [0x0D] = 1, [0x1C] = 1, [0x1D] = 1, [0x1E] = 1, [0x1F] = 1,
    [0x20] = 1, [0xC2] = 2, [0xE1] = 3, [0xE2] = 3, [0xE3] = 3, [0xE4] = 4, [0xE5] = 4, [0xE6] = 4, [0xE7] = 4,
    [0xE8] = 4, [0xE9] = 4,
};

/* The bytes of the white space that begins here, as str.split has it; 0 if none does. Strings are ended by a zero. */
static inline size_t blank(const uint8_t *at)
{
    switch (BLANK[*at]) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return at[1] == 0x85 || at[1] == 0xA0 ? 2 : 0;
    case 4:
        return 0;
    }
    uint32_t code = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
    return code == 0xE19A80 || (code >= 0xE28080 && code <= 0xE2808A) || code == 0xE280A8 || code == 0xE280A9 ||
                   code == 0xE280AF || code == 0xE2819F || code == 0xE38080
               ? 3
               : 0;
}

/* Whether an ideograph (U+4E00 to U+9FFF) or a kana letter (U+3041 to U+3096, U+30A1 to U+30FA) begins here. */
static inline int is_alone(const uint8_t *at)
{
    if (at[0] < 0xE3 || at[0] > 0xE9)
        return 0;
    uint32_t code = (uint32_t)(at[0] & 15) << 12 | (uint32_t)(at[1] & 63) << 6 | (at[2] & 63);
    return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3041 && code <= 0x3096) ||
           (code >= 0x30A1 && code <= 0x30FA);
}

/* The next run of what is no white space: from *at to the return value, the same if there is none. With `alone`, a
   run also ends before a character that is a word alone. */
static inline const uint8_t *next_chunk(const uint8_t **at, const uint8_t *end, int alone)
{
    const uint8_t *place = *at;
    size_t size;
    while (place < end && (size = blank(place)))
        place += size;
    *at = place;
    for (; place < end; place++)
        if (BLANK[*place] && (blank(place) || (alone && place > *at && is_alone(place))))
            break;
    return place;
}

/* ---- memo ---- */

static inline uint64_t load(const uint8_t *at, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, at, size);
    return value;
}

static inline uint64_t hash(const uint8_t *key, size_t size)
{
    uint64_t h = size * ROLL;
    for (; size > 8; key += 8, size -= 8)
        h = (h ^ load(key, 8)) * FINISH, h ^= h >> 32;
    /* the last bytes, without a call for each size */
    uint64_t last;
    if (size == 8)
        last = load(key, 8);
    else if (size >= 4)
        last = load(key, 4) | load(key + size - 4, 4) << 32;
    else
        last = key[0] | (uint64_t)key[size / 2] << 8 | (uint64_t)key[size - 1] << 16;
    h = (h ^ last) * FINISH;
    return (h ^ h >> 32) * ROLL; /* its highest bits depend on all of the key */
}

/* Whether two keys of one size, 1 to INSIDE, are the same; memcmp's call would cost as much as all else. */
static inline int is_same(const uint8_t *one, const uint8_t *two, size_t size)
{
    if (size < 4)
        return one[0] == two[0] && one[size / 2] == two[size / 2] && one[size - 1] == two[size - 1];
    if (size < 8)
        return load(one, 4) == load(two, 4) && load(one + size - 4, 4) == load(two + size - 4, 4);
    for (size_t i = 0; i + 8 < size; i += 8)
        if (load(one + i, 8) != load(two + i, 8))
            return 0;
    return load(one + size - 8, 8) == load(two + size - 8, 8);
}

static inline int is_key(const Line *line, uint32_t tag, const uint8_t *key, size_t size)
{
    return line->tag == tag && line->key_size == size && is_same(line->bytes, key, size);
}

/* The line that has the key, or NULL. */
static inline const Line *find(const Memo *memo, uint64_t h, const uint8_t *key, size_t size)
{
    const Line *pair = memo->lines + 2 * (h >> 48);
    uint32_t tag = (uint32_t)(h >> 16);
    if (is_key(pair, tag, key, size))
        return pair;
    return is_key(pair + 1, tag, key, size) ? pair + 1 : NULL;
}

static inline const uint8_t *value_of(const Line *line, size_t *size)
{
    int same = line->value_size == SAME;
    *size = same ? line->key_size : line->value_size;
    return same ? line->bytes : line->bytes + line->key_size;
}

/* The newest goes to the first line, what was there to the second, so that the less recent is lost. */
static void keep(Memo *memo, uint64_t h, const uint8_t *key, size_t size, const uint8_t *value, size_t value_size)
{
    int same = size == value_size && !memcmp(key, value, size);
    if (size + (same ? 0 : value_size) > INSIDE)
        return;
    Line *pair = memo->lines + 2 * (h >> 48);
    pair[1] = pair[0];
    pair->tag = (uint32_t)(h >> 16);
    pair->key_size = (uint8_t)size;
    pair->value_size = same ? SAME : (uint8_t)value_size;
    memcpy(pair->bytes, key, size);
    if (!same)
        memcpy(pair->bytes + size, value, value_size);
}


/* What the memo's function gives for a key that is in no line: a new reference. */
static PyObject *make(const Memo *memo, const uint8_t *key, size_t size)
{
    PyObject *text = PyUnicode_DecodeUTF8((const char *)key, (Py_ssize_t)size, NULL);
    if (!text)
        return NULL;
    PyObject *value = PyObject_CallFunctionObjArgs(memo->function, text, NULL);
    Py_DECREF(text);
    return value;
}

static int add_word(Bytes *out, const uint8_t *word, size_t size)
{
    if (!size)
        return 0;
    if (grow(out, size + 1))
        return -1;
    if (out->used)
        out->data[out->used++] = ' ';
    memcpy(out->data + out->used, word, size);
    out->used += size;
    return 0;
}

/* ASCII letters in lower case, and digits; 0 for all other bytes. */
static inline uint8_t letter(uint8_t byte)
{
    uint8_t lower = byte | 0x20;
    if ((uint8_t)(lower - 'a') < 26)
        return lower;
    return (uint8_t)(byte - '0') < 10 ? byte : 0;
}

/* What canon's rules, without any for words, make of a chunk of ASCII: runs of letters, digits and the apostrophes
   between two of them, in lower case. Gives the end of the chunk, or NULL, with nothing added, if it is not of ASCII.
   There must be room for as many bytes as are left of the text, and one. */
static const uint8_t *add_ascii(const uint8_t *chunk, const uint8_t *end, Bytes *out)
{
    uint8_t *at = out->data + out->used;
    uint8_t before = 0;
    for (; chunk < end && BLANK[*chunk] != 1; chunk++) {
        uint8_t here = letter(*chunk);
        if (here) {
            if (!before && at > out->data)
                *at++ = ' ';
            *at++ = here;
        } else if (*chunk == '\'' && before && chunk + 1 < end && letter(chunk[1])) {
            *at++ = here = '\'';
        } else if (*chunk >= 0x80) {
            return NULL;
        }
        before = here;
    }
    out->used = (size_t)(at - out->data);
    return chunk;
}

/* The words of one chunk, through the memo. */
static int add_chunk(Memo *memo, const uint8_t *chunk, size_t size, Bytes *out)
{
    uint64_t h = 0;
    if (size <= INSIDE) {
        h = hash(chunk, size);
        const Line *line = find(memo, h, chunk, size);
        if (line) {
            size_t value_size;
            const uint8_t *value = value_of(line, &value_size);
            return add_word(out, value, value_size);
        }
    }
    PyObject *made = make(memo, chunk, size);
    if (!made)
        return -1;
    Py_ssize_t value_size;
    const char *value = PyUnicode_AsUTF8AndSize(made, &value_size);
    int failed = !value || add_word(out, (const uint8_t *)value, (size_t)value_size);
    if (!failed && size <= INSIDE)
        keep(memo, h, chunk, size, (const uint8_t *)value, (size_t)value_size);
    Py_DECREF(made);
    return failed ? -1 : 0;
}

static PyObject *memo_words(PyObject *self, PyObject *text)
{
    Py_ssize_t size;
    const uint8_t *at = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!at)
        return NULL;
    Bytes out = {0};
    PyObject *result = NULL;
    if (grow(&out, (size_t)size + 64))
        goto done;
    Memo *memo = (Memo *)self;
    for (const uint8_t *end = at + size, *stop; at < end; at = stop) {
        if (BLANK[*at] == 1) {
            stop = at + 1;
            continue;
        }
        if (grow(&out, (size_t)(end - at) + 1))
            goto done;
        if (memo->plain && (stop = add_ascii(at, end, &out)))
            continue;
        stop = next_chunk(&at, end, memo->alone);
        if (stop > at && add_chunk(memo, at, (size_t)(stop - at), &out))
            goto done;
    }
    result = PyUnicode_DecodeUTF8((const char *)out.data, (Py_ssize_t)out.used, NULL);
done:
    PyMem_Free(out.data);
    return result;
}

/* ---- fingerprints ---- */

/* Eight hex digits at once, one in each byte of a word; the first digit is the lowest byte. */
#define EACH(BYTE) (UINT64_C(0x0101010101010101) * (BYTE))

static inline uint64_t letters_of(uint64_t digits)
{
    uint64_t above_nine = (digits + EACH(6)) >> 4 & EACH(1);
    return digits + EACH('0') + above_nine * ('a' - '0' - 10);
}

/* What to do on a machine that has the highest byte first: turn words about where they meet memory. */
static inline uint64_t first_low(uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

static inline void put_8_digits(uint8_t *at, uint32_t value)
{
    uint64_t bytes = value;
    bytes = (bytes & 0xFFFF) << 32 | bytes >> 16;
    bytes = (bytes & UINT64_C(0x000000FF000000FF)) << 16 | (bytes >> 8 & UINT64_C(0x000000FF000000FF));
    bytes = (bytes & UINT64_C(0x000F000F000F000F)) << 8 | (bytes >> 4 & UINT64_C(0x000F000F000F000F));
    bytes = first_low(letters_of(bytes));
    memcpy(at, &bytes, 8);
}

static inline void put_hex(uint8_t *at, uint64_t value, int digits)
{
    if (digits == 16) {
        put_8_digits(at, (uint32_t)(value >> 32));
        at += 8;
    }
    put_8_digits(at, (uint32_t)value);
}

/* The fingerprint of one word, through the memo: 8 bytes, little-endian. */
static int fingerprint(Memo *memo, const uint8_t *word, size_t size, uint64_t *value)
{
    uint8_t bytes[8];
    uint64_t h = 0;
    if (size <= INSIDE - 8) {
        h = hash(word, size);
        const Line *line = find(memo, h, word, size);
        if (line) {
            size_t value_size;
            memcpy(bytes, value_of(line, &value_size), 8);
            goto done;
        }
    }
    PyObject *made = make(memo, word, size);
    if (!made)
        return -1;
    char *data;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(made, &data, &length) || length != 8) {
        Py_DECREF(made);
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a fingerprint has 8 bytes");
        return -1;
    }
    memcpy(bytes, data, 8);
    Py_DECREF(made);
    if (size <= INSIDE - 8)
        keep(memo, h, word, size, bytes, 8);
done:
    *value = 0;
    for (int i = 7; i >= 0; i--)
        *value = *value << 8 | bytes[i];
    return 0;
}

static PyObject *memo_fingerprints(PyObject *self, PyObject *args)
{
    PyObject *text;
    Py_ssize_t run, size;
    if (!PyArg_ParseTuple(args, "Un", &text, &run))
        return NULL;
    const uint8_t *at = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!at)
        return NULL;
    if (run < 1) {
        PyErr_SetString(PyExc_ValueError, "a shingle has one word at least");
        return NULL;
    }
    Bytes words = {0}, out = {0};
    PyObject *result = NULL;
    size_t count = 0;
    for (const uint8_t *end = at + size, *stop; (stop = next_chunk(&at, end, 0)) > at; at = stop, count++) {
        uint64_t word;
        if (grow(&words, 8) || fingerprint((Memo *)self, at, (size_t)(stop - at), &word))
            goto done;
        memcpy(words.data + words.used, &word, 8);
        words.used += 8;
    }
    size_t k = (size_t)run < count ? (size_t)run : count;
    if (grow(&out, 17 * (count - k + 1)))
        goto done;
    /* z = sum of w_(i+j) * ROLL^(k-1-j) mod 2^64 */
    const uint64_t *w = (const uint64_t *)words.data;
    uint64_t z = 0, lead = 1;
    for (size_t i = 0; i < k; i++) {
        z = z * ROLL + w[i];
        lead *= i ? ROLL : 1;
    }
    Py_BEGIN_ALLOW_THREADS
    for (size_t i = 0; i + k <= count && k; i++) {
        if (i)
            z = (z - w[i - 1] * lead) * ROLL + w[i + k - 1];
        uint64_t x = z ^ z >> 32;
        x *= FINISH;
        put_hex(out.data + out.used, x ^ x >> 32, 16);
        out.data[out.used + 16] = ' ';
        out.used += 17;
    }
    Py_END_ALLOW_THREADS
    result = PyUnicode_DecodeUTF8((const char *)out.data, (Py_ssize_t)(out.used ? out.used - 1 : 0), NULL);
done:
    PyMem_Free(words.data);
    PyMem_Free(out.data);
    return result;
}

static PyObject *memo_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords))
{
    PyObject *function;
    int plain = 0, alone = 0;
    if (!PyArg_ParseTuple(args, "O|pp", &function, &plain, &alone))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Memo *self = (Memo *)allocate(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(function);
    self->function = function;
    self->plain = plain;
    self->alone = alone;
    self->block = PyMem_Calloc(2 * LINES + 1, sizeof(Line));
    if (!self->block) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    /* A line of the table is one of the cache */
    uintptr_t beyond = (uintptr_t)self->block % sizeof(Line);
    self->lines = (Line *)((char *)self->block + (beyond ? sizeof(Line) - beyond : 0));
    return (PyObject *)self;
}

static int memo_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Memo *)self)->function);
    return 0;
}

static int memo_clear(PyObject *self)
{
    Py_CLEAR(((Memo *)self)->function);
    return 0;
}

static void memo_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    memo_clear(self);
    PyMem_Free(((Memo *)self)->block);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *memo_reduce(PyObject *self, PyObject *Py_UNUSED(none))
{
    Memo *memo = (Memo *)self;
    return Py_BuildValue("O(Oii)", Py_TYPE(self), memo->function, memo->plain, memo->alone);
}

/* ---- payloads ---- */

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

static PyObject *words_to_bytes(PyObject *Py_UNUSED(self), PyObject *args)
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

static PyObject *minima(PyObject *Py_UNUSED(self), PyObject *args)
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

static PyObject *simhash(PyObject *Py_UNUSED(self), PyObject *text)
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

/* ---- rows and sets ---- */

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

/* In how many of n places two rows agree; 0 as soon as it is clear that it is in fewer than `least`. */
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

static int64_t agreements_of(const char *rows, size_t width, size_t word, int64_t one, int64_t two, size_t least)
{
    const char *left = rows + (size_t)one * width * word, *right = rows + (size_t)two * width * word;
    switch (word) {
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

/* Whether all values of an index array are rows. */
static int are_rows(const Py_buffer *index, int64_t rows)
{
    const int64_t *values = index->buf;
    int64_t bad = 0;
    for (Py_ssize_t i = 0; i < index->len / 8; i++)
        bad |= values[i] < 0 || values[i] >= rows;
    return !bad;
}

/* agreements(width, word, least, rows, left, right, out) */
static PyObject *agreements(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_ssize_t width, word, least;
    PyObject *unused;
    if (!PyArg_ParseTuple(args, "nnnOOOO", &width, &word, &least, &unused, &unused, &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    PyObject *result = NULL;
    if (take_arrays(args, 3, &arrays))
        goto done;
    const Py_buffer *rows = &arrays.view[0], *left = &arrays.view[1], *right = &arrays.view[2], *out = &arrays.view[3];
    if (width < 1 || (word != 1 && word != 4 && word != 8) || rows->len % (width * word) || left->len != right->len ||
        left->len != out->len || least < 0) {
        fail_arrays();
        goto done;
    }
    int64_t number = rows->len / (width * word);
    if (!are_rows(left, number) || !are_rows(right, number)) {
        fail_arrays();
        goto done;
    }
    const int64_t *one = left->buf, *two = right->buf;
    int64_t *counts = out->buf;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < left->len / 8; i++)
        counts[i] = agreements_of(rows->buf, (size_t)width, (size_t)word, one[i], two[i], (size_t)least);
    Py_END_ALLOW_THREADS
    result = Py_None;
    Py_INCREF(result);
done:
    release(&arrays);
    return result;
}

/* row_keys(width, word, first, last, rows, out) */
static PyObject *row_keys(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_ssize_t width, word, first, last;
    PyObject *unused;
    if (!PyArg_ParseTuple(args, "nnnnOO", &width, &word, &first, &last, &unused, &unused))
        return NULL;
    Arrays arrays = {0};
    PyObject *result = NULL;
    if (take_arrays(args, 4, &arrays))
        goto done;
    const Py_buffer *rows = &arrays.view[0], *out = &arrays.view[1];
    if (width < 1 || (word != 1 && word != 4 && word != 8) || first < 0 || last < first || last > width ||
        rows->len != out->len / 8 * width * word) {
        fail_arrays();
        goto done;
    }
    uint64_t *keys = out->buf;
    const char *row = rows->buf;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < out->len / 8; i++, row += width * word) {
        uint64_t key = 0;
        for (Py_ssize_t column = first; column < last; column++) {
            uint64_t value = word == 1   ? ((const uint8_t *)row)[column]
                             : word == 4 ? ((const uint32_t *)row)[column]
                                         : ((const uint64_t *)row)[column];
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
static PyObject *overlaps(PyObject *Py_UNUSED(self), PyObject *args)
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

/* ---- module ---- */

static PyMethodDef memo_methods[] = {
    {"words", memo_words, METH_O, "A text's chunks between white space, each as the function has it, joined by blanks."},
    {"fingerprints", memo_fingerprints, METH_VARARGS, "(text, k): a payload of rolling fingerprints."},
    {"__reduce__", memo_reduce, METH_NOARGS, "A worker process starts with an empty memo."},
    {0},
};

static PyType_Slot memo_slots[] = {
    {Py_tp_doc, "Memo(function, plain, alone): a bounded memo of a pure function of short strings."},
    {Py_tp_new, memo_new},
    {Py_tp_dealloc, memo_dealloc},
    {Py_tp_traverse, memo_traverse},
    {Py_tp_clear, memo_clear},
    {Py_tp_methods, memo_methods},
    {0},
};

static PyType_Spec memo_spec = {
    .name = "shingletools.kernel._kernel.Memo",
    .basicsize = sizeof(Memo),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = memo_slots,
};

static PyMethodDef functions[] = {
    {"words_to_bytes", words_to_bytes, METH_VARARGS, "(payload, digits): its bytes, or None if it is none such."},
    {"minima", minima, METH_VARARGS, "(payload, a, b): the payload of its minima, or None if it is no payload."},
    {"simhash", simhash, METH_O, "(payload): its simhash, or None if it is no payload."},
    {"agreements", agreements, METH_VARARGS, "(width, word, least, rows, left, right, out)"},
    {"row_keys", row_keys, METH_VARARGS, "(width, word, first, last, rows, out)"},
    {"overlaps", overlaps, METH_VARARGS, "(universe, entries, starts, sizes, left, right, least, out)"},
    {0},
};

static int set_up(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &memo_spec, NULL);
    if (!type)
        return -1;
    int failed = PyModule_AddObjectRef(module, "Memo", type);
    Py_DECREF(type);
    return failed;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, set_up}, {0}};

static PyModuleDef kernel = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_kernel",
    .m_doc = "The hot loops of shingletools in C.",
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__kernel(void);
PyMODINIT_FUNC PyInit__kernel(void)
{
    return PyModuleDef_Init(&kernel);
}
