#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "memo.h"
#include <sys/mman.h>

int enlarge(Bytes *bytes, size_t more)
{
    size_t room = bytes->used + more + bytes->room / 2;
    uint8_t *data = realloc(bytes->data, room);
    if (!data) {
        PyGILState_STATE state = PyGILState_Ensure(); /* the caller may have released Python's lock */
        PyErr_NoMemory();
        PyGILState_Release(state);
        return -1;
    }
    bytes->data = data;
    bytes->room = room;
    return 0;
}

PyObject *ask(PyObject *function, const uint8_t *key, size_t size)
{
    PyObject *text = PyUnicode_DecodeUTF8((const char *)key, (Py_ssize_t)size, NULL);
    if (!text)
        return NULL;
    PyObject *value = PyObject_CallFunctionObjArgs(function, text, NULL);
    Py_DECREF(text);
    return value;
}

void *map_zeros(size_t size)
{
    enum { LARGE = 1 << 21 };
    size_t room = size < LARGE ? size : size + LARGE;
    char *block = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    size_t before = room == size ? 0 : (LARGE - (uintptr_t)block % LARGE) % LARGE;
    if (before)
        munmap(block, before);
    if (room - size - before)
        munmap(block + before + size, room - size - before);
#ifdef MADV_HUGEPAGE
    if (room > size)
        madvise(block + before, size, MADV_HUGEPAGE);
#endif
    return block + before;
}

void unmap(void *block, size_t size)
{
    munmap(block, size);
}

static size_t size_of(int bits)
{
    return sizeof(Line) << bits;
}

PyObject *new_memo(PyTypeObject *type, PyObject *function)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Memo *self = (Memo *)allocate(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(function);
    self->function = function;
    self->bits = FIRST_BITS;
    self->lines = map_zeros(size_of(FIRST_BITS));
    if (!self->lines) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

void widen(Memo *memo)
{
    int bits = memo->bits + MORE_BITS;
    Line *lines = map_zeros(size_of(bits));
    memo->kept = 0; /* if there is no memory now, the next try comes after as many keys */
    if (!lines)
        return;
    memo->bits = bits;
    for (const Line *line = memo->lines, *end = line + ((size_t)1 << (bits - MORE_BITS)); line < end; line++)
        for (int second = 1; second >= 0; second--) {
            const uint8_t *at = line->bytes + HALF * second, key_size = line->key_size[second];
            const uint8_t value_size = line->value_size[second];
            const Token key = token_of(at, at + key_size, line->bytes + INSIDE);
            if (key_size)
                memcpy(put_first(lines + (key.hash >> (64 - bits)), key_size, value_size), at,
                       bytes_of_both(key_size, value_size));
        }
    unmap(memo->lines, size_of(bits - MORE_BITS));
    memo->lines = lines;
}

int traverse_memo(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Memo *)self)->function);
    return 0;
}

int clear_memo(PyObject *self)
{
    Py_CLEAR(((Memo *)self)->function);
    return 0;
}

void free_memo(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_memo(self);
    if (((Memo *)self)->lines)
        unmap(((Memo *)self)->lines, size_of(((Memo *)self)->bits));
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}
