/* Text: a growing string with a bound, numbers to and from text independent of the locale, and "did you mean". */
#ifndef RPS_BASE_TEXT_H
#define RPS_BASE_TEXT_H

#include <stddef.h>

#include "base/array.h"
#include "base/status.h"

/* A string that grows up to `limit` bytes (terminating zero not counted). The first failure sticks: later additions do
 * nothing and return it again, so that a writer may check once at the end. */
typedef struct rps_text {
    const rps_allocator *allocator;
    char *data; /* NULL while empty and unallocated; see rps_text_string */
    size_t length, capacity, limit;
    rps_status status;
} rps_text;

void rps_text_init(rps_text *text, const rps_allocator *allocator, size_t limit);
void rps_text_release(rps_text *text);

/* Forgets content and failure, keeps the memory. */
void rps_text_clear(rps_text *text);

/* Zero-terminated content, "" if empty; valid until the next change. */
const char *rps_text_string(const rps_text *text);

/* RPS_NO_MEMORY, or RPS_BAD_INPUT if the limit would be passed; the content is then as before. */
rps_status rps_text_add(rps_text *text, const char *string, rps_error *err);
rps_status rps_text_add_bytes(rps_text *text, const char *bytes, size_t n, rps_error *err);

enum { RPS_CHARACTER = 8, RPS_XML_CHARACTER = 16 };

/* Takes the next character off a string that is not at its end, for a file that must be UTF-8: names of files may be
 * any bytes. A byte that belongs to no character is written as four, \xff by its value. Returns `out`,
 * zero-terminated. */
const char *rps_next_character(const char **string, char out[RPS_CHARACTER]);
/* The same for XML, which forbids most control characters and U+FFFE and U+FFFF: each of their bytes as \xff. */
const char *rps_next_xml_character(const char **string, char out[RPS_XML_CHARACTER]);

/* Bytes of the UTF-8 character at the start of `text`, of which `left` bytes are there; 0 if it is none, or one written
 * longer than it need be, a surrogate or beyond Unicode. */
size_t rps_character_length(const char *text, size_t left);

/* Formats in the C locale, whatever the program's locale is. */
rps_status rps_text_addf(rps_text *text, rps_error *err, const char *fmt, ...) RPS_PRINTF(3, 4);

/* The number by rps_double_format. */
rps_status rps_text_add_double(rps_text *text, double value, rps_error *err);

enum { RPS_DOUBLE_TEXT = 32 };

/* Writes the decimal with the fewest digits from 15 up that reads back as the same bits ("0.1", "1e+300", "inf",
 * "-inf", "nan"), with a point in every locale; returns `out`. */
char *rps_double_format(double value, char out[RPS_DOUBLE_TEXT]);

/* Reads a whole decimal number: [+-] digits [. digits] [e [+-] digits], at least one digit before the exponent. Blanks,
 * hexadecimal, inf, nan, trailing characters, overflow, and a number other than zero that would become zero are
 * RPS_BAD_INPUT with a sentence that quotes the text; *value is then unchanged. */
rps_status rps_parse_double(const char *text, double *value, rps_error *err);

/* The name nearest to `name` (insertions, deletions, substitutions and swaps of neighbours count one each, a change of
 * case nothing), the first of equals; NULL if none is within a third of the length of the longer (at least one). */
const char *rps_closest_name(const char *name, const char *const *names, size_t n);

#endif
