/*
 * Parameters, formulas and loops: turns the tree as it was written into the tree that the schema checks.
 *
 * A value that begins with `=` is a formula and becomes its result. An item of a list, or an entry of a map, that has
 * the key `for` becomes as many as its values; in it {i} in texts and keys stands for the value of i, and in
 * scenes with parameters {R} everywhere for that of R. Loops
 * make a limited number of values, so that a large count is an error and not a wait.
 */
#ifndef RPS_LANGUAGE_EXPAND_H
#define RPS_LANGUAGE_EXPAND_H

#include "language/tree.h"

/* Evaluates the map `parameters` of a scene, then all formulas and loops outside of `variants`. May be called again
 * after values were replaced. */
rps_status rps_scene_expand(rps_pool *pool, rps_node *root, rps_error *err);

/* The place of a byte of a scalar. */
rps_place rps_place_inside(const rps_node *node, size_t byte);

/* The path of a setting in full: `R` stands for `parameters.R`, if there is such a parameter. `path` itself if it is no
 * such name. */
const char *rps_scene_full_path(rps_pool *pool, const rps_node *root, const char *path, rps_error *err);
/* Is it the path of a parameter? */
bool rps_scene_is_parameter(const char *path);

#endif
