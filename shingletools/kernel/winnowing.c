/* Finds runs of words by fingerprints, as winnowing.py defines.

   Texts are words with single blanks between, and a line feed behind each text. Places are offsets in their bytes.
*/

#include "arrays.h"
#include "columns.h"
#include "fingerprint_slots.h"

/* The last words of a text, their grams, and the sums that roll along. Rings have a power of two of slots. */
typedef struct {
    uint64_t seed, mask;           /* of fingerprints */
    size_t gram, run;              /* words */
    uint64_t gram_power, run_power; /* ROLL^gram, ROLL^run */
    uint64_t gram_sum, run_sum;
    uint64_t *words, *starts, *grams; /* rings, in one piece of memory */
    size_t slots;                     /* minus 1 */
    size_t count;                     /* words of the text so far */
    size_t chosen;                    /* the word with which the least gram of the last run begins */
} Winnower;

static void begin_text(Winnower *winnower)
{
    winnower->count = winnower->chosen = 0;
    winnower->gram_sum = winnower->run_sum = 0;
}

static int new_winnower(Winnower *winnower)
{
    size_t slots = 2;
    if (winnower->gram < 1 || winnower->gram > winnower->run || winnower->run > 1 << 24) {
        PyErr_SetString(PyExc_ValueError, "a gram has one word or more, and a run has no fewer");
        return -1;
    }
    while (slots <= winnower->run)
        slots *= 2;
    winnower->slots = slots - 1;
    winnower->gram_power = winnower->run_power = 1;
    for (size_t i = 0; i < winnower->run; i++) {
        winnower->gram_power *= i < winnower->gram ? ROLL : 1;
        winnower->run_power *= ROLL;
    }
    if (!(winnower->words = PyMem_Calloc(3 * slots, 8))) {
        PyErr_NoMemory();
        return -1;
    }
    winnower->starts = winnower->words + slots;
    winnower->grams = winnower->starts + slots;
    begin_text(winnower);
    return 0;
}

/* Takes a word. Returns whether it ends a run; `chosen` then is that of this run. */
static int add_word(Winnower *winnower, uint64_t word, uint64_t start)
{
    const size_t slots = winnower->slots, count = ++winnower->count, last = count - 1;
    const uint64_t *words = winnower->words;
    uint64_t *grams = winnower->grams;
    /* Slots that this text has not filled hold another text's words, which must not be subtracted */
    uint64_t leaves = last < winnower->gram ? 0 : words[(last - winnower->gram) & slots];
    winnower->gram_sum = winnower->gram_sum * ROLL + word - leaves * winnower->gram_power;
    leaves = last < winnower->run ? 0 : words[(last - winnower->run) & slots];
    winnower->run_sum = winnower->run_sum * ROLL + word - leaves * winnower->run_power;
    winnower->words[last & slots] = word;
    winnower->starts[last & slots] = start;
    if (count < winnower->gram)
        return 0;
    const size_t newest = count - winnower->gram;
    grams[newest & slots] = finish(winnower->gram_sum) & winnower->mask;
    if (count < winnower->run)
        return 0;
    const size_t first = count - winnower->run;
    if (!first || winnower->chosen < first) {
        winnower->chosen = newest;
        for (size_t each = newest; each-- > first;)
            if (grams[each & slots] < grams[winnower->chosen & slots])
                winnower->chosen = each;
    } else if (grams[newest & slots] <= grams[winnower->chosen & slots])
        winnower->chosen = newest;
    return 1;
}

/* Takes the word that begins here, to where it ends. */
static int take_word(Winnower *winnower, const uint8_t *texts, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *place = *at;
    uint64_t word = winnower->seed;
    for (; place < end && *place != ' ' && *place != '\n'; place++)
        word = (word ^ *place) * FINISH;
    const uint64_t start = (uint64_t)(*at - texts);
    *at = place;
    return add_word(winnower, word ^ word >> 32, start);
}

static uint64_t first_start(const Winnower *winnower)
{
    return winnower->starts[(winnower->count - winnower->run) & winnower->slots];
}

/* (texts, seed, mask, gram, run, listed): the fingerprint of the least gram of each run, uint64, and the place of the
   first of the runs that have it, int64. listed: what kernel.list_fingerprints made, if only those in it are wanted. */
PyObject *winnow(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_buffer texts;
    Py_ssize_t gram, run;
    unsigned long long seed, mask;
    int kept;
    PyObject *tuple, *result = NULL;
    Winnower winnower = {0};
    Listed listed = {0};
    Bytes columns[2] = {{0}};
    if (!PyArg_ParseTuple(args, "y*KKnnO!", &texts, &seed, &mask, &gram, &run, &PyTuple_Type, &tuple))
        return NULL;
    if (take_listed(tuple, &listed, &kept))
        goto done;
    winnower = (Winnower){.seed = seed, .mask = mask, .gram = (size_t)gram, .run = (size_t)run};
    if (new_winnower(&winnower))
        goto done;
    const uint8_t *first = texts.buf, *at = first, *end = first + texts.len;
    while (at < end) {
        size_t before = winnower.chosen;
        if (take_word(&winnower, first, &at, end) && (winnower.count == winnower.run || winnower.chosen != before)) {
            uint64_t key = winnower.grams[winnower.chosen & winnower.slots];
            if ((!listed.slots || is_listed(&listed, key)) &&
                (add_bytes(&columns[0], &key, sizeof key) || add_number(&columns[1], (int64_t)first_start(&winnower))))
                goto done;
        }
        if (at < end && *at++ == '\n')
            begin_text(&winnower);
    }
    result = Py_BuildValue("(NN)", bytes_of(&columns[0]), bytes_of(&columns[1]));
done:
    PyMem_Free(winnower.words);
    free(columns[0].data);
    free(columns[1].data);
    PyBuffer_Release(&texts);
    return result;
}

/* (texts, places, seed, mask, gram, run): the runs that begin at each place of `winnow`, up to the last that has the
   same gram: their number, int64; and the fingerprint and the place of each, uint64 and int64. */
PyObject *winnowed_runs(PyObject *Py_UNUSED(self), PyObject *args)
{
    Py_buffer texts, places;
    Py_ssize_t gram, run;
    unsigned long long seed, mask;
    PyObject *result = NULL;
    Winnower winnower = {0};
    Bytes columns[3] = {{0}};
    if (!PyArg_ParseTuple(args, "y*y*KKnn", &texts, &places, &seed, &mask, &gram, &run))
        return NULL;
    winnower = (Winnower){.seed = seed, .mask = mask, .gram = (size_t)gram, .run = (size_t)run};
    if (new_winnower(&winnower))
        goto done;
    const uint8_t *first = texts.buf, *end = first + texts.len;
    const int64_t *place = places.buf;
    for (Py_ssize_t i = 0; i < places.len / 8; i++) {
        if (place[i] < 0 || place[i] >= texts.len) {
            PyErr_SetString(PyExc_ValueError, "no place in the texts");
            goto done;
        }
        const uint8_t *at = first + place[i];
        int64_t number = 0;
        size_t chosen = 0;
        begin_text(&winnower);
        do {
            if (!take_word(&winnower, first, &at, end))
                continue;
            if (number++ && winnower.chosen != chosen) {
                number--;
                break;
            }
            chosen = winnower.chosen;
            uint64_t key = finish(winnower.run_sum) & winnower.mask;
            if (add_bytes(&columns[1], &key, sizeof key) || add_number(&columns[2], (int64_t)first_start(&winnower)))
                goto done;
        } while (at < end && *at++ == ' ');
        if (add_number(&columns[0], number))
            goto done;
    }
    result = Py_BuildValue("(NNN)", bytes_of(&columns[0]), bytes_of(&columns[1]), bytes_of(&columns[2]));
done:
    PyMem_Free(winnower.words);
    for (int i = 0; i < 3; i++)
        free(columns[i].data);
    PyBuffer_Release(&texts);
    PyBuffer_Release(&places);
    return result;
}

/* How many words at most `most` are equal from two places on, to the end of each text. */
static int64_t count_equal(const uint8_t *one, const uint8_t *one_end, const uint8_t *two, const uint8_t *two_end,
                           int64_t most)
{
    int64_t count = 0;
    while (count < most) {
        while (one < one_end && two < two_end && *one == *two && *one != ' ' && *one != '\n')
            one++, two++;
        const int one_last = one == one_end || *one == '\n', two_last = two == two_end || *two == '\n';
        if ((!one_last && *one != ' ') || (!two_last && *two != ' '))
            break;
        count++;
        if (one_last || two_last)
            break;
        one++, two++;
    }
    return count;
}

/* (texts, others, left, right, words, out): how many of so many words from each place of `left` on are those from the
   place of `right` on in the others. All int64, of one length. */
const char *equal_words(Arrays *all)
{
    const Py_buffer *texts = &all->view[0], *others = &all->view[1];
    const int64_t *left = all->view[2].buf, *right = all->view[3].buf, *words = all->view[4].buf;
    const uint8_t *first = texts->buf, *second = others->buf;
    int bad = 0;
    for (int i = 3; i < 6; i++)
        bad |= all->view[i].len != all->view[2].len;
    for (Py_ssize_t i = 0; !bad && i < all->view[2].len / 8; i++) {
        bad = left[i] < 0 || left[i] >= texts->len || right[i] < 0 || right[i] >= others->len;
        if (!bad)
            ((int64_t *)all->view[5].buf)[i] = count_equal(first + left[i], first + texts->len, second + right[i],
                                                           second + others->len, words[i]);
    }
    return bad ? "no places in the texts" : NULL;
}
