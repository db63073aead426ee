/* Reads ordinary lines into columns. line_columns.py says what they hold. */

#include "columns.h"

enum {
    DECIMALS = 12,   /* digits that a double keeps */
    RADIX_FROM = 16, /* values from which on a set is sorted by its highest bits */
    RADIX_MOST = 16  /* values with equal highest bits, beyond which qsort sorts them */
};

/* The kind of a field; the numbers are those of line_columns.Kind. */
typedef enum {
    AN_ID,
    A_LABEL,
    A_SPAN,
    A_LENGTH,
    UNITS,
    A_DOUBLE,
    A_FLAG,
    IDS,
    GROUPS,
    AT_MOST_ONCE,
    NONE,
    EQUAL,
    KINDS /* the number of kinds */
} Take;

typedef struct {
    Take take;
    int column;       /* the column that it goes to; -1 for none */
    Py_ssize_t other; /* the place of the member whose id must differ, or -1 */
    int must;         /* whether it may not be missing; of A_FLAG, whether it may not be null */
    Layout layout;
    const uint8_t *text; /* of EQUAL; NULL if the member must be absent */
    size_t text_size;
} Field;

typedef struct {
    int count, columns, paths;
    Member members[MOST_FIELDS];
    Field fields[MOST_FIELDS];
} Wanted;

void free_columns(Columns *columns)
{
    for (Column *column = columns->columns; column < columns->columns + MOST_FIELDS; column++) {
        free(column->data.data);
        free(column->sizes.data);
        free(column->starts.data);
    }
    free(columns->starts.data);
    free(columns->lasts.data);
    free(columns->sorted.data);
    free(columns->text.data);
    free(columns->shingles.room.data);
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
    if (count > RADIX_FROM) {
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
        if (crowd > RADIX_MOST) {
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

int add_set(Column *column, const Layout *layout, uint64_t *values, size_t count, Bytes *room)
{
    if (sort_words(values, count, layout->digits == 8 ? 32 : 64, room))
        return -1;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!i || values[i] != values[i - 1])
            values[kept++] = values[i];
    if (add_bytes(&column->data, values, kept * sizeof *values))
        return -1;
    return add_number(&column->sizes, (int64_t)(kept * sizeof *values));
}

PyObject *columns_read(const Columns *columns, int count, const Lines *lines)
{
    PyObject *every = PyTuple_New(count);
    for (int i = 0; every && i < count; i++) {
        const Column *column = &columns->columns[i];
        PyObject *parts = Py_BuildValue("(NNN)", bytes_of(&column->data), bytes_of(&column->sizes),
                                        bytes_of(&column->starts));
        if (!parts || PyTuple_SetItem(every, i, parts))
            Py_CLEAR(every);
    }
    return every ? Py_BuildValue("(LnNNN)", (long long)lines->rows, (Py_ssize_t)(lines->line - lines->first),
                                 bytes_of(&columns->starts), bytes_of(&columns->lasts), every)
                 : NULL;
}

/* A number from 0 to 9.99..., in units of 10^-DECIMALS; -1 if it has another form. */
static int64_t scaled(const Member *member)
{
    const uint8_t *at = member->value, *end = member->end;
    if (at == end || *at < '0' || *at > '9')
        return -1;
    int64_t value = *at++ - '0';
    int decimals = 0;
    if (at < end && *at++ != '.')
        return -1;
    for (; at < end && decimals < DECIMALS && *at >= '0' && *at <= '9'; decimals++)
        value = 10 * value + *at++ - '0';
    if (at < end)
        return -1;
    for (; decimals < DECIMALS; decimals++)
        value *= 10;
    return value;
}

/* The number of characters in UTF-8. */
static int64_t characters(const uint8_t *text, size_t size)
{
    int64_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += (text[i] & 0xC0) != 0x80;
    return count;
}

/* Whether a payload has a capital letter; ordinary digits are in lower case. */
VECTORS static int has_capitals(const uint8_t *text, size_t size)
{
    uint8_t capitals = 0;
    for (size_t i = 0; i < size; i++)
        capitals |= (text[i] & 0x60) == 0x40;
    return capitals;
}

/* The functions below return 1; 0 if a line with this value is not ordinary; -1 with an exception. */

/* Adds a value as it is spelled, and where it starts. */
static int add_value(Column *column, const Member *member, const uint8_t *first)
{
    const size_t size = (size_t)(member->end - member->value);
    return add_bytes(&column->data, member->value, size) || add_number(&column->sizes, (int64_t)size) ||
                   add_number(&column->starts, member->value - first)
               ? -1
               : 1;
}

static int are_equal(const Member *one, const Member *two)
{
    return one->end - one->value == two->end - two->value &&
           !memcmp(one->value, two->value, (size_t)(one->end - one->value));
}

static int add_ids(Column *column, const Member *list)
{
    int64_t count = 0;
    if (list->kind != OTHER || *list->value != '[')
        return 0;
    const uint8_t *at = skip_blanks(list->value + 1);
    while (*at != ']') { /* the list is JSON, so there is a next thing, and a byte after it */
        Member id;
        if (!find_scalar(at, list->end, &id) || !is_id(&id))
            return 0;
        if (add_bytes(&column->data, id.value, (size_t)(id.end - id.value)) ||
            add_number(&column->sizes, id.end - id.value))
            return -1;
        at = skip_blanks(id.end);
        count++;
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    return add_number(&column->starts, count) ? -1 : 1;
}

/* Adds a payload that is not empty, and where it starts; -1 for one that is not in lower case. */
static int add_groups(Columns *columns, Column *column, const Layout *layout, const Member *member,
                      const uint8_t *first)
{
    if (member->kind != STRING)
        return 0;
    const uint8_t *text = member->value + 1;
    const size_t size = (size_t)(member->end - 1 - text);
    Shingles *shingles = &columns->shingles;
    if (layout->size && (size + 1) * (layout->digits / 2) != layout->size * (layout->digits + 1))
        return 0;
    const int read = layout->size ? read_bytes(text, size, layout->digits, &column->data)
                                : read_groups(text, size, layout->digits, shingles);
    if (read < 1)
        return read;
    return (layout->size ? add_number(&column->sizes, (int64_t)layout->size)
                       : add_set(column, layout, shingles->values, shingles->count, &columns->sorted)) ||
                   add_number(&column->starts, has_capitals(text, size) ? -1 : member->value - first)
               ? -1
               : 1;
}

static int add_length(Columns *columns, Column *column, const Member *member)
{
    const uint8_t *text;
    size_t size;
    columns->text.used = 0;
    if (!is_text(member))
        return 0;
    return text_of(member, &columns->text, &text, &size) || add_number(&column->data, characters(text, size)) ? -1 : 1;
}

static int add_decimal(Column *column, const Field *field, const Member *member)
{
    const int there = member->kind != ABSENT;
    const int64_t units = there ? scaled(member) : -1;
    if ((there && units < 0) || (!there && field->must))
        return 0;
    const double value = there ? (double)units / 1e12 : -Py_HUGE_VAL; /* of exact numbers: the nearest double */
    return (field->take == UNITS ? add_number(&column->data, units) : add_bytes(&column->data, &value, sizeof value))
               ? -1
               : 1;
}

static int add_flag(Column *column, const Field *field, const Member *member)
{
    const int there = member->kind != ABSENT;
    const uint8_t flag = there && *member->value == 't';
    if (there && (member->end - member->value != 4 || (!flag && (field->must || *member->value != 'n'))))
        return 0;
    return add_bytes(&column->data, &flag, 1) ? -1 : 1;
}

static int add_span(Column *column, const Member *member, const uint8_t *first)
{
    const int there = member->kind != ABSENT;
    return add_number(&column->data, there ? member->value - first : 0) ||
                   add_number(&column->data, there ? member->end - first : 0)
               ? -1
               : 1;
}

static int has_text(const Field *field, const Member *member)
{
    return field->text ? member->kind == STRING && (size_t)(member->end - member->value) == field->text_size + 2 &&
                             !memcmp(member->value + 1, field->text, field->text_size)
                       : member->kind == ABSENT;
}

static int take_member(Columns *columns, const Wanted *wanted, int place, const uint8_t *first)
{
    const Field *field = &wanted->fields[place];
    const Member *member = &wanted->members[place];
    Column *column = field->column < 0 ? NULL : &columns->columns[field->column];
    switch (field->take) {
    case AN_ID:
        return is_id(member) && (field->other < 0 || !are_equal(member, &wanted->members[field->other]))
                   ? add_value(column, member, first)
                   : 0;
    case A_LABEL:
        if (member->kind == ABSENT && !field->must)
            return add_number(&column->sizes, 0) || add_number(&column->starts, -1) ? -1 : 1;
        return member->kind != ABSENT && *member->value != '{' && *member->value != '['
                   ? add_value(column, member, first)
                   : 0;
    case A_SPAN:
        return add_span(column, member, first);
    case A_LENGTH:
        return add_length(columns, column, member);
    case UNITS:
    case A_DOUBLE:
        return add_decimal(column, field, member);
    case A_FLAG:
        return add_flag(column, field, member);
    case IDS:
        return add_ids(column, member);
    case GROUPS:
        return add_groups(columns, column, &field->layout, member, first);
    case NONE:
        return member->kind == ABSENT;
    case EQUAL:
        return has_text(field, member);
    default:
        return 1;
    }
}

/* Adds a row; if it returns 0, nothing was added. */
static int take_line(Columns *columns, Wanted *wanted, const Lines *lines)
{
    const uint8_t *first = lines->first, *line = lines->line, *end = lines->stop, *last;
    size_t before[MOST_FIELDS][3];
    if (!find_members(line, end, wanted->members, wanted->count, &last) ||
        (wanted->paths && !find_nested(line, end, wanted->members, wanted->count)))
        return 0;
    for (int i = 0; i < wanted->columns; i++) {
        const Column *column = &columns->columns[i];
        before[i][0] = column->data.used;
        before[i][1] = column->sizes.used;
        before[i][2] = column->starts.used;
    }
    int good = 1;
    for (int i = 0; good > 0 && i < wanted->count; i++)
        good = take_member(columns, wanted, i, first);
    for (int i = 0; !good && i < wanted->columns; i++) {
        Column *column = &columns->columns[i];
        column->data.used = before[i][0];
        column->sizes.used = before[i][1];
        column->starts.used = before[i][2];
    }
    return good > 0 && (add_number(&columns->starts, line - first) || add_number(&columns->lasts, last - first)) ? -1
                                                                                                              : good;
}

/* Reads the fields; what they point to lives as long as the arguments. */
static int take_fields(Wanted *wanted, PyObject *fields)
{
    if (PyTuple_Size(fields) > MOST_FIELDS) {
        PyErr_SetString(PyExc_ValueError, "too many fields");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(fields); i++) {
        Member *member = &wanted->members[i];
        Field *field = &wanted->fields[i];
        const char *name, *text;
        Py_ssize_t name_size, digits, size, shared, text_size;
        int kind;
        if (!PyArg_ParseTuple(PyTuple_GetItem(fields, i), "y#innnpnz#", &name, &name_size, &kind, &digits, &size,
                              &shared, &field->must, &field->other, &text, &text_size))
            return -1;
        if (kind < 0 || kind >= KINDS || shared >= i || field->other >= PyTuple_Size(fields) ||
            (shared >= 0 && wanted->fields[shared].column < 0) ||
            (kind == GROUPS && (!is_width(digits) || (!size && digits < 8)))) {
            PyErr_SetString(PyExc_ValueError, "no field of this form");
            return -1;
        }
        *member = (Member){.name = (const uint8_t *)name, .name_size = (size_t)name_size};
        wanted->paths |= is_path(member);
        field->take = (Take)kind;
        field->layout = (Layout){(size_t)digits, (size_t)size};
        field->text = (const uint8_t *)text;
        field->text_size = (size_t)text_size;
        field->column = kind >= AT_MOST_ONCE ? -1 : shared >= 0 ? wanted->fields[shared].column : wanted->columns++;
    }
    wanted->count = (int)PyTuple_Size(fields);
    return 0;
}

/* (lines, at, fields): reads ordinary lines from `at` on, up to the first other line. Returns (number of rows, start of
   the next line, start of each row, end of each row's last value, columns). It releases Python's lock. */
PyObject *read_columns(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *data, *fields, *result = NULL;
    Py_ssize_t start;
    Lines lines;
    Wanted wanted = {0};
    if (!PyArg_ParseTuple(args, "O!nO!", &PyBytes_Type, &data, &start, &PyTuple_Type, &fields) ||
        begin_lines(&lines, data, start) || take_fields(&wanted, fields))
        return NULL;
    Columns columns = {0};
    int taken = 1;
    Py_BEGIN_ALLOW_THREADS
    while (has_line(&lines) && (taken = take_line(&columns, &wanted, &lines)) > 0)
        next_line(&lines);
    Py_END_ALLOW_THREADS
    if (taken >= 0)
        result = columns_read(&columns, wanted.columns, &lines);
    free_columns(&columns);
    return result;
}
