#include "json_members.h"

/* 0 if none of eight bytes ends a plain run of a JSON string: a quote, a backslash or a control character. If one does,
   higher bytes than the lowest such one may be marked, too. */
static inline uint64_t marks_in(uint64_t eight)
{
    uint64_t quote = (eight ^ EACH('"')) - EACH(1), backslash = (eight ^ EACH('\\')) - EACH(1);
    return ((eight - EACH(0x20)) | quote | backslash) & ~eight & EACH(0x80);
}

static inline int is_mark(uint8_t byte)
{
    return byte == '"' || byte == '\\' || byte < 0x20;
}

/* The first byte that ends a plain run, or `end`; *seen is OR-ed with all bytes that were read. */
static inline const uint8_t *plain_end(const uint8_t *at, const uint8_t *end, uint64_t *seen)
{
    for (; end - at >= 8; at += 8) {
        const uint64_t eight = first_low(load_8(at)), marks = marks_in(eight);
        *seen |= eight;
        if (marks)
            return at + BYTES_BELOW(marks);
    }
    while (at < end && !is_mark(*at))
        *seen |= *at++;
    return at;
}

/* The value of four hex digits, or -1. */
static inline int32_t four_digits(const uint8_t *at)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = digit_of(at[i]);
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* The character that begins with the \u at `at`, and its end; -1 if it is no character, or half of one. */
static inline int32_t escaped_character(const uint8_t **at, const uint8_t *end)
{
    if (end - *at < 6)
        return -1;
    int32_t code = four_digits(*at + 2);
    *at += 6;
    if (code < 0xD800 || code > 0xDFFF)
        return code;
    if (code > 0xDBFF || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return -1;
    int32_t low = four_digits(*at + 2);
    if (low < 0xDC00 || low > 0xDFFF)
        return -1;
    *at += 6;
    return 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
}

/* The end of the string whose quote is at `at`, or NULL. */
static const uint8_t *skip_string(const uint8_t *at, const uint8_t *end, uint64_t *seen, Kind *kind)
{
    *kind = STRING;
    at++;
    for (;;) {
        at = plain_end(at, end, seen);
        if (*at == '"' && at < end)
            return at + 1;
        if (*at != '\\' || end - at < 2)
            return NULL;
        *kind = ESCAPED;
        switch (at[1]) {
        case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
            at += 2;
            break;
        case 'u':
            if (escaped_character(&at, end) < 0)
                return NULL;
            break;
        default:
            return NULL;
        }
    }
}

static inline const uint8_t *skip_digits(const uint8_t *at)
{
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

static const uint8_t *skip_number(const uint8_t *at, Kind *kind)
{
    const uint8_t *start = at, *part;
    *kind = INTEGER;
    at += *at == '-';
    part = at;
    at = skip_digits(at);
    if (at == part || (*part == '0' && at > part + 1))
        return NULL;
    if (*at == '.') {
        *kind = OTHER;
        part = ++at;
        at = skip_digits(at);
        if (at == part)
            return NULL;
    }
    if (*at == 'e' || *at == 'E') {
        *kind = OTHER;
        at++;
        at += *at == '+' || *at == '-';
        part = at;
        at = skip_digits(at);
        if (at == part || at - part > 2)
            return NULL;
    }
    return at - start <= LONGEST_NUMBER ? at : NULL;
}

/* The end of a string, number or literal, or NULL. */
static inline const uint8_t *skip_scalar(const uint8_t *at, const uint8_t *end, uint64_t *seen, Kind *kind)
{
    *kind = OTHER;
    switch (*at) {
    case '"':
        return skip_string(at, end, seen, kind);
    case 't':
        return end - at >= 4 && !memcmp(at, "true", 4) ? at + 4 : NULL;
    case 'f':
        return end - at >= 5 && !memcmp(at, "false", 5) ? at + 5 : NULL;
    case 'n':
        return end - at >= 4 && !memcmp(at, "null", 4) ? at + 4 : NULL;
    }
    return skip_number(at, kind);
}

int find_scalar(const uint8_t *at, const uint8_t *end, Member *found)
{
    uint64_t seen = 0;
    found->value = at;
    found->end = skip_scalar(at, end, &seen, &found->kind);
    return found->end != NULL;
}

/* The end of a name, its colon and blanks, or NULL. */
static inline const uint8_t *skip_name(const uint8_t *at, const uint8_t *end, uint64_t *seen, Kind *kind)
{
    if (*at != '"' || !(at = skip_string(at, end, seen, kind)))
        return NULL;
    at = skip_blanks(at);
    return *at == ':' ? skip_blanks(at + 1) : NULL;
}

/* The end of an array or object, or NULL. */
static const uint8_t *skip_brackets(const uint8_t *at, const uint8_t *end, uint64_t *seen)
{
    uint64_t objects = 0; /* a bit for each open bracket, the innermost in the lowest: whether it is an object */
    int depth = 0;
    Kind kind;
    for (;;) {
        if (*at == '{' || *at == '[') {
            if (++depth > DEEPEST)
                return NULL;
            objects = objects << 1 | (*at == '{');
            uint8_t close = (uint8_t)(*at + 2);
            at = skip_blanks(at + 1);
            if (*at != close) {
                if (objects & 1 && !(at = skip_name(at, end, seen, &kind)))
                    return NULL;
                continue;
            }
        } else {
            if (!(at = skip_scalar(at, end, seen, &kind)))
                return NULL;
            at = skip_blanks(at);
        }
        while (*at == (objects & 1 ? '}' : ']')) {
            at++;
            objects >>= 1;
            if (!--depth)
                return at;
            at = skip_blanks(at);
        }
        if (*at != ',')
            return NULL;
        at = skip_blanks(at + 1);
        if (objects & 1 && !(at = skip_name(at, end, seen, &kind)))
            return NULL;
    }
}

int find_value(const uint8_t *at, const uint8_t *end, Member *found)
{
    uint64_t seen = 0;
    if (*at != '{' && *at != '[')
        return find_scalar(at, end, found);
    found->kind = OTHER;
    found->value = at;
    found->end = skip_brackets(at, end, &seen);
    return found->end != NULL;
}

static inline int is_rest(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Whether a line is UTF-8 by The Unicode Standard, table 3-7: no surrogates, no overlong forms. Its first two bytes and
   its last are ASCII. Without branches, so that compilers look at many bytes at once. */
VECTORS static int is_utf8(const uint8_t *line, size_t size)
{
    uint8_t bad = is_rest(line[2]);
    for (size_t i = 3; i < size; i++) {
        const uint8_t byte = line[i], last = line[i - 1];
        const uint8_t wanted = (last >= 0xC0) | (line[i - 2] >= 0xE0) | (line[i - 3] >= 0xF0);
        bad |= wanted ^ is_rest(byte);
        bad |= (last == 0xC0) | (last == 0xC1) | (last > 0xF4);
        bad |= ((last == 0xE0) & (byte < 0xA0)) | ((last == 0xED) & (byte > 0x9F));
        bad |= ((last == 0xF0) & (byte < 0x90)) | ((last == 0xF4) & (byte > 0x8F));
    }
    return !bad;
}

/* Fills in the wanted members of this name; 0 if one of them was met before. */
static int take_wanted(Member *members, int count, const Member *found)
{
    for (Member *member = members; member < members + count; member++)
        if (member->name_size == found->name_size && *member->name == *found->name &&
            !memcmp(member->name, found->name, found->name_size)) {
            if (member->kind)
                return 0;
            member->kind = found->kind;
            member->name_at = found->name_at;
            member->value = found->value;
            member->end = found->end;
        }
    return 1;
}

int find_members(const uint8_t *line, const uint8_t *end, Member *members, int count, const uint8_t **last)
{
    uint64_t seen = 0;
    for (int i = 0; i < count; i++)
        members[i].kind = ABSENT;
    const uint8_t *at = skip_blanks(line);
    if (*at != '{')
        return 0;
    do {
        Member found;
        Kind name;
        at = skip_blanks(at + 1);
        found.name_at = at;
        if (*at != '"' || !(at = skip_string(at, end, &seen, &name)) || name == ESCAPED)
            return 0;
        found.name = found.name_at + 1;
        found.name_size = (size_t)(at - 1 - found.name);
        at = skip_blanks(at);
        if (*at != ':')
            return 0;
        found.value = at = skip_blanks(at + 1);
        found.kind = OTHER;
        at = *at == '{' || *at == '[' ? skip_brackets(at, end, &seen) : skip_scalar(at, end, &seen, &found.kind);
        if (!at)
            return 0;
        *last = found.end = at;
        if (!take_wanted(members, count, &found))
            return 0;
        at = skip_blanks(at);
    } while (*at == ',');
    if (*at != '}' || (at + 1 != end && skip_blanks(at + 1) != end)) /* only blanks may follow the object */
        return 0;
    return !(seen & EACH(0x80)) || is_utf8(line, (size_t)(end - line));
}

static int follow(const uint8_t *line, const uint8_t *end, Member *member)
{
    const uint8_t *name = member->name, *name_end = name + member->name_size, *last;
    for (;;) {
        const uint8_t *dot = memchr(name, '.', (size_t)(name_end - name));
        Member step = {.name = name, .name_size = (size_t)((dot ? dot : name_end) - name)};
        if (!find_members(line, end, &step, 1, &last))
            return 0;
        if (step.kind == ABSENT)
            return 1;
        if (!dot) {
            member->nested = 1;
            member->kind = step.kind;
            member->name_at = step.name_at;
            member->value = step.value;
            member->end = step.end;
            return 1;
        }
        if (*step.value != '{')
            return 1;
        line = step.value;
        end = step.end;
        name = dot + 1;
    }
}

int find_nested(const uint8_t *line, const uint8_t *end, Member *members, int count)
{
    for (Member *member = members; member < members + count; member++) {
        member->nested = 0;
        if (member->kind == ABSENT && is_path(member) && !follow(line, end, member))
            return 0;
    }
    return 1;
}

int is_id(const Member *member)
{
    if (member->kind == STRING)
        return 1;
    /* -0 is 0, and integers of more than 18 digits may need more than 64 bits */
    return member->kind == INTEGER && member->end - member->value <= 18 &&
           !(member->value[0] == '-' && member->value[1] == '0');
}

static size_t put_character(uint8_t *at, int32_t code)
{
    if (code < 0x80) {
        at[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        at[0] = (uint8_t)(0xC0 | code >> 6);
        at[1] = (uint8_t)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        at[0] = (uint8_t)(0xE0 | code >> 12);
        at[1] = (uint8_t)(0x80 | (code >> 6 & 63));
        at[2] = (uint8_t)(0x80 | (code & 63));
        return 3;
    }
    at[0] = (uint8_t)(0xF0 | code >> 18);
    at[1] = (uint8_t)(0x80 | (code >> 12 & 63));
    at[2] = (uint8_t)(0x80 | (code >> 6 & 63));
    at[3] = (uint8_t)(0x80 | (code & 63));
    return 4;
}

int text_of(const Member *member, Bytes *room, const uint8_t **text, size_t *size)
{
    static const uint8_t MEANT[256] = {
        ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t',
    };
    const uint8_t *at = member->value + 1, *end = member->end - 1;
    *text = at;
    *size = (size_t)(end - at);
    if (member->kind == STRING)
        return 0;
    if (grow(room, *size + 8)) /* no escape stands for more bytes than it has */
        return -1;
    uint8_t *start = room->data + room->used, *to = start;
    uint64_t seen = 0;
    while (at < end) {
        const uint8_t *stop = plain_end(at, end, &seen);
        memcpy(to, at, (size_t)(stop - at));
        to += stop - at;
        at = stop;
        while (at < end && *at == '\\') {
            if (at[1] == 'u') {
                to += put_character(to, escaped_character(&at, end));
            } else {
                *to++ = MEANT[at[1]];
                at += 2;
            }
        }
    }
    *to = 0;
    *text = start;
    *size = (size_t)(to - start);
    return 0;
}

int add_quoted(Bytes *out, const uint8_t *text, size_t size)
{
    static const char *const HEX = "0123456789abcdef";
    static const uint8_t SHORT[32] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    const uint8_t *at = text, *end = text + size;
    uint64_t seen = 0;
    if (grow(out, size + 2))
        return -1;
    out->data[out->used++] = '"';
    for (;;) {
        const uint8_t *stop = plain_end(at, end, &seen);
        if (add_bytes(out, at, (size_t)(stop - at)) || grow(out, 8))
            return -1;
        uint8_t *to = out->data + out->used;
        if (stop == end) {
            *to = '"';
            out->used++;
            return 0;
        }
        to[0] = '\\';
        if (*stop >= 0x20) {
            to[1] = *stop;
        } else if (SHORT[*stop]) {
            to[1] = SHORT[*stop];
        } else {
            memcpy(to + 1, "u00", 3);
            to[4] = (uint8_t)HEX[*stop >> 4];
            to[5] = (uint8_t)HEX[*stop & 15];
            out->used += 4;
        }
        out->used += 2;
        at = stop + 1;
    }
}
