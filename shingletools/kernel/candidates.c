/* Which sets that share a token, in memory the first one that they share, may be a pair; arrays.h describes the
   arrays. */

#include "arrays.h"

/* A set that has a token: its size; what its tokens from there on count, the rarest first; a bit for each parity of
   tokens by their hash; where its prefix starts, or -1; and the token's place there. Of weighted sets, size and rest are
   weights, and there are no bits. */
typedef struct {
    int64_t size, rest;
    uint64_t bits[2];
    int64_t start, place;
} Entry;

typedef struct { /* prefixes of sets: tokens, each by ascending counter, then token */
    const uint64_t *tokens;
    const uint32_t *counters;
    int64_t number;
} Prefixes;

enum { SUM, SMALLER, PRODUCT, CONSTANT }; /* as in overlap_bound.py */

/* Whether an overlap may be enough for sets of these sizes, a <= b. A share is a little less than the exact one. */
static inline int may_reach(double overlap, double a, double b, int kind, double share)
{
    switch (kind) {
    case SUM:
        return overlap >= share * (a + b);
    case SMALLER:
        return overlap >= share * a;
    case PRODUCT:
        return overlap * overlap >= share * (a * b);
    default:
        return overlap >= share;
    }
}

/* Whether two prefixes have the same token at these places, and none in common before it. */
static inline int is_first_shared(Prefixes all, int64_t one, int64_t place_one, int64_t two, int64_t place_two)
{
    int64_t end_one = one + place_one, end_two = two + place_two;
    if (all.tokens[end_one] != all.tokens[end_two])
        return 0; /* of buckets by a part of the token's bits */
    while (one < end_one && two < end_two) { /* backwards, since most tokens that sets share are frequent */
        uint64_t a = all.tokens[end_one - 1], b = all.tokens[end_two - 1];
        uint32_t of_a = all.counters[end_one - 1], of_b = all.counters[end_two - 1];
        if (a == b)
            return 0;
        int before = of_a < of_b || (of_a == of_b && a < b);
        end_one -= !before;
        end_two -= before;
    }
    return 1;
}

VECTORS static int64_t candidates_of(const Entry *entries, const Entry *targets, const int64_t *starts,
                                     const int64_t *counts, int64_t number, int kind, double share, Prefixes prefixes,
                                     int64_t *out)
{
    int64_t found = 0;
    for (int64_t i = 0; i < number; i++) {
        Entry one = entries[i];
        double size = (double)one.size, most_of_one = (double)(one.rest < one.size ? one.rest : one.size);
        for (int64_t k = starts[i]; k < starts[i] + counts[i]; k++) {
            const Entry *two = &targets[k];
            if (!may_reach(most_of_one, size, (double)two->size, kind, share))
                break; /* those after it are no smaller */
            int64_t rest = one.rest < two->rest ? one.rest : two->rest;
            int64_t differing = __builtin_popcountll(one.bits[0] ^ two->bits[0]) +
                                __builtin_popcountll(one.bits[1] ^ two->bits[1]);
            double most = (double)(one.size + two->size - differing) / 2;
            if (!may_reach((double)rest < most ? (double)rest : most, size, (double)two->size, kind, share))
                continue;
            if (one.start >= 0 && !is_first_shared(prefixes, one.start, one.place, two->start, two->place))
                continue;
            out[2 * found] = i;
            out[2 * found++ + 1] = k;
        }
    }
    return found;
}

/* Whether all entries have places in prefixes, or all have none. */
static int are_entries(const Entry *each, int64_t number, Prefixes prefixes)
{
    int bad = 0;
    for (int64_t i = 0; i < number && !bad; i++)
        bad = prefixes.number ? each[i].start < 0 || each[i].place < 0 || each[i].place >= prefixes.number ||
                                    each[i].start >= prefixes.number - each[i].place
                              : each[i].start != -1;
    return !bad;
}

/* No tokens if the entries have no prefixes. Returns how many there are. */
const char *bounded_candidates(Arrays *all)
{
    const Py_buffer *view = all->view;
    const int64_t *starts = view[2].buf, *counts = view[3].buf;
    Prefixes prefixes = {view[4].buf, view[5].buf, view[4].len / 8};
    const Py_ssize_t width = sizeof(Entry);
    int64_t number = view[2].len / 8, targets = view[1].len / width, total = 0, low = targets, high = 0;
    int bad = view[5].len / 4 != prefixes.number || view[0].len != width * number || view[1].len % width ||
              view[3].len / 8 != number || !are_entries(view[0].buf, number, prefixes);
    for (int64_t i = 0; i < number && !bad; i++) {
        bad = starts[i] < 0 || counts[i] < 0 || counts[i] > targets || starts[i] > targets - counts[i];
        if (bad || !counts[i])
            continue;
        total += counts[i];
        low = starts[i] < low ? starts[i] : low;
        high = starts[i] + counts[i] > high ? starts[i] + counts[i] : high;
    }
    /* Only targets that are looked at: one call has few of the buckets that the array holds */
    bad = bad || (low < high && !are_entries((const Entry *)view[1].buf + low, high - low, prefixes));
    if (bad || view[6].len / 16 < total)
        return MISFIT;
    all->result = candidates_of(view[0].buf, view[1].buf, starts, counts, number, (int)all->number[0], all->share,
                                prefixes, view[6].buf);
    return NULL;
}
