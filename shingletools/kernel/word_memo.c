/* The type of memos by which texts become words, and their links: see words.h. */

#include "words.h"

/* The words of a string. */
static PyObject *words_of_string(PyObject *object, PyObject *text, Places *places)
{
    Py_ssize_t size;
    const uint8_t *at = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!at)
        return NULL;
    Bytes out = {0};
    PyObject *result = NULL;
    if (!add_words((WordMemo *)object, at, (size_t)size, &out, places))
        result = PyUnicode_DecodeUTF8((const char *)out.data, (Py_ssize_t)out.used, NULL);
    free(out.data);
    return result;
}

static PyObject *words(PyObject *object, PyObject *text)
{
    return words_of_string(object, text, NULL);
}

static PyObject *placed(PyObject *object, PyObject *text)
{
    Places places = {{0}};
    PyObject *result = words_of_string(object, text, &places);
    free(places.out.data);
    return result;
}

static PyObject *new_words(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords))
{
    PyObject *function, *wherever = Py_None;
    int alone = 0;
    if (!PyArg_ParseTuple(args, "O|Op", &function, &wherever, &alone))
        return NULL;
    WordMemo *self = (WordMemo *)new_memo(type, function);
    if (!self)
        return NULL;
    self->alone = alone;
    if (wherever != Py_None) {
        self->wherever = Py_NewRef(wherever);
        self->characters = PyMem_Calloc(1 << 16, sizeof *self->characters);
        if (!self->characters) {
            Py_DECREF(self);
            return PyErr_NoMemory();
        }
    }
    return (PyObject *)self;
}

static int traverse_words(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((WordMemo *)self)->wherever);
    return traverse_memo(self, visit, arg);
}

static int clear_words(PyObject *self)
{
    Py_CLEAR(((WordMemo *)self)->wherever);
    return clear_memo(self);
}

static void free_words(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    clear_words(self);
    PyMem_Free(((WordMemo *)self)->characters);
    free_memo(self);
}

/* Whether a line ends after a soft hyphen: only the definition joins the two parts of such a word. */
static int is_parted(const uint8_t *at, size_t size)
{
    for (const uint8_t *end = at + size; (at = memchr(at, 0xC2, (size_t)(end - at))); at++)
        if (at[1] == 0xAD)
            for (const uint8_t *next = at + 2; next < end && (size = blank(next)); next += size)
                if (*next == '\n')
                    return 1;
    return 0;
}

typedef struct {
    WordMemo *memo;
    int placed;
    Places places;
} Canonizing;

static Made words_of(void *object, const uint8_t *text, size_t size, Bytes *made)
{
    Canonizing *self = object;
    if (is_parted(text, size))
        return ODD;
    return add_words(self->memo, text, size, made, self->placed ? &self->places : NULL) ? FAILED : TEXT;
}

static void *start_canonizing(PyObject *arguments)
{
    Canonizing *self = new_self(sizeof *self);
    if (self && !PyArg_ParseTuple(arguments, "Oi", &self->memo, &self->placed)) {
        PyMem_Free(self);
        return NULL;
    }
    return self;
}

static void end_canonizing(void *self)
{
    free(((Canonizing *)self)->places.out.data);
    PyMem_Free(self);
}

static PyObject *link_of(PyObject *memo, int placed)
{
    static const LinkType WORDS = {words_of, NULL, start_canonizing, end_canonizing};
    return new_link(&WORDS, Py_BuildValue("(Oi)", memo, placed));
}

static PyObject *link_words(PyObject *object, PyObject *Py_UNUSED(none))
{
    return link_of(object, 0);
}

static PyObject *link_placed(PyObject *object, PyObject *Py_UNUSED(none))
{
    return link_of(object, 1);
}

static PyMethodDef methods[] = {
    {"words", words, METH_O, "(text): the function's values of its tokens, joined by blanks."},
    {"placed", placed, METH_O, "(text): these words, a line feed, and their places: see memo.py."},
    {"link_placed", link_placed, METH_NOARGS, "A link that does the work of `placed`."},
    {"link", link_words, METH_NOARGS, "A link that does the work of `words`."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "WordMemo(function, wherever, alone): a bounded memo of a pure function of short strings."},
    {Py_tp_new, new_words},
    {Py_tp_dealloc, free_words},
    {Py_tp_traverse, traverse_words},
    {Py_tp_clear, clear_words},
    {Py_tp_methods, methods},
    {0},
};

PyType_Spec word_memo_spec = {
    .name = "shingletools.kernel._kernel.WordMemo",
    .basicsize = sizeof(WordMemo),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};
