/* The hot loops of shingletools. Their definitions are in line_columns.py, lines.py, memo.py, payload_codec.py,
   payload_signatures.py, ids.py, groups.py, independent_set.py, winnowing.py, own_words.py and reference_arrays.py.
   Functions that read many lines at once do with ordinary ones what filter_line.py and the schemas of collectors do
   with each. */

#include "arrays.h"

#define OVER_ARRAYS(NAME, COUNT, WRITTEN, WHAT)                                                                       \
    static PyObject *call_##NAME(PyObject *Py_UNUSED(self), PyObject *args)                                           \
    {                                                                                                                 \
        return with_arrays(args, COUNT, WRITTEN, NAME);                                                               \
    }
ARRAY_FUNCTIONS(OVER_ARRAYS)

#define ENTRY(NAME, TAKES, WHAT) {#NAME, NAME, TAKES, WHAT},
#define ARRAY_ENTRY(NAME, COUNT, WRITTEN, WHAT) {#NAME, call_##NAME, METH_VARARGS, WHAT},
static PyMethodDef functions[] = {FUNCTIONS(ENTRY) ARRAY_FUNCTIONS(ARRAY_ENTRY){0}};

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
