/* Shared by the tests of scenes: loads texts, runs them, and checks errors. */
#ifndef TESTS_UNIT_SCENE_COMMON_H
#define TESTS_UNIT_SCENE_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/scene.h"

/* Loads a text; NULL with *err filled if it is refused. `set` ends with NULL and may be NULL. */
rps_scene *scene_load(const char *text, const char *variant, const char *const *set, rps_error *err);
/* Loads and builds; fails the test, showing the error, if either is refused. */
rps_scene *scene_make(const char *text, rps_world **world);
/* Loads and builds a text that must be refused; the error is left in *err. */
void scene_refused(const char *text, rps_error *err);
/* `text` with the first `find` replaced; released by free(). Fails the test if it is not there. */
char *text_replace(const char *text, const char *find, const char *by);
/* Asserts that the error is located at the first `at` of the text, with the caret below it, and contains `part`. */
void assert_error_at(const rps_error *err, const char *text, const char *at, const char *part);
/* Writes a text file; fails the test if it cannot. */
void write_file(const char *path, const char *text);

#endif
