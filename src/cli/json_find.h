/* Finds values in JSON that another program sent, without making a tree of it. */
#ifndef RPS_CLI_JSON_FIND_H
#define RPS_CLI_JSON_FIND_H

#include <stddef.h>

/* The first character of the value at a path of names of members, as "result.data"; NULL if it is not there or the text is
 * damaged before it. */
const char *json_find(const char *json, const char *path);
/* Characters of the string that begins at `value`, without its quotes and with its escapes; *text is its begin, NULL if
 * the value is no string or does not end. */
size_t json_string(const char *value, const char **text);
/* The string with its escapes resolved, cut to the capacity; characters beyond ASCII become "?", control characters
 * blanks. "" if it is no string. Returns `out`. */
const char *json_text(const char *value, char *out, size_t capacity);

#endif
