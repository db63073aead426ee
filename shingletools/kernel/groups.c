/* Writes pairs and groups as lines; finds connected components. */

#include "arrays.h"
#include "columns.h"

/* (a, b, rests, which): lines of pairs. a and b: the data and ends of ids, as in Ids, and the numbers of the pairs'
   ids, int64; rests: a list of bytes that follow the ids; which: the number of each pair's rest, int64. */
PyObject *pair_lines(PyObject *Py_UNUSED(self), PyObject *args)
{
    Named sides[2] = {0};
    Py_buffer which = {0};
    PyObject *rests, *result = NULL;
    if (!PyArg_ParseTuple(args, "(y*y*y*)(y*y*y*)O!y*", &sides[0].data, &sides[0].ends, &sides[0].numbers,
                          &sides[1].data, &sides[1].ends, &sides[1].numbers, &PyList_Type, &rests, &which))
        return NULL;
    Py_ssize_t pairs = which.len / (Py_ssize_t)sizeof(int64_t);
    const int64_t *rest = which.buf;
    Bytes out = {0};
    if (grow(&out, 64 * (size_t)pairs + 1))
        goto done;
    for (Py_ssize_t i = 0; i < pairs; i++) {
        size_t sizes[2] = {0};
        const char *ids[2] = {named(&sides[0], i, &sizes[0]), named(&sides[1], i, &sizes[1])};
        PyObject *behind = ids[0] && ids[1] ? PyList_GetItem(rests, (Py_ssize_t)rest[i]) : NULL;
        char *text;
        Py_ssize_t size;
        if (!behind || PyBytes_AsStringAndSize(behind, &text, &size) ||
            add_bytes(&out, "{\"a\":", 5) || add_bytes(&out, ids[0], sizes[0]) || add_bytes(&out, ",\"b\":", 5) ||
            add_bytes(&out, ids[1], sizes[1]) || add_bytes(&out, ",", 1) || add_bytes(&out, text, (size_t)size))
            goto done;
    }
    result = bytes_of(&out);
done:
    free(out.data);
    for (int i = 0; i < 2; i++)
        release_named(&sides[i]);
    PyBuffer_Release(&which);
    return result;
}

/* (members, sizes): lines of groups. members: the data and ends of ids, as in Ids, and the numbers of the members of
   all groups, group by group; sizes: the number of members of each group, int64. */
PyObject *group_lines(PyObject *Py_UNUSED(self), PyObject *args)
{
    Named members = {0};
    Py_buffer sizes = {0};
    PyObject *result = NULL;
    Bytes out = {0};
    if (!PyArg_ParseTuple(args, "(y*y*y*)y*", &members.data, &members.ends, &members.numbers, &sizes))
        return NULL;
    Py_ssize_t groups = sizes.len / (Py_ssize_t)sizeof(int64_t), place = 0;
    int64_t left = members.numbers.len / (Py_ssize_t)sizeof(int64_t);
    const int64_t *size = sizes.buf;
    for (Py_ssize_t i = 0; i < groups && left >= 0; i++)
        left = size[i] < 1 ? -1 : left - size[i];
    if (left) {
        PyErr_SetString(PyExc_ValueError, "the sizes are not those of the groups");
        goto done;
    }
    for (Py_ssize_t i = 0; i < groups; i++) {
        char number[24];
        size_t its_size;
        const char *id = named(&members, place, &its_size);
        int digits = PyOS_snprintf(number, sizeof number, "%lld", (long long)size[i]);
        if (!id || add_bytes(&out, "{\"group\":", 9) || add_bytes(&out, id, its_size) ||
            add_bytes(&out, ",\"size\":", 8) || add_bytes(&out, number, (size_t)digits) ||
            add_bytes(&out, ",\"members\":", 11))
            goto done;
        for (int64_t j = 0; j < size[i]; j++) {
            id = named(&members, place++, &its_size);
            if (!id || add_bytes(&out, j ? "," : "[", 1) || add_bytes(&out, id, its_size))
                goto done;
        }
        if (add_bytes(&out, "]}\n", 3))
            goto done;
    }
    result = bytes_of(&out);
done:
    free(out.data);
    release_named(&members);
    PyBuffer_Release(&sizes);
    return result;
}

/* The least number that a number is connected with, by path halving. */
static int32_t first_of(int32_t *parent, int32_t number)
{
    while (parent[number] != number)
        number = parent[number] = parent[parent[number]];
    return number;
}

/* (left, right, parent, news): connects pairs of numbers, int64. parent: of each number, int32, not greater than it;
   news: a byte for each pair, set to whether the two were not connected before. */
const char *connect_pairs(Arrays *all)
{
    const Py_buffer *left = &all->view[0], *right = &all->view[1], *parent = &all->view[2], *news = &all->view[3];
    const Py_ssize_t word = sizeof(int64_t), pairs = news->len;
    const int64_t numbers = parent->len / (Py_ssize_t)sizeof(int32_t), *one = left->buf, *two = right->buf;
    int good = left->len == word * pairs && right->len == word * pairs;
    for (Py_ssize_t i = 0; good && i < pairs; i++)
        good = one[i] >= 0 && one[i] < numbers && two[i] >= 0 && two[i] < numbers;
    for (Py_ssize_t i = 0; good && i < pairs; i++) {
        int32_t a = first_of(parent->buf, (int32_t)one[i]), b = first_of(parent->buf, (int32_t)two[i]);
        ((int32_t *)parent->buf)[a > b ? a : b] = a > b ? b : a;
        ((uint8_t *)news->buf)[i] = a != b;
    }
    return good ? NULL : "no pairs of these numbers";
}
