/* Which documents of pairs stay. See independent_set.py.

   Documents, ends and places of ends are int32, similarities doubles. Pairs: the ends, two for each pair; for each end,
   the place of the last one before it of the same document, or -1; for each document, the place of its last end, or -1;
   the similarity of each pair; a byte for each pair, with bits for its first and its second end: whether that may go
   for the other one. Kept: for each document, its partner, or -1, and the similarity to that. */

#include "arrays.h"

#include <stdlib.h>

enum { ENDS, BEFORE, LAST, SIMILARITY, MAY_GO }; /* arrays of pairs */
enum { GONE, STAYS, OPEN };

static const char NO_PAIRS[] = "no pairs of these documents";

/* (ends, before, last): sets `before` and `last`. */
const char *list_ends(Arrays *all)
{
    const Py_buffer *pairs = all->view;
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
    return good ? NULL : NO_PAIRS;
}

/* The ends of pairs, whose lists can be followed from document to document. */
typedef struct {
    const int32_t *ends, *before, *last;
    const uint8_t *may_go;
    const double *similarity;
    Py_ssize_t places, documents;
} Ends;

/* Reads pairs of so many documents; returns 0 if the arrays are not as long as they should be. */
static int read_ends(const Py_buffer *pairs, Py_ssize_t documents, Ends *to)
{
    const Py_ssize_t word = sizeof(int32_t), places = pairs[ENDS].len / word;
    *to = (Ends){pairs[ENDS].buf,       pairs[BEFORE].buf, pairs[LAST].buf, pairs[MAY_GO].buf,
                 pairs[SIMILARITY].buf, places,            documents};
    return places % 2 == 0 && pairs[BEFORE].len == word * places && pairs[LAST].len == word * documents &&
           pairs[MAY_GO].len == places / 2 && pairs[SIMILARITY].len == (Py_ssize_t)sizeof(double) * places / 2;
}

/* Whether the end at a place may go for the other one. */
static int may_go(const Ends *pairs, int32_t place)
{
    return pairs->may_go[place / 2] >> (place & 1) & 1;
}

/* The other end of the pair at a place of a list, which must be below the place above it, so that the list ends
   whatever the arrays hold; -1 if it is not, or if there is no such document. */
static int32_t other_end(const Ends *pairs, int32_t at, int32_t above)
{
    const int32_t other = at < above && at < pairs->places ? pairs->ends[at ^ 1] : -1;
    return other < pairs->documents ? other : -1;
}

/* (documents, pairs, kept): takes documents, int64, and sets their partners. */
const char *greedy_independent_set(Arrays *arrays)
{
    const Py_buffer *taken = &arrays->view[0], *pairs = taken + 1, *partners = taken + 6, *similarities = taken + 7;
    const Py_ssize_t documents = partners->len / (Py_ssize_t)sizeof(int32_t);
    const int64_t *document = taken->buf, *end = document + taken->len / (Py_ssize_t)sizeof *document;
    int32_t *partner = partners->buf;
    double *to_it = similarities->buf;
    Ends all;
    int good = read_ends(pairs, documents, &all) && similarities->len == (Py_ssize_t)sizeof *to_it * documents;
    for (; good && document < end; document++) {
        good = *document >= 0 && *document < documents;
        if (!good || partner[*document] >= 0)
            continue;
        int32_t at = all.last[*document], above = INT32_MAX;
        for (; good && at >= 0; above = at, at = all.before[at]) {
            const int32_t other = other_end(&all, at, above);
            good = other >= 0;
            if (!good)
                break;
            if (may_go(&all, at ^ 1) && (partner[other] < 0 || all.similarity[at / 2] > to_it[other])) {
                partner[other] = (int32_t)*document;
                to_it[other] = all.similarity[at / 2];
            }
        }
    }
    return good ? NULL : NO_PAIRS;
}

/* (documents, pairs, state): decides on documents, of which `documents`, int64, are first by preference. */
const char *decide_by_cover(Arrays *arrays)
{
    const Py_buffer *taken = &arrays->view[0], *pairs = taken + 1, *states = taken + 6;
    const int64_t *first = taken->buf, *end = first + taken->len / (Py_ssize_t)sizeof *first;
    uint8_t *state = states->buf;
    const Py_ssize_t documents = states->len;
    /* For each document, the pairs by which it may go and whose other end has not gone; and those just decided */
    int32_t *waiting = calloc((size_t)documents + 1, sizeof *waiting);
    int32_t *decided = malloc(((size_t)documents + 1) * sizeof *decided);
    Py_ssize_t count = 0;
    Ends all;
    int good = waiting && decided && read_ends(pairs, documents, &all) && all.places <= INT32_MAX &&
               documents < INT32_MAX;
    for (int32_t at = 0; good && at < all.places; at++) {
        good = all.ends[at] >= 0 && all.ends[at] < documents;
        if (good)
            waiting[all.ends[at]] += may_go(&all, at);
    }
    for (int32_t i = 0; good && i < documents; i++)
        if (state[i] != OPEN)
            decided[count++] = i;
    for (const int64_t *document = first; good && document < end; document++) {
        good = *document >= 0 && *document < documents;
        if (good && state[*document] == OPEN && !waiting[*document]) {
            state[*document] = STAYS;
            decided[count++] = (int32_t)*document;
        }
    }
    while (good) {
        while (good && count) {
            const int32_t document = decided[--count];
            int32_t at = all.last[document], above = INT32_MAX;
            for (; good && at >= 0; above = at, at = all.before[at]) {
                const int32_t other = other_end(&all, at, above);
                good = other >= 0;
                if (!good)
                    break;
                if (!may_go(&all, at ^ 1) || state[other] != OPEN || (state[document] == GONE && --waiting[other]))
                    continue;
                state[other] = state[document] == GONE ? STAYS : GONE;
                decided[count++] = other;
            }
        }
        while (first < end && state[*first] != OPEN)
            first++;
        if (first == end)
            break;
        state[*first] = STAYS;
        decided[count++] = (int32_t)*first;
    }
    const int memory = waiting && decided;
    free(waiting);
    free(decided);
    return good ? NULL : memory ? NO_PAIRS : NO_MEMORY;
}

/* (pairs, partner): sets the partners of documents. */
const char *greedy_independent_set_of_pairs(Arrays *arrays)
{
    const Py_buffer *pairs = &arrays->view[0], *partners = &arrays->view[1];
    const uint64_t *pair = pairs->buf, *end = pair + pairs->len / (Py_ssize_t)sizeof *pair;
    int32_t *partner = partners->buf;
    const uint64_t documents = (uint64_t)partners->len / sizeof *partner;
    int good = documents <= (uint64_t)INT32_MAX + 1;
    for (; good && pair < end; pair++) {
        const uint64_t lesser = *pair >> 32, greater = *pair & UINT32_MAX;
        good = lesser < greater && greater < documents;
        if (good && partner[lesser] < 0 && partner[greater] < 0)
            partner[greater] = (int32_t)lesser;
    }
    return good ? NULL : NO_PAIRS;
}
