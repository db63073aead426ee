/* The greedy maximal independent set of documents. See independent_set.py.

   Documents, ends and places of ends are int32, similarities doubles. Pairs: the ends, two for each pair; for each end,
   the place of the last one before it of the same document, or -1; for each document, the place of its last end, or -1;
   the similarity of each pair. Kept: for each document, its partner, or -1, and the similarity to that. */

#include "arrays.h"

enum { ENDS, BEFORE, LAST, SIMILARITY, PAIRS };
enum { PARTNER, TO_IT, KEPT };

static PyObject *no_pairs(void)
{
    PyErr_SetString(PyExc_ValueError, "no pairs of these documents");
    return NULL;
}

/* (ends, before, last): sets `before` and `last`. */
PyObject *list_ends(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_buffer pairs[LAST + 1] = {0};
    if (!PyArg_ParseTuple(args, "y*w*w*", &pairs[ENDS], &pairs[BEFORE], &pairs[LAST]))
        return NULL;
    const Py_ssize_t word = sizeof(int32_t), places = pairs[ENDS].len / word, documents = pairs[LAST].len / word;
    const int32_t *ends = pairs[ENDS].buf;
    int32_t *before = pairs[BEFORE].buf, *last = pairs[LAST].buf;
    int good = pairs[BEFORE].len == pairs[ENDS].len && places <= INT32_MAX;
    for (Py_ssize_t i = 0; good && i < places; i++)
        good = ends[i] >= 0 && ends[i] < documents;
    for (Py_ssize_t i = 0; good && i < places; i++) {
        before[i] = last[ends[i]];
        last[ends[i]] = (int32_t)i;
    }
    release(pairs, LAST + 1);
    return good ? Py_NewRef(Py_None) : no_pairs();
}

/* (documents, pairs, kept): takes documents, int64, and sets their partners. */
PyObject *greedy_independent_set(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_buffer taken = {0}, pairs[PAIRS] = {0}, kept[KEPT] = {0};
    if (!PyArg_ParseTuple(args, "y*(y*y*y*y*)(w*w*)", &taken, &pairs[ENDS], &pairs[BEFORE], &pairs[LAST],
                          &pairs[SIMILARITY], &kept[PARTNER], &kept[TO_IT]))
        return NULL;
    const Py_ssize_t word = sizeof(int32_t), places = pairs[ENDS].len / word, documents = kept[PARTNER].len / word;
    const int64_t *document = taken.buf, *end = document + taken.len / (Py_ssize_t)sizeof *document;
    const int32_t *ends = pairs[ENDS].buf, *before = pairs[BEFORE].buf, *last = pairs[LAST].buf;
    const double *similarity = pairs[SIMILARITY].buf;
    int32_t *partner = kept[PARTNER].buf;
    double *to_it = kept[TO_IT].buf;
    const Py_ssize_t doubles = sizeof(double) / sizeof(int32_t);
    int good = places % 2 == 0 && pairs[BEFORE].len == word * places && pairs[LAST].len == word * documents &&
               2 * pairs[SIMILARITY].len == doubles * word * places && kept[TO_IT].len == doubles * word * documents;
    for (; good && document < end; document++) {
        good = *document >= 0 && *document < documents;
        if (!good || partner[*document] >= 0)
            continue;
        /* Places descend, so the list ends whatever the arrays hold */
        int32_t at = last[*document], above = INT32_MAX;
        for (; good && at >= 0; above = at, at = before[at]) {
            good = at < above && at < places && ends[at ^ 1] >= 0 && ends[at ^ 1] < documents;
            if (!good)
                break;
            const int32_t other = ends[at ^ 1];
            if (partner[other] < 0 || similarity[at / 2] > to_it[other]) {
                partner[other] = (int32_t)*document;
                to_it[other] = similarity[at / 2];
            }
        }
    }
    PyBuffer_Release(&taken);
    release(pairs, PAIRS);
    release(kept, KEPT);
    return good ? Py_NewRef(Py_None) : no_pairs();
}

/* (pairs, partner): sets the partners of documents. */
PyObject *greedy_independent_set_of_pairs(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_buffer pairs = {0}, partners = {0};
    if (!PyArg_ParseTuple(args, "y*w*", &pairs, &partners))
        return NULL;
    const uint64_t *pair = pairs.buf, *end = pair + pairs.len / (Py_ssize_t)sizeof *pair;
    int32_t *partner = partners.buf;
    const uint64_t documents = (uint64_t)partners.len / sizeof *partner;
    int good = documents <= (uint64_t)INT32_MAX + 1;
    for (; good && pair < end; pair++) {
        const uint64_t lesser = *pair >> 32, greater = *pair & UINT32_MAX;
        good = lesser < greater && greater < documents;
        if (good && partner[lesser] < 0 && partner[greater] < 0)
            partner[greater] = (int32_t)lesser;
    }
    PyBuffer_Release(&pairs);
    PyBuffer_Release(&partners);
    return good ? Py_NewRef(Py_None) : no_pairs();
}
