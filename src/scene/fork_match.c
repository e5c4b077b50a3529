/* Compares two scenes for a fork: bodies, sets and all else that a fork takes as it is. */
#include <stdio.h>
#include <string.h>

#include "scene/fork_match.h"

static bool is_one_of(const char *key, const char *const *list) {
    for (; list && *list; list++) {
        if (strcmp(key, *list) == 0) return true;
    }
    return false;
}

static bool same_scalar(const rps_node *a, const rps_node *b) {
    if (a->text && b->text && strcmp(a->text, b->text) == 0) return true;
    return a->number[0] == b->number[0] && a->number[0] != 0.0; /* in other units */
}

/* The first difference, as a place in `a`; keys of `skip` at the top are left out. */
static bool nodes_differ(const rps_node *a, const rps_node *b, const char *const *skip, rps_place *place) {
    *place = a->place;
    if (a->kind == RPS_NODE_SCALAR && b->kind == RPS_NODE_SCALAR) return !same_scalar(a, b);
    if (a->kind != b->kind) return true;
    for (size_t i = 0; i < a->count; i++) {
        const char *key = a->entry[i].key;
        if (key && is_one_of(key, skip)) continue;
        const rps_node *other = key ? rps_node_get(b, key) : i < b->count ? b->entry[i].value : NULL;
        *place = key ? a->entry[i].key_place : a->entry[i].value->place;
        if (!other || nodes_differ(a->entry[i].value, other, NULL, place)) return true;
    }
    *place = a->place;
    if (a->kind == RPS_NODE_LIST) return a->count != b->count;
    for (size_t i = 0; a->kind == RPS_NODE_MAP && i < b->count; i++) {
        if (!is_one_of(b->entry[i].key, skip) && !rps_node_get(a, b->entry[i].key)) return true;
    }
    return false;
}

bool rps_fork_same(const rps_node *a, const rps_node *b) {
    rps_place place;
    return !nodes_differ(a, b, NULL, &place);
}

/* --- bodies -------------------------------------------------------------------------------------------------------- */

static const rps_node *body_of_name(const rps_node *bodies, const char *name) {
    for (size_t i = 0; i < bodies->count; i++) {
        const char *own = rps_node_text(bodies->entry[i].value, "name");
        if (own && strcmp(own, name) == 0) return bodies->entry[i].value;
    }
    return NULL;
}

/* A fork may hold and release a body and let it come and go at other times. */
static rps_status match_body(const rps_node *mine, const rps_node *theirs, const char *run, rps_error *err) {
    static const char *const free_keys[] = {"enters", "held", "released", "leaves", NULL};
    rps_place place;
    const char *name = rps_node_text(mine, "name");
    if (!nodes_differ(mine, theirs, free_keys, &place)) return RPS_OK;
    return rps_place_fail(err, place,
                          "the body%s%.60s%s is another one in %.80s: a fork takes bodies as they are, with shape, "
                          "mass and place\nsay here what that scene says, or start a run of its own",
                          name ? " `" : "", name ? name : "", name ? "`" : "", run);
}

/* Bodies that are there from the start have their numbers by their order. */
static const rps_node *next_of_start(const rps_node *bodies, size_t *at) {
    while (*at < bodies->count) {
        const rps_node *body = bodies->entry[(*at)++].value;
        if (!rps_node_get(body, "enters")) return body;
    }
    return NULL;
}

static rps_status match_bodies(const rps_node *mine, const rps_node *theirs, const char *run, rps_error *err) {
    size_t a = 0, b = 0;
    for (;;) {
        const rps_node *one = next_of_start(mine, &a), *other = next_of_start(theirs, &b);
        const char *x = one ? rps_node_text(one, "name") : NULL, *y = other ? rps_node_text(other, "name") : NULL;
        if (!one && !other) break;
        if (one && x && !body_of_name(theirs, x)) {
            return rps_place_fail(err, one->place,
                                  "`%.60s` is not in %.80s, from which this run starts\nlet it come later: `enters: "
                                  "{stage: ...}`, or leave it out",
                                  x, run);
        }
        if (!one || (y && !body_of_name(mine, y))) {
            return rps_place_fail(err, mine->place,
                                  "%.80s has a body%s%.60s%s that this scene lacks\nadd it; a stage may remove it", run,
                                  y ? " `" : "", y ? y : "", y ? "`" : "");
        }
        if (!other || (x != NULL) != (y != NULL) || (x && strcmp(x, y) != 0)) {
            return rps_place_fail(err, one->place,
                                  "here %.80s has %s%.60s, so that bodies have other numbers\nlist the bodies that are "
                                  "there from the start in the order of that scene",
                                  run,
                                  y       ? "the body "
                                  : other ? "a body without a name"
                                          : "no more bodies",
                                  y ? y : "");
        }
        RPS_TRY(match_body(one, other, run, err));
    }
    for (size_t i = 0; i < mine->count; i++) { /* those that enter in both */
        const rps_node *one = mine->entry[i].value;
        const rps_node *other = rps_node_text(one, "name") ? body_of_name(theirs, rps_node_text(one, "name")) : NULL;
        if (other) RPS_TRY(match_body(one, other, run, err));
    }
    return RPS_OK;
}

/* --- all else ------------------------------------------------------------------------------------------------------ */

static rps_status match_key(const rps_node *mine, const rps_node *theirs, const char *key, const char *run,
                            rps_error *err) {
    rps_place place;
    const rps_node *a = rps_node_get(mine, key), *b = rps_node_get(theirs, key);
    if (!a && !b) return RPS_OK;
    if (a && b && !nodes_differ(a, b, NULL, &place)) return RPS_OK;
    return rps_place_fail(err,
                          a && b ? place
                          : a    ? a->place
                                 : mine->place,
                          "`%s` differs from that of %.80s, and a fork takes it as it is\nsay here what that scene "
                          "says, or start a run of its own",
                          key, run);
}

static rps_status match_materials(const rps_node *mine, const rps_node *theirs, const char *run, rps_error *err) {
    static const char *const same_in_material[] = {"density", "conductivity", "heat_capacity"};
    for (size_t i = 0; i < mine->count; i++) {
        const rps_node *node = mine->entry[i].value;
        const bool same = i < theirs->count && strcmp(mine->entry[i].key, theirs->entry[i].key) == 0;
        if (!same || mine->count != theirs->count) {
            return rps_place_fail(err, mine->entry[i].key_place,
                                  "%.80s has other materials, or has them in another order\nname the same materials "
                                  "as that scene",
                                  run);
        }
        for (size_t k = 0; k < sizeof same_in_material / sizeof *same_in_material; k++) {
            RPS_TRY(match_key(node, theirs->entry[i].value, same_in_material[k], run, err));
        }
    }
    return RPS_OK;
}

rps_status rps_fork_match(const rps_node *mine, const rps_node *theirs, const char *run, rps_error *err) {
    static const char *const same[] = {"dimension", "depth",   "periodic", "particles", "joints",
                                       "bonds",     "exclude", "contacts", "heat",      "forces"};
    static const char *const of_run[] = {"stepper", "integrator", "ledger", "record", "seed"};
    RPS_TRY(match_materials(rps_node_get(mine, "materials"), rps_node_get(theirs, "materials"), run, err));
    RPS_TRY(match_bodies(rps_node_get(mine, "bodies"), rps_node_get(theirs, "bodies"), run, err));
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) RPS_TRY(match_key(mine, theirs, same[k], run, err));
    for (size_t k = 0; k < sizeof of_run / sizeof *of_run; k++) {
        RPS_TRY(match_key(rps_node_get(mine, "run"), rps_node_get(theirs, "run"), of_run[k], run, err));
    }
    return RPS_OK;
}
