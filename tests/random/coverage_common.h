/*
 * Which features of the scene language scenes at random have: keys, words of choices, laws with their parameters, shapes with
 * theirs, and quantities of probes. All come from the tables of the library, so that a new one counts as missing by itself.
 */
#ifndef TESTS_RANDOM_COVERAGE_COMMON_H
#define TESTS_RANDOM_COVERAGE_COMMON_H

#include <stdbool.h>
#include <stddef.h>

enum { COVERAGE_MOST = 2000, COVERAGE_NAME = 96 };

typedef struct coverage {
    size_t count; /* features that scenes should have */
    char name[COVERAGE_MOST][COVERAGE_NAME];
    int seen[COVERAGE_MOST]; /* number of scenes, or more */
} coverage;

/* Takes the features from the tables, without those that are tried elsewhere. */
void coverage_begin(coverage *c);
/* Counts the features of a scene. */
void coverage_add(coverage *c, const char *text);
/* How many were never seen; `names`, of `bytes`, are the first of them. */
size_t coverage_missing(const coverage *c, char *names, size_t bytes);

#endif
