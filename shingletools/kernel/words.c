/* Texts to words, chunk by chunk, through a memo. */

#include "memo.h"

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

static int add_chunk(Memo *memo, const Chunk *chunk, Bytes *out)
{
    int fits = chunk->size <= INSIDE;
    const Line *line = fits ? find(memo, chunk->hash, chunk->at, chunk->size) : NULL;
    if (line) {
        size_t size;
        const uint8_t *value = value_of(line, &size);
        return add_word(out, value, size);
    }
    PyObject *made = ask(memo, chunk->at, chunk->size);
    if (!made)
        return -1;
    Py_ssize_t size;
    const char *value = PyUnicode_AsUTF8AndSize(made, &size);
    int failed = !value || add_word(out, (const uint8_t *)value, (size_t)size);
    if (!failed && fits)
        keep(memo, chunk->hash, chunk->at, chunk->size, (const uint8_t *)value, (size_t)size);
    Py_DECREF(made);
    return failed ? -1 : 0;
}

/* The next chunks, up to one that is known without the memo, through the memo; gives where they end, or NULL. */
static const uint8_t *add_chunks(Memo *memo, const uint8_t *at, const uint8_t *end, Bytes *out)
{
    Chunk chunks[AHEAD];
    int count = 0;
    for (const uint8_t *stop; count < AHEAD && (stop = next_chunk(&at, end, memo->alone)) > at; at = stop) {
        if (memo->plain && count && *at < 0x80)
            break;
        chunks[count++] = chunk_of(memo, at, stop, 0);
    }
    for (int i = 0; i < count; i++)
        if (add_chunk(memo, &chunks[i], out))
            return NULL;
    return at;
}

static PyObject *words(PyObject *self, PyObject *text)
{
    Py_ssize_t size;
    const uint8_t *at = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!at)
        return NULL;
    Memo *memo = (Memo *)self;
    Bytes out = {0};
    PyObject *result = NULL;
    for (const uint8_t *end = at + size, *stop; at < end; at = stop) {
        if (BLANK[*at] == 1) {
            stop = at + 1;
            continue;
        }
        if (grow(&out, (size_t)(end - at) + 64))
            goto done;
        if (memo->plain && (stop = add_ascii(at, end, &out)))
            continue;
        if (!(stop = add_chunks(memo, at, end, &out)))
            goto done;
    }
    result = PyUnicode_DecodeUTF8((const char *)out.data, (Py_ssize_t)out.used, NULL);
done:
    PyMem_Free(out.data);
    return result;
}

static PyObject *new_words(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords))
{
    PyObject *function;
    int plain = 0, alone = 0;
    if (!PyArg_ParseTuple(args, "O|pp", &function, &plain, &alone))
        return NULL;
    Memo *self = (Memo *)new_memo(type, function);
    if (self) {
        self->plain = plain;
        self->alone = alone;
    }
    return (PyObject *)self;
}

static PyObject *reduce(PyObject *self, PyObject *Py_UNUSED(none))
{
    Memo *memo = (Memo *)self;
    return Py_BuildValue("O(Oii)", Py_TYPE(self), memo->function, memo->plain, memo->alone);
}

static PyMethodDef methods[] = {
    {"words", words, METH_O, "A text's chunks between white space, each as the function has it, joined by blanks."},
    {"__reduce__", reduce, METH_NOARGS, "A worker process starts with an empty memo."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Words(function, plain, alone): a bounded memo of a pure function of short strings."},
    {Py_tp_new, new_words},
    {Py_tp_dealloc, free_memo},
    {Py_tp_traverse, traverse_memo},
    {Py_tp_clear, clear_memo},
    {Py_tp_methods, methods},
    {0},
};

PyType_Spec words_spec = {
    .name = "shingletools.kernel._kernel.Words",
    .basicsize = sizeof(Memo),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};
