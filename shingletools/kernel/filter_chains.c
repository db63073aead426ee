/* Chains of links, through which lines go: see splice.h. */

#include "columns.h"

typedef struct {
    const LinkType *type;
    void *self;
    Shingles shingles; /* its input, if it takes shingles */
    Bytes made;        /* for the next */
} Link;

typedef struct {
    Link *links;
    Py_ssize_t count;
} Chain;

/* Makes a link's payload from data of this kind, and returns the payload's kind. Without shingles, it is empty. */
static Made work_on(Link *link, Made kind, const uint8_t *data, size_t size, Bytes *made)
{
    Shingles *shingles = &link->shingles;
    int read = 1;
    if (link->type->work)
        return link->type->work(link->self, data, size, made);
    if (!size)
        return PLAIN;
    if (kind == WIDE) {
        shingles->values = (uint64_t *)data;
        shingles->count = size / sizeof *shingles->values;
        shingles->narrow = 0;
    } else {
        read = read_shingles(data, size, shingles);
    }
    return read > 0 ? link->type->of_shingles(link->self, shingles, made) : read ? FAILED : ODD;
}

/* Runs one link after the other; FAILED or ODD if any link gives it. */
static Made through(void *self, const uint8_t *text, size_t size, Bytes *out)
{
    const Chain *chain = self;
    Link *link = chain->links;
    Made kind = PLAIN;
    for (const Link *last = link + chain->count - 1; link < last; link++) {
        Bytes *made = &link->made;
        made->used = 0;
        kind = work_on(link, kind, text, size, made);
        if (kind <= ODD)
            return kind;
        if (width_of(kind) && !(kind == WIDE && link[1].type->of_shingles))
            return ODD;
        if (grow(made, 1))
            return FAILED;
        made->data[made->used] = 0; /* ends the text */
        text = made->data;
        size = made->used;
    }
    return work_on(link, kind, text, size, out);
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
        free(link->shingles.room.data);
        free(link->made.data);
    }
    PyMem_Free(chain->links);
}

PyObject *linked_lines(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *links, *fields, *data, *how = Py_None, *result = NULL;
    Py_ssize_t at, digits = 2, size = 0;
    if (!PyArg_ParseTuple(args, "O!O!O!n|O", &PyTuple_Type, &links, &PyTuple_Type, &fields, &PyBytes_Type, &data, &at,
                          &how) ||
        (how != Py_None && !PyArg_Parse(how, "(nn)", &digits, &size)))
        return NULL;
    if (!is_width(digits)) {
        PyErr_SetString(PyExc_ValueError, "groups have 2, 4, 8 or 16 digits");
        return NULL;
    }
    const Layout layout = {(size_t)digits, (size_t)size};
    Chain chain = {0};
    if (!start_chain(&chain, links))
        result = splice_lines(through, &chain, fields, data, at, how == Py_None ? NULL : &layout);
    end_chain(&chain);
    return result;
}
