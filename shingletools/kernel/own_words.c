/* Finds the words that only one of two texts has, and writes lines that say so, as own_words.py defines.

   words    int32: of one text after the other, the numbers of its words; starts, sizes (int64): the place of each text
   data     the words, each once, in UTF-8; ends (int64) and flags (uint8) of each
   left, right    int64: the numbers of the texts of pairs
   own      Own: two for each pair
*/

#include "arrays.h"
#include "columns.h"

enum { RUN = 3, GAP = 8, FIRST = 5 };                              /* as in own_words.py */
enum { NUMBER = 1, NEVER = 2 };                                    /* flags of a word */
enum { SHARED, OWN_WORD };                                         /* marks of a place */
enum { MATCH, LEAVE_ONE, LEAVE_OTHER, LEAVE_BOTH, LEAVE_GREATER }; /* steps of an alignment */

typedef struct {
    int32_t words, run, number, first[FIRST];
} Own;

typedef struct {
    const int32_t *words;
    int64_t size;
    uint8_t *marks; /* of the words */
    int32_t *at;    /* the places of words that count; or, of each run, where an equal run was first */
    int64_t counted;
} Text;

typedef struct {
    const char *data;
    const int64_t *ends;
    const uint8_t *flags;
    int64_t words;
    int64_t shortest; /* words: a pair with a text of at most so many is aligned */
    uint64_t key;
    Bytes marks, places, slots, steps; /* working memory */
} Comparing;

static int64_t start_of(const Comparing *all, int32_t word)
{
    return word ? all->ends[word - 1] : 0;
}

static int64_t least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int is_lesser(const Comparing *all, int32_t a, int32_t b)
{
    const int64_t of_a = all->ends[a] - start_of(all, a), of_b = all->ends[b] - start_of(all, b);
    const int order = memcmp(all->data + start_of(all, a), all->data + start_of(all, b), (size_t)least(of_a, of_b));
    return order ? order < 0 : of_a < of_b;
}

/* Room for so many bytes; whether there is none. */
static int make_room(Bytes *room, int64_t size)
{
    if (room->room >= (size_t)size)
        return 0;
    free(room->data);
    room->room = (size_t)size + (size_t)size / 8; /* little more, since an alignment may need gigabytes */
    room->data = malloc(room->room);
    room->room = room->data ? room->room : 0;
    return !room->data;
}

/* Marks a word of each text that counts. */
static void share(Text *one, int64_t i, Text *two, int64_t j)
{
    one->marks[one->at[i]] = two->marks[two->at[j]] = SHARED;
}

/* Marks the words of two texts that a longest common subsequence leaves out. Returns whether there is no memory. */
static int align(Comparing *all, Text *one, Text *two)
{
    Text *texts[2] = {one, two};
    for (int side = 0; side < 2; side++) {
        Text *text = texts[side];
        text->counted = 0;
        for (int64_t i = 0; i < text->size; i++) {
            const int counts = !(all->flags[text->words[i]] & NEVER);
            text->marks[i] = counts ? OWN_WORD : SHARED;
            if (counts)
                text->at[text->counted++] = (int32_t)i;
        }
    }
    int64_t equal = 0, n = one->counted, m = two->counted;
    for (; equal < n && equal < m && one->words[one->at[equal]] == two->words[two->at[equal]]; equal++)
        share(one, equal, two, equal);
    for (; n > equal && m > equal && one->words[one->at[n - 1]] == two->words[two->at[m - 1]]; n--, m--)
        share(one, n - 1, two, m - 1);
    const int64_t rows = n - equal, width = m - equal;
    if (make_room(&all->steps, rows * width) || make_room(&all->slots, 4 * (width + 1)))
        return 1;
    int32_t *length = (int32_t *)all->slots.data; /* of the next row, then of this one */
    memset(length, 0, 4 * (size_t)(width + 1));
    for (int64_t i = rows; i--;) {
        const int32_t word = one->words[one->at[equal + i]];
        uint8_t *step = all->steps.data + i * width;
        int32_t across = 0; /* the length at i + 1, j + 1 */
        for (int64_t j = width; j--;) {
            const int32_t below = length[j], right = length[j + 1];
            if (word == two->words[two->at[equal + j]]) {
                step[j] = MATCH;
                length[j] = across + 1;
            } else {
                step[j] = below > right ? LEAVE_ONE : below < right ? LEAVE_OTHER : across == below ? LEAVE_BOTH : LEAVE_GREATER;
                length[j] = below > right ? below : right;
            }
            across = below;
        }
    }
    for (int64_t i = 0, j = 0; i < rows && j < width;) {
        int step = all->steps.data[i * width + j];
        if (step == LEAVE_GREATER) {
            const int32_t a = one->words[one->at[equal + i]], b = two->words[two->at[equal + j]];
            step = is_lesser(all, a, b) ? LEAVE_OTHER : LEAVE_ONE;
        }
        if (step == MATCH)
            share(one, equal + i, two, equal + j);
        i += step != LEAVE_OTHER;
        j += step != LEAVE_ONE;
    }
    return 0;
}

/* The slot of a run: it has the place of an equal run plus 1, or 0. */
static int32_t *slot_of(const Comparing *all, const int32_t *run, int64_t size, const int32_t *others, uint64_t slots)
{
    uint64_t hash = all->key;
    for (int64_t k = 0; k < size; k++)
        hash = (hash ^ (uint32_t)run[k]) * (all->key | 1);
    int32_t *table = (int32_t *)all->slots.data;
    uint64_t slot = fmix64(hash) & (slots - 1);
    for (; table[slot]; slot = (slot + 1) & (slots - 1)) {
        const int32_t *other = others + table[slot] - 1;
        int64_t k = 0;
        while (k < size && run[k] == other[k])
            k++;
        if (k == size)
            break;
    }
    return &table[slot];
}

/* Marks the words of two texts that are in no run of both. Returns whether there is no memory. */
static int mark_unshared(Comparing *all, Text *one, Text *two)
{
    const int64_t size = least(RUN, least(one->size, two->size)), runs = two->size - size + 1;
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)runs)
        slots *= 2;
    if (make_room(&all->slots, 4 * (int64_t)slots) || make_room(&all->steps, runs))
        return 1;
    uint8_t *met = all->steps.data; /* whether the other text has the run that was first here */
    memset(all->slots.data, 0, 4 * slots);
    memset(met, 0, (size_t)runs);
    memset(one->marks, OWN_WORD, (size_t)one->size);
    memset(two->marks, OWN_WORD, (size_t)two->size);
    for (int64_t j = 0; j < runs; j++) {
        int32_t *slot = slot_of(all, two->words + j, size, two->words, slots);
        if (!*slot)
            *slot = (int32_t)j + 1;
        two->at[j] = *slot - 1;
    }
    for (int64_t i = 0; i + size <= one->size; i++) {
        const int32_t *slot = slot_of(all, one->words + i, size, two->words, slots);
        if (*slot) {
            met[*slot - 1] = 1;
            memset(one->marks + i, SHARED, (size_t)size);
        }
    }
    for (int64_t j = 0; j < runs; j++)
        if (met[two->at[j]])
            memset(two->marks + j, SHARED, (size_t)size);
    return 0;
}

static Own described(const Comparing *all, const Text *text)
{
    Own own = {0};
    int32_t count = 0;
    int64_t last = -GAP;
    for (int64_t i = 0; i < text->size; i++) {
        if (text->marks[i] == SHARED)
            continue;
        const int32_t word = text->words[i];
        count = i - last <= GAP ? count + 1 : 1;
        last = i;
        own.run = count > own.run ? count : own.run;
        if (own.words < FIRST)
            own.first[own.words] = word;
        own.words++;
        own.number |= all->flags[word] & NUMBER;
    }
    return own;
}

static int compare(Comparing *all, Text *one, Text *two, Own *out)
{
    const int64_t most = one->size + two->size;
    if (make_room(&all->marks, most) || make_room(&all->places, 4 * most))
        return 1;
    one->marks = all->marks.data;
    two->marks = one->marks + one->size;
    one->at = (int32_t *)all->places.data;
    two->at = one->at + one->size;
    if (least(one->size, two->size) <= all->shortest ? align(all, one, two) : mark_unshared(all, one, two))
        return 1;
    out[0] = described(all, one);
    out[1] = described(all, two);
    return 0;
}

/* Whether the ends of words ascend within the data. */
static int are_words(const Py_buffer *data, const Py_buffer *ends)
{
    const int64_t *end = ends->buf;
    int64_t bad = 0, before = 0;
    for (Py_ssize_t i = 0; i < ends->len / 8; before = end[i++])
        bad |= end[i] <= before;
    return !bad && before <= data->len;
}

/* own_words(short, key, words, starts, sizes, data, ends, flags, left, right, out) */
const char *own_words(Arrays *arrays)
{
    const Py_buffer *view = arrays->view;
    Comparing all = {.data = view[3].buf, .ends = view[4].buf, .flags = view[5].buf, .words = view[5].len,
                     .shortest = arrays->number[0], .key = (uint64_t)arrays->number[1]};
    const int32_t *words = view[0].buf;
    const int64_t *starts = view[1].buf, *sizes = view[2].buf, *sides[2] = {view[6].buf, view[7].buf};
    const int64_t texts = view[1].len / 8, pairs = view[6].len / 8;
    int bad = view[2].len != view[1].len || view[4].len / 8 != all.words || view[7].len != view[6].len ||
              view[8].len != 2 * pairs * (Py_ssize_t)sizeof(Own) || all.shortest < 0 || !are_rows(&view[6], texts) ||
              !are_rows(&view[7], texts) || !are_words(&view[3], &view[4]);
    for (int64_t i = 0; i < 2 * pairs && !bad; i++) {
        const int64_t text = sides[i % 2][i / 2], start = starts[text], size = sizes[text];
        bad = start < 0 || size < 0 || size > INT32_MAX || start > view[0].len / 4 - size;
        for (int64_t k = 0, end = bad ? 0 : size; k < end; k++)
            bad |= words[start + k] < 0 || words[start + k] >= all.words;
    }
    if (bad)
        return MISFIT;
    int full = 0;
    for (int64_t i = 0; i < pairs && !full; i++) {
        const int64_t a = sides[0][i], b = sides[1][i];
        Text one = {.words = words + starts[a], .size = sizes[a]}, two = {.words = words + starts[b], .size = sizes[b]};
        full = compare(&all, &one, &two, (Own *)view[8].buf + 2 * i);
    }
    free(all.marks.data);
    free(all.places.data);
    free(all.slots.data);
    free(all.steps.data);
    return full ? NO_MEMORY : NULL;
}

/* Adds what a side has of its own. -1 with an exception. */
static int add_own(Bytes *out, const Own *own, const Py_buffer *data, const Py_buffer *ends, Bytes *room)
{
    char counts[64];
    const int64_t *end = ends->buf;
    const int32_t shown = own->words < FIRST ? own->words : FIRST;
    room->used = 0;
    for (int32_t i = 0; i < shown; i++) {
        const int64_t word = own->first[i];
        if (word < 0 || word >= ends->len / 8) {
            PyErr_SetString(PyExc_ValueError, MISFIT);
            return -1;
        }
        const int64_t start = word ? end[word - 1] : 0;
        if (add_bytes(room, " ", i > 0) || add_bytes(room, (const char *)data->buf + start, (size_t)(end[word] - start)))
            return -1;
    }
    const int size = PyOS_snprintf(counts, sizeof counts, "{\"words\":%d,\"run\":%d,\"first\":", own->words, own->run);
    return add_bytes(out, counts, (size_t)size) || add_quoted(out, room->data, room->used) || add_bytes(out, "}", 1) ? -1
                                                                                                                     : 0;
}

/* own_lines(heads, places, own, data, ends, rests, which): lines; places: the start and end of each head, int64 */
PyObject *own_lines(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_buffer view[6] = {0};
    PyObject *rests, *result = NULL;
    Bytes out = {0}, room = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*O!y*", &view[0], &view[1], &view[2], &view[3], &view[4], &PyList_Type,
                          &rests, &view[5]))
        return NULL;
    const int64_t *places = view[1].buf, *which = view[5].buf, lines = view[5].len / 8;
    const Own *own = view[2].buf;
    int bad = view[1].len / 16 != lines || view[2].len != 2 * lines * (Py_ssize_t)sizeof(Own) ||
              !are_words(&view[3], &view[4]);
    for (int64_t i = 0; i < lines && !bad; i++)
        bad = places[2 * i] < 0 || places[2 * i] > places[2 * i + 1] || places[2 * i + 1] > view[0].len;
    if (bad) {
        PyErr_SetString(PyExc_ValueError, MISFIT);
        goto done;
    }
    for (int64_t i = 0; i < lines; i++) {
        char *rest;
        Py_ssize_t size;
        PyObject *behind = PyList_GetItem(rests, (Py_ssize_t)which[i]);
        if (!behind || PyBytes_AsStringAndSize(behind, &rest, &size) ||
            add_bytes(&out, (const char *)view[0].buf + places[2 * i], (size_t)(places[2 * i + 1] - places[2 * i])) ||
            add_bytes(&out, ",\"own\":{\"a\":", 12) || add_own(&out, &own[2 * i], &view[3], &view[4], &room) ||
            add_bytes(&out, ",\"b\":", 5) || add_own(&out, &own[2 * i + 1], &view[3], &view[4], &room) ||
            add_bytes(&out, "}", 1) || add_bytes(&out, rest, (size_t)size))
            goto done;
    }
    result = bytes_of(&out);
done:
    free(out.data);
    free(room.data);
    for (int i = 0; i < 6; i++)
        PyBuffer_Release(&view[i]);
    return result;
}
