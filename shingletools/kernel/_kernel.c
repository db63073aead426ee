/* The hot loops of shingletools. Their definitions are in line_columns.py, lines.py, memo.py, payload_codec.py,
   payload_signatures.py, ids.py, groups.py, independent_set.py, winnowing.py, own_words.py and reference_arrays.py.
   Functions that read many lines at once do with ordinary ones what filter_line.py and the schemas of collectors do
   with each. */

#include "kernel.h"

static PyMethodDef functions[] = {
    {"count_lines", count_lines, METH_O, "(data): the number of lines."},
    {"split_lines", split_lines, METH_O, "(data): the lines, without their line feeds."},
    {"element_end", element_end, METH_VARARGS, "(data, at, deepest): see lines.c"},
    {"record_lines", record_lines, METH_VARARGS, "(columns, rows): rows of columns as lines of JSON."},
    {"payload_to_bytes", payload_to_bytes, METH_VARARGS, "(payload, digits): its bytes, or None for another form."},
    {"minima", minima, METH_VARARGS, "(payload, a, b, bits=32): the payload of its minima, or None for another form."},
    {"link_minima", link_minima, METH_VARARGS, "(a, b, group, pairs, bits=32): a link that makes minima."},
    {"link_simhash", link_simhash, METH_NOARGS, "A link that makes simhashes."},
    {"weigh_fingerprints", weigh_fingerprints, METH_VARARGS, "(fingerprints, weights, factor): see weighted_simhash.c"},
    {"link_weighted_simhash", link_weighted_simhash, METH_O, "(weights): a link that makes weighted simhashes."},
    {"read_columns", read_columns, METH_VARARGS, "(lines, at, fields): see columns.c"},
    {"pair_lines", pair_lines, METH_VARARGS, "(a, b, rests, which): see groups.c"},
    {"group_lines", group_lines, METH_VARARGS, "(members, sizes): see groups.c"},
    {"connect", connect_pairs, METH_VARARGS, "(parent, left, right, news): see groups.c"},
    {"list_ends", list_ends, METH_VARARGS, "(ends, before, last): see independent_set.c"},
    {"decide_by_cover", decide_by_cover, METH_VARARGS, "(documents, pairs, state): see independent_set.c"},
    {"greedy_independent_set", greedy_independent_set, METH_VARARGS, "(documents, pairs, kept): see independent_set.c"},
    {"greedy_independent_set_of_pairs", greedy_independent_set_of_pairs, METH_VARARGS, "(pairs, partner): see independent_set.c"},
    {"winnow", winnow, METH_VARARGS, "(texts, seed, mask, gram, run, listed): see winnowing.c"},
    {"winnowed_runs", winnowed_runs, METH_VARARGS, "(texts, places, seed, mask, gram, run): see winnowing.c"},
    {"equal_words", equal_words, METH_VARARGS, "(texts, left, others, right, words): see winnowing.c"},
    {"own_words", own_words, METH_VARARGS, "(texts, left, right, how, out): see own_words.c"},
    {"own_lines", own_lines, METH_VARARGS, "(heads, places, own, data, ends, rests, which): see own_words.c"},
    {"read_frequencies", read_frequencies, METH_VARARGS, "see frequencies.c"},
    {"read_weights", read_weights, METH_VARARGS, "(lines, at, digits): see frequencies.c"},
    {"list_fingerprints", list_fingerprints, METH_VARARGS, "(fingerprints, without, factor): see frequencies.c"},
    {"link_function", link_function, METH_O, "(function): a link that asks a function in Python; see splice.h"},
    {"linked_lines", linked_lines, METH_VARARGS, "(links, fields, data, at, form): see splice.h"},
    {"simhash", simhash, METH_O, "(payload): its simhash, or None for another form."},
    {"part_large_arrays", part_large_arrays, METH_NOARGS, "Asks the allocator to return them to the system at once."},
    {"agreements", agreements, METH_VARARGS, "(width, size, least, rows, left, right, firsts, lasts, out)"},
    {"band_keys", band_keys, METH_VARARGS, "(width, size, rows, firsts, lasts, some, out)"},
    {"mark", mark, METH_VARARGS, "(keys, table): see signature_rows.c"},
    {"marked", marked, METH_VARARGS, "(keys, table, out)"},
    {"bounded_candidates", bounded_candidates, METH_VARARGS,
     "(kind, share, entries, targets, starts, counts, tokens, counters, out)"},
    {"first_shared", first_shared, METH_VARARGS, "(tokens, counters, starts, left, right, places, places, out)"},
    {"parities", parities, METH_VARARGS, "(tokens, starts, sizes, out)"},
    {"overlaps", overlaps, METH_VARARGS, "(tokens, starts, sizes, left, right, least, out)"},
    {"count_tokens", count_tokens, METH_VARARGS, "(tokens, counters)"},
    {"set_keys", set_keys, METH_VARARGS, "(tokens, starts, sizes, out)"},
    {"rarest", rarest, METH_VARARGS, "(tokens, starts, sizes, wanted, counters, out)"},
    {"common_weights", common_weights, METH_VARARGS,
     "(tokens, weights, starts, sizes, totals, left, right, least, out)"},
    {"shared_counts", shared_counts, METH_VARARGS, "(first, last, after, least, arrays): see overlaps.c"},
    {"end_with_parent", end_with_parent, METH_NOARGS, "Kills this process when its parent ends; whether that is so."},
    {"fail_at_exit", fail_at_exit, METH_NOARGS, "Gives the process status 2 if a library calls exit()."},
    {"keep_memory", keep_memory, METH_NOARGS, "Keeps the memory that this process frees; whether that is so."},
    {0},
};

static int add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (!type)
        return -1;
    int failed = PyModule_AddObjectRef(module, name, type);
    Py_DECREF(type);
    return failed;
}

static int set_up(PyObject *module)
{
    return add_type(module, "WordMemo", &word_memo_spec) ||
                   add_type(module, "FingerprintMemo", &fingerprint_memo_spec) ||
                   add_type(module, "Ids", &ids_spec)
               ? -1
               : 0;
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
