#include "signed.h"

void free_columns(Columns *columns)
{
    Bytes *every[] = {&columns->ids,    &columns->id_sizes,    &columns->places, &columns->values,
                      &columns->labels, &columns->label_sizes, &columns->sorted, &columns->shingles.room};
    for (size_t i = 0; i < sizeof every / sizeof *every; i++)
        free(every[i]->data);
    for (int i = 0; i < PAYLOADS; i++) {
        free(columns->data[i].data);
        free(columns->sizes[i].data);
    }
}

static int compare_words(const void *one, const void *two)
{
    uint64_t a, b;
    memcpy(&a, one, sizeof a);
    memcpy(&b, two, sizeof b);
    return (a > b) - (a < b);
}

/* Sorts numbers of `bits` bits in place. Fingerprints are spread evenly, so few stand far from the place that their
   highest bits give. If they are not, and a place has too many, qsort sorts them. */
static int sort_words(uint64_t *words, size_t count, int bits, Bytes *room)
{
    enum { FEW = 16, CROWD = 16 };
    if (count > FEW) {
        int places_bits = 4;
        while (((size_t)1 << places_bits) < count && places_bits < 16)
            places_bits++;
        size_t places = (size_t)1 << places_bits;
        room->used = 0;
        if (grow(room, places * sizeof(uint32_t) + count * sizeof *words))
            return -1;
        uint64_t *sorted = (uint64_t *)room->data;
        uint32_t *starts = (uint32_t *)(sorted + count), sum = 0;
        memset(starts, 0, places * sizeof *starts);
        for (size_t i = 0; i < count; i++)
            starts[words[i] >> (bits - places_bits)]++;
        uint32_t crowd = 0;
        for (size_t i = 0; i < places; i++) {
            uint32_t here = starts[i];
            crowd = here > crowd ? here : crowd;
            starts[i] = sum;
            sum += here;
        }
        if (crowd > CROWD) {
            qsort(words, count, sizeof *words, compare_words);
            return 0;
        }
        for (size_t i = 0; i < count; i++)
            sorted[starts[words[i] >> (bits - places_bits)]++] = words[i];
        memcpy(words, sorted, count * sizeof *words);
    }
    for (size_t i = 1; i < count; i++) {
        uint64_t word = words[i];
        size_t j = i;
        for (; j && words[j - 1] > word; j--)
            words[j] = words[j - 1];
        words[j] = word;
    }
    return 0;
}

int add_set(Columns *columns, int which, const Form *form, uint64_t *values, size_t count)
{
    Bytes *data = &columns->data[which];
    if (sort_words(values, count, form->digits == 8 ? 32 : 64, &columns->sorted))
        return -1;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!i || values[i] != values[i - 1])
            values[kept++] = values[i];
    if (add_bytes(data, values, kept * sizeof *values))
        return -1;
    return add_number(&columns->sizes[which], (int64_t)(kept * sizeof *values));
}

PyObject *columns_read(const Columns *columns, int payloads, int64_t lines, Py_ssize_t next)
{
    PyObject *result = NULL, *data = PyTuple_New(payloads), *sizes = PyTuple_New(payloads);
    for (int i = 0; data && sizes && i < payloads; i++) {
        PyTuple_SetItem(data, i, bytes_of(&columns->data[i]));
        PyTuple_SetItem(sizes, i, bytes_of(&columns->sizes[i]));
    }
    if (!PyErr_Occurred())
        result = Py_BuildValue("(LnNNNNOONN)", (long long)lines, next, bytes_of(&columns->ids),
                               bytes_of(&columns->id_sizes), bytes_of(&columns->places), bytes_of(&columns->values),
                               data, sizes, bytes_of(&columns->labels), bytes_of(&columns->label_sizes));
    Py_XDECREF(data);
    Py_XDECREF(sizes);
    return result;
}
