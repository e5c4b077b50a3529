/* Law blocks of a pair: `slide: none`, `normal: hertz`, `slide: {law: tracked, static: 0.25}`. The descriptor of the
 * law lists its parameters; this file does not repeat them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <repose/world.h>

#include "language/schema.h"
#include "law/elsewhere.h"

enum { LAWS = 64 };

int rps_role_from_name(const char *name) {
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        if (strcmp(rps_role_name((rps_role)role), name) == 0) return role;
    }
    return -1;
}

static bool is_none(const char *name) {
    return strcmp(name, "none") == 0;
}

static const rps_node *law_name(const rps_node *node) {
    return node->kind == RPS_NODE_MAP ? rps_node_get(node, "law") : node;
}

/* The law with this index, counting the built-in ones and then the program's own. */
static const rps_law *law_at(const rps_law_list *own, size_t index) {
    size_t built_in = 0;
    while (rps_law_at(built_in)) built_in++;
    if (index < built_in) return rps_law_at(index);
    return index - built_in < own->count ? own->law[index - built_in] : NULL;
}

static const rps_law *find_law(const rps_law_list *own, rps_role role, const char *name) {
    for (size_t i = 0; law_at(own, i); i++) {
        const rps_law *law = law_at(own, i);
        if (law->role == role && strcmp(law->name, name) == 0) return law;
    }
    return NULL;
}

const rps_law *rps_schema_law(const rps_law_list *own, const rps_node *node, rps_role role) {
    const rps_node *name = node ? law_name(node) : NULL;
    return name && !is_none(name->text) ? find_law(own, role, name->text) : NULL;
}

/* The remedy for an unknown name: the law that another program calls so, or those that exist here. */
static const char *law_hint(rps_role role, const char *name, const char *const *names, size_t n, char *out,
                            size_t bytes) {
    const rps_law_elsewhere *there = rps_law_elsewhere_find(role, name);
    if (!there) return rps_suggest(name, names, n, out, bytes);
    snprintf(out, bytes, "\n`%s` of %s %s here", there->name, there->program, there->here);
    return out;
}

static rps_status check_law_name(const rps_law_list *own, const rps_node *node, rps_role role, const rps_law **law,
                                 rps_error *err) {
    const char *names[LAWS];
    char hint[512];
    size_t n = 0;
    *law = NULL;
    if (node->kind != RPS_NODE_SCALAR) {
        return rps_place_fail(err, node->place, "the %s law is missing its name\nwrite {law: name, ...}",
                              rps_role_name(role));
    }
    if (is_none(node->text) && role != RPS_ROLE_NORMAL) return RPS_OK;
    *law = find_law(own, role, node->text);
    if (*law) return RPS_OK;
    for (size_t i = 0; law_at(own, i) && n + 1 < LAWS; i++) {
        const rps_law *one = law_at(own, i);
        if (one->role == role && !is_none(one->name)) names[n++] = one->name;
    }
    if (role != RPS_ROLE_NORMAL) names[n++] = "none";
    return rps_place_fail(err, node->place, "there is no %s law `%.60s`%s%s", rps_role_name(role), node->text,
                          law_hint(role, node->text, names, n, hint, sizeof hint),
                          is_none(node->text)
                              ? "\nwithout a normal law bodies would not feel each other; use `exclude` "
                                "to keep two bodies apart"
                              : "");
}

static rps_status check_choice(rps_node *value, const char *choices, const char *key, rps_error *err) {
    int index = value->kind == RPS_NODE_SCALAR ? rps_choice(choices, value->text) : -1;
    if (index < 0) {
        return rps_place_fail(err, value->place, "`%s` cannot be `%.60s`\nexpected one of %s", key,
                              value->kind == RPS_NODE_SCALAR ? value->text : "a list or map", choices);
    }
    value->number[0] = index;
    return RPS_OK;
}

bool rps_schema_has_parameter(const rps_law_list *own, rps_role role, const char *name) {
    for (size_t i = 0; law_at(own, i); i++) {
        const rps_law_parameter *p = law_at(own, i)->parameter;
        for (int k = 0; law_at(own, i)->role == role && k < RPS_LAW_PARAMETERS && p[k].name; k++) {
            if (!p[k].choices && strcmp(p[k].name, name) == 0) return true;
        }
    }
    return false;
}

/* {mix: geometric}: the value follows from those that both materials have. */
static rps_status check_mix(rps_node *value, const rps_law_parameter *p, rps_error *err) {
    rps_node *rule = rps_node_get(value, "mix");
    if (!rule || value->count != 1 || p->choices) {
        return rps_place_fail(err, value->place,
                              p->choices ? "`%s` is a word and cannot be mixed"
                                         : "`%s` takes a value, or {mix: rule} of the values of both materials",
                              p->name);
    }
    RPS_TRY(check_choice(rule, "mean|geometric|harmonic|min|max", "mix", err));
    value->number[0] = rule->number[0];
    return RPS_OK;
}

rps_status rps_schema_check_parameter(rps_node *value, const rps_law_parameter *p, rps_error *err) {
    if (p->choices) return check_choice(value, p->choices, p->name, err);
    RPS_TRY(rps_schema_quantity(value, p->unit, &value->number[0], err));
    double x = value->number[0];
    if (x >= p->low && x <= p->high) return RPS_OK;
    const bool pure = !*p->unit || strcmp(p->unit, "1") == 0;
    const char *space = pure ? "" : " ", *unit = pure ? "" : p->unit;
    if (p->low > 0.0 && p->low < 1e-200) {
        return rps_place_fail(err, value->place, "`%s` must be above 0, not %.60s\n%s", p->name, value->text,
                              p->meaning);
    }
    if (p->high > 1e200) {
        return rps_place_fail(err, value->place, "`%s` must be at least %g%s%s, not %.60s\n%s", p->name, p->low, space,
                              unit, value->text, p->meaning);
    }
    return rps_place_fail(err, value->place, "`%s` must lie from %g to %g%s%s, not %.60s\n%s", p->name, p->low, p->high,
                          space, unit, value->text, p->meaning);
}

rps_status rps_schema_check_law(const rps_law_list *own, rps_node *node, rps_role role, rps_error *err) {
    const rps_law *law;
    if (node->kind == RPS_NODE_SCALAR) return check_law_name(own, node, role, &law, err);
    const rps_node *name = rps_node_get(node, "law");
    if (!name) {
        return rps_place_fail(err, node->place,
                              "the key `law` is missing in the block of the %s law\nwrite {law: name, ...}",
                              rps_role_name(role));
    }
    RPS_TRY(check_law_name(own, name, role, &law, err));
    const char *names[RPS_LAW_PARAMETERS + 2];
    size_t n = 0, parameters = 0;
    while (law && parameters < RPS_LAW_PARAMETERS && law->parameter[parameters].name) {
        names[n++] = law->parameter[parameters++].name;
    }
    names[n++] = "law";
    if (role == RPS_ROLE_DAMPING) names[n++] = "tension";
    for (size_t i = 0; i < node->count; i++) {
        const char *key = node->entry[i].key;
        rps_node *value = node->entry[i].value;
        if (strcmp(key, "law") == 0) continue;
        if (role == RPS_ROLE_DAMPING && strcmp(key, "tension") == 0) {
            RPS_TRY(check_choice(value, "cut|allow", key, err));
            continue;
        }
        const rps_law_parameter *found = NULL;
        for (size_t k = 0; k < parameters; k++) {
            if (strcmp(law->parameter[k].name, key) == 0) found = &law->parameter[k];
        }
        if (!found) {
            char hint[512];
            return rps_place_fail(err, node->entry[i].key_place, "the %s law `%s` takes no `%.60s`%s",
                                  rps_role_name(role), name->text, key, rps_suggest(key, names, n, hint, sizeof hint));
        }
        RPS_TRY(value->kind == RPS_NODE_MAP ? check_mix(value, found, err)
                                            : rps_schema_check_parameter(value, found, err));
    }
    return RPS_OK;
}
