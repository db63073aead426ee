/* Chains of links, through which lines go: see splice.h. */

#include "columns.h"

typedef struct {
    const LinkType *type;
    void *self;
    Bytes made, digits; /* for the next, as it is made, and as text */
} Link;

typedef struct {
    Link *links;
    Py_ssize_t count;
} Chain;

/* Runs one link after the other; FAILED or ODD if any link gives it. */
static Made through(void *self, const uint8_t *text, size_t size, Bytes *out)
{
    const Chain *chain = self;
    Link *link = chain->links;
    Work work = link->type->work;
    for (const Link *last = link + chain->count - 1; link < last; link++) {
        Bytes *made = &link->made;
        made->used = 0;
        Made kind = work(link->self, text, size, made);
        if (kind <= ODD)
            return kind;
        work = kind == WIDE ? link[1].type->of_numbers : NULL;
        if (!work) {
            work = link[1].type->work;
            if (width_of(kind)) {
                link->digits.used = 0;
                if (add_digits(&link->digits, made, kind))
                    return FAILED;
                made = &link->digits;
            }
            if (grow(made, 1))
                return FAILED;
            made->data[made->used] = 0; /* ends the text */
        }
        text = made->data;
        size = made->used;
    }
    return work(link->self, text, size, out);
}

static int start_chain(Chain *chain, PyObject *links)
{
    chain->count = PyTuple_Size(links);
    if (!chain->count) {
        PyErr_SetString(PyExc_ValueError, "a chain has one link at least");
        return -1;
    }
    chain->links = PyMem_Calloc((size_t)chain->count, sizeof *chain->links);
    if (!chain->links) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < chain->count; i++) {
        Link *link = &chain->links[i];
        PyObject *capsule, *arguments;
        const LinkType *type;
        if (!PyArg_Parse(PyTuple_GetItem(links, i), "(OO!)", &capsule, &PyTuple_Type, &arguments) ||
            !(type = PyCapsule_GetPointer(capsule, LINK)) || !(link->self = type->start(arguments)))
            return -1;
        link->type = type;
    }
    return 0;
}

static void end_chain(Chain *chain)
{
    for (Link *link = chain->links; link && link < chain->links + chain->count; link++) {
        if (link->type && link->type->end)
            link->type->end(link->self);
        free(link->made.data);
        free(link->digits.data);
    }
    PyMem_Free(chain->links);
}

static PyObject *through_links(PyObject *links, PyObject *fields, PyObject *data, Py_ssize_t at, const Form *form,
                               int bare)
{
    Chain chain = {0};
    PyObject *result =
        start_chain(&chain, links) ? NULL : splice_lines(through, &chain, fields, data, at, form, bare);
    end_chain(&chain);
    return result;
}

PyObject *linked_lines(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *links, *fields, *data;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(args, "O!O!O!n", &PyTuple_Type, &links, &PyTuple_Type, &fields, &PyBytes_Type, &data, &at))
        return NULL;
    return through_links(links, fields, data, at, NULL, 0);
}

PyObject *signed_lines(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *links, *fields, *data;
    Py_ssize_t at, digits, size;
    int bare;
    if (!PyArg_ParseTuple(args, "O!O!nnpO!n", &PyTuple_Type, &links, &PyTuple_Type, &fields, &digits, &size, &bare,
                          &PyBytes_Type, &data, &at))
        return NULL;
    if (!is_width(digits)) {
        PyErr_SetString(PyExc_ValueError, "groups have 2, 4, 8 or 16 digits");
        return NULL;
    }
    const Form form = {(size_t)digits, (size_t)size};
    return through_links(links, fields, data, at, &form, bare);
}
