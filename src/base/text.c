/* Strings, numbers and names. */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

void rps_text_init(rps_text *text, const rps_allocator *allocator, size_t limit) {
    *text = (rps_text){.allocator = allocator, .limit = limit, .status = RPS_OK};
}

void rps_text_release(rps_text *text) {
    void *p = text->data;
    rps_buffer_release(text->allocator, &p, &text->capacity);
    rps_text_init(text, text->allocator, text->limit);
}

void rps_text_clear(rps_text *text) {
    text->length = 0;
    text->status = RPS_OK;
    if (text->data) {
        text->data[0] = '\0';
    }
}

const char *rps_text_string(const rps_text *text) {
    return text->data ? text->data : "";
}

/* Ensures capacity for n more bytes and the terminating zero. */
static rps_status text_reserve(rps_text *text, size_t n, rps_error *err) {
    if (text->status != RPS_OK) {
        return rps_fail(err, text->status, "this text could not grow before and was not cleared since");
    }
    if (n > text->limit - text->length) {
        return text->status = rps_fail(err, RPS_BAD_INPUT, "a text of %zu bytes cannot take %zu more; its limit is %zu",
                                       text->length, n, text->limit);
    }
    size_t wanted;
    if (!rps_size_add(text->length + n, 1, &wanted)) {
        return text->status = rps_fail(err, RPS_NO_MEMORY, "a text of %zu bytes exceeds the address space", n);
    }
    void *p = text->data;
    size_t used = text->data ? text->length + 1 : 0;
    text->status = rps_buffer_reserve(text->allocator, &p, &text->capacity, used, wanted, err);
    text->data = p;
    return text->status;
}

rps_status rps_text_add_bytes(rps_text *text, const char *bytes, size_t n, rps_error *err) {
    RPS_TRY(text_reserve(text, n, err));
    if (n) {
        memcpy(text->data + text->length, bytes, n);
    }
    text->length += n;
    text->data[text->length] = '\0';
    return RPS_OK;
}

rps_status rps_text_add(rps_text *text, const char *string, rps_error *err) {
    return rps_text_add_bytes(text, string, strlen(string), err);
}

size_t rps_character_length(const char *text, size_t left) {
    const unsigned char *byte = (const unsigned char *)text;
    const size_t n = left == 0                           ? 0
                     : byte[0] < 0x80                    ? 1
                     : byte[0] >= 0xc2 && byte[0] < 0xe0 ? 2
                     : (byte[0] & 0xf0) == 0xe0          ? 3
                     : byte[0] >= 0xf0 && byte[0] < 0xf5 ? 4
                                                         : 0;
    if (n > left) return 0;
    for (size_t i = 1; i < n; i++) {
        if ((byte[i] & 0xc0) != 0x80) return 0;
    }
    const bool wrong = n > 2 && ((byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xed && byte[1] > 0x9f) ||
                                 (byte[0] == 0xf0 && byte[1] < 0x90) || (byte[0] == 0xf4 && byte[1] > 0x8f));
    return wrong ? 0 : n;
}

const char *rps_next_character(const char **string, char out[RPS_CHARACTER]) {
    const char *at = *string;
    const size_t n = rps_character_length(at, strnlen(at, 4));
    if (n > 0) {
        memcpy(out, at, n);
        out[n] = '\0';
    } else {
        snprintf(out, RPS_CHARACTER, "\\x%02x", (unsigned)(unsigned char)*at);
    }
    *string += n > 0 ? n : 1;
    return out;
}

const char *rps_next_xml_character(const char **string, char out[RPS_XML_CHARACTER]) {
    const unsigned char *c = (const unsigned char *)rps_next_character(string, out);
    const bool blank = c[0] == '\t' || c[0] == '\n' || c[0] == '\r';
    if (c[0] < 0x20 && !blank) {
        snprintf(out, RPS_XML_CHARACTER, "\\x%02x", (unsigned)c[0]);
    } else if (strcmp(out, "\xef\xbf\xbe") == 0 || strcmp(out, "\xef\xbf\xbf") == 0) {
        snprintf(out, RPS_XML_CHARACTER, "\\xef\\xbf\\x%02x", (unsigned)c[2]);
    }
    return out;
}

rps_status rps_text_addf(rps_text *text, rps_error *err, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = rps_vsnprintf(NULL, 0, fmt, args);
    rps_status status;
    if (n < 0) {
        status = text->status = rps_fail(err, RPS_INTERNAL, "the format \"%s\" cannot be printed", fmt);
    } else {
        status = text_reserve(text, (size_t)n, err);
    }
    if (status == RPS_OK) {
        rps_vsnprintf(text->data + text->length, (size_t)n + 1, fmt, again);
        text->length += (size_t)n;
    }
    va_end(again);
    va_end(args);
    return status;
}

rps_status rps_text_add_double(rps_text *text, double value, rps_error *err) {
    char number[RPS_DOUBLE_TEXT];
    return rps_text_add(text, rps_double_format(value, number), err);
}

char *rps_double_format(double value, char out[RPS_DOUBLE_TEXT]) {
    if (isnan(value)) {
        return memcpy(out, "nan", sizeof "nan"); /* without the sign, which means nothing */
    }
    const rps_c_locale inside = rps_c_locale_enter();
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, RPS_DOUBLE_TEXT, "%.*g", digits, value);
        if (strtod(out, NULL) == value) {
            break; /* 17 digits always read back */
        }
    }
    rps_c_locale_leave(inside);
    return out;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether text is [+-] digits [. digits] [e [+-] digits]; *zero says that all digits of the mantissa are 0. */
static bool is_decimal(const char *text, bool *zero) {
    const char *s = text;
    int digits = 0;
    *zero = true;
    if (*s == '+' || *s == '-') {
        s++;
    }
    for (int part = 0; part < 2; part++) {
        for (; is_digit(*s); s++, digits++) {
            *zero = *zero && *s == '0';
        }
        if (part == 0 && *s == '.') {
            s++;
        } else {
            break;
        }
    }
    if (digits == 0) {
        return false;
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        if (*s == '+' || *s == '-') {
            s++;
        }
        if (!is_digit(*s)) {
            return false;
        }
        while (is_digit(*s)) {
            s++;
        }
    }
    return *s == '\0';
}

rps_status rps_parse_double(const char *text, double *value, rps_error *err) {
    bool zero;
    if (!is_decimal(text, &zero)) {
        return rps_fail(err, RPS_BAD_INPUT, "\"%.80s\" is not a decimal number; write it like 0.25, -3 or 1.5e-3",
                        text);
    }
    const rps_c_locale inside = rps_c_locale_enter();
    double v = strtod(text, NULL);
    rps_c_locale_leave(inside);
    if (isinf(v)) {
        return rps_fail(err, RPS_BAD_INPUT, "\"%.80s\" overflows; the largest number is about 1.8e308", text);
    }
    if (v == 0.0 && !zero) {
        return rps_fail(err, RPS_BAD_INPUT, "\"%.80s\" underflows to zero; the smallest number is about 4.9e-324",
                        text);
    }
    *value = v;
    return RPS_OK;
}

/* Longer names are never suggested; no name of the engine is near this. */
enum { NAME_MAX_LENGTH = 64 };

static size_t smallest(size_t a, size_t b) {
    return a < b ? a : b;
}

/* ASCII letters only: tolower depends on the locale. */
static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Distance of Damerau and Levenshtein with swaps of neighbours only, case ignored; three rows of the table. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][NAME_MAX_LENGTH + 1];
    size_t *two_ago = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        last[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        char ai = lower(a[i - 1]);
        for (size_t j = 1; j <= b_length; j++) {
            char bj = lower(b[j - 1]);
            size_t d = smallest(last[j], row[j - 1]) + 1;
            d = smallest(d, last[j - 1] + (ai != bj));
            if (i > 1 && j > 1 && ai == lower(b[j - 2]) && bj == lower(a[i - 2])) {
                d = smallest(d, two_ago[j - 2] + 1);
            }
            row[j] = d;
        }
        size_t *spare = two_ago;
        two_ago = last;
        last = row;
        row = spare;
    }
    return last[b_length];
}

const char *rps_closest_name(const char *name, const char *const *names, size_t n) {
    const char *best = NULL;
    size_t best_distance = 0;
    size_t length = strlen(name);
    if (length > NAME_MAX_LENGTH) {
        return NULL;
    }
    for (size_t k = 0; k < n; k++) {
        size_t other = strlen(names[k]);
        if (other > NAME_MAX_LENGTH) {
            continue;
        }
        size_t longer = length > other ? length : other;
        size_t allowed = longer / 3 > 1 ? longer / 3 : 1;
        size_t distance = edit_distance(name, length, names[k], other);
        if (distance <= allowed && (!best || distance < best_distance)) {
            best = names[k];
            best_distance = distance;
        }
    }
    return best;
}
