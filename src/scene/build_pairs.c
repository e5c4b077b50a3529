/*
 * Pairs of materials. `between: [a, b]` names two; `all` in place of a name stands for every material, and `between: all`
 * for every pair. The entry that names more of the two materials holds for a pair, of equals the later one. A
 * parameter of a law may be mixed from the values that both materials have of their own; only where the pair says so.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"

enum { MOST_PAIRS = 65536 };

typedef enum mix_rule { MIX_MEAN, MIX_GEOMETRIC, MIX_HARMONIC, MIX_MIN, MIX_MAX } mix_rule;

/* --- which entry holds for a pair --------------------------------------------------------------------------------- */

static bool is_all(const rps_node *between, int k) {
    return between->kind == RPS_NODE_SCALAR || rps_node_is(between->entry[k].value, "all");
}

/* The number of materials that the entry names, if it holds for the two; -1 if it does not. */
static int pair_match(const rps_node *entry, const char *a, const char *b) {
    const rps_node *between = rps_node_get(entry, "between");
    const bool all[2] = {is_all(between, 0), is_all(between, 1)};
    if (all[0] && all[1]) return 0;
    const rps_node *first = between->entry[0].value, *second = between->entry[1].value;
    if (all[0] || all[1]) {
        const rps_node *one = all[0] ? second : first;
        return rps_node_is(one, a) || rps_node_is(one, b) ? 1 : -1;
    }
    const bool fits =
        (rps_node_is(first, a) && rps_node_is(second, b)) || (rps_node_is(first, b) && rps_node_is(second, a));
    return fits ? 2 : -1;
}

static const rps_node *entry_of_pair(const rps_node *root, const char *a, const char *b) {
    const rps_node *pairs = rps_node_get(root, "pairs"), *found = NULL;
    int best = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const int match = pair_match(pairs->entry[i].value, a, b);
        if (match < best) continue;
        best = match;
        found = pairs->entry[i].value;
    }
    return found;
}

/* --- reading an entry --------------------------------------------------------------------------------------------- */

static void read_choices(const rps_node *node, rps_form *form) {
    form->frame = (rps_form_frame)rps_node_number(node, "frame", form->frame);
    form->path = (rps_form_path)rps_node_number(node, "path", form->path);
    form->history = (rps_form_history)rps_node_number(node, "history", form->history);
    form->carry = (rps_form_carry)rps_node_number(node, "carry", form->carry);
    form->damper = (rps_form_damper)rps_node_number(node, "damper", form->damper);
    form->arc = (rps_form_arc)rps_node_number(node, "arc", form->arc);
    form->damper_mass = (rps_form_damper_mass)rps_node_number(node, "damper_mass", form->damper_mass);
    form->cap_load = (rps_cap_load)rps_node_number(node, "cap_load", form->cap_load);
}

/* The mean of two values by a rule, between both of them; NAN if there is none. */
static double mixed(mix_rule rule, double a, double b) {
    switch (rule) {
    case MIX_MEAN:
        return 0.5 * a + 0.5 * b;
    case MIX_GEOMETRIC:
        return a == b ? a : a >= 0.0 && b >= 0.0 ? sqrt(a) * sqrt(b) : NAN;
    case MIX_HARMONIC:
        return a == b ? a : a > 0.0 && b > 0.0 ? 2.0 / (1.0 / a + 1.0 / b) : a >= 0.0 && b >= 0.0 ? 0.0 : NAN;
    case MIX_MIN:
        return fmin(a, b);
    default:
        return fmax(a, b);
    }
}

/* The value of a parameter that a material has of its own. */
static rps_status own_value(const rps_node *root, const char *material, rps_role role, const rps_law_parameter *p,
                            rps_place place, double *value, rps_error *err) {
    const rps_node *all = rps_node_get(rps_node_get(rps_node_get(root, "materials"), material), rps_role_name(role));
    rps_node *node = rps_node_get(all, p->name);
    if (!node) {
        return rps_place_fail(
            err, place,
            "`%s` is mixed of both materials, but %.60s has none\ngive it in `materials`: %.60s: {%s: {%s: "
            "...}}, or give the value here",
            p->name, material, material, rps_role_name(role), p->name);
    }
    RPS_TRY(rps_schema_check_parameter(node, p, err));
    *value = node->number[0];
    return RPS_OK;
}

static rps_status mix_parameter(const rps_node *root, const char *const name[2], rps_role role,
                                const rps_law_parameter *p, const rps_node *node, double *value, rps_error *err) {
    double own[2];
    for (int k = 0; k < 2; k++) RPS_TRY(own_value(root, name[k], role, p, node->place, &own[k], err));
    *value = mixed((mix_rule)node->number[0], own[0], own[1]);
    if (!isnan(*value)) return RPS_OK;
    return rps_place_fail(err, node->place, "`%s` of %.60s is %g and of %.60s %g; this rule has no mean of them",
                          p->name, name[0], own[0], name[1], own[1]);
}

static rps_status read_pair(const rps_scene *scene, const rps_node *root, const rps_node *node,
                            const char *const name[2], rps_pair *pair, rps_error *err) {
    const rps_node *form = rps_node_get(node, "form");
    *pair = rps_pair_default();
    pair->form = rps_node_is(form, "paper") ? rps_form_paper() : rps_form_symmetric();
    read_choices(form, &pair->form);
    read_choices(node, &pair->form);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_node *block = rps_node_get(node, rps_role_name((rps_role)role));
        const rps_law *law = pair->law[role] = rps_schema_law(&scene->text->own, block, (rps_role)role);
        for (int k = 0; law && k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
            const rps_law_parameter *p = &law->parameter[k];
            const rps_node *value = rps_node_get(block, p->name);
            pair->value[role][k] = rps_node_number(block, p->name, NAN);
            if (value && value->kind == RPS_NODE_MAP) {
                RPS_TRY(mix_parameter(root, name, (rps_role)role, p, value, &pair->value[role][k], err));
            }
        }
    }
    const rps_node *damping = rps_node_get(node, "damping");
    pair->tension = (rps_tension)rps_node_number(damping, "tension", RPS_TENSION_CUT);
    pair->wear = rps_node_number(rps_node_get(node, "wear"), "coefficient", 0.0);
    return RPS_OK;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static bool same_between(const rps_node *a, const rps_node *b) {
    const bool all[4] = {is_all(a, 0), is_all(a, 1), is_all(b, 0), is_all(b, 1)};
    const char *name[4];
    for (int k = 0; k < 4; k++) name[k] = all[k] ? "all" : (k < 2 ? a : b)->entry[k % 2].value->text;
    return (strcmp(name[0], name[2]) == 0 && strcmp(name[1], name[3]) == 0) ||
           (strcmp(name[0], name[3]) == 0 && strcmp(name[1], name[2]) == 0);
}

/* Entries with `all`, in their order; no two of them stand for the same. */
typedef struct defaults {
    const rps_node **entry;
    size_t count;
} defaults;

static rps_status add_default(const rps_world *world, const rps_node *entry, defaults *d, rps_error *err) {
    const rps_node *between = rps_node_get(entry, "between");
    for (int k = 0; k < 2; k++) {
        int unused;
        if (!is_all(between, k)) RPS_TRY(rps_build_material(world, between->entry[k].value, &unused, err));
    }
    for (size_t i = 0; i < d->count; i++) {
        if (same_between(between, rps_node_get(d->entry[i], "between"))) {
            return rps_place_fail(err, between->place, "the pair %s, %s is given a second time",
                                  is_all(between, 0) ? "all" : between->entry[0].value->text,
                                  is_all(between, 1) ? "all" : between->entry[1].value->text);
        }
    }
    d->entry[d->count++] = entry;
    return RPS_OK;
}

/* Coefficients of materials have names that some law of their role knows. */
static rps_status check_own_names(const rps_scene *scene, const rps_node *material, rps_error *err) {
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_node *own = rps_node_get(material, rps_role_name((rps_role)role));
        for (size_t k = 0; own && k < own->count; k++) {
            if (rps_schema_has_parameter(&scene->text->own, (rps_role)role, own->entry[k].key)) continue;
            return rps_place_fail(err, own->entry[k].key_place, "no %s law has a parameter `%.60s` that can be mixed",
                                  rps_role_name((rps_role)role), own->entry[k].key);
        }
    }
    return RPS_OK;
}

static rps_status set_pair(const rps_scene *scene, rps_world *world, const rps_node *entry, const int material[2],
                           rps_error *err) {
    const char *name[2];
    rps_pair pair;
    for (int k = 0; k < 2; k++) name[k] = rps_world_material(world, material[k]).name;
    RPS_TRY(read_pair(scene, scene->text->root, entry, name, &pair, err));
    return rps_place_wrap(err, entry->place, rps_world_set_pair(world, material[0], material[1], &pair, err));
}

/* Entries that name both materials, and a list of those that do not. */
static rps_status set_named(const rps_scene *scene, rps_world *world, const rps_node *pairs, defaults *d,
                            rps_error *err) {
    for (size_t i = 0; i < pairs->count; i++) {
        const rps_node *entry = pairs->entry[i].value, *between = rps_node_get(entry, "between");
        int material[2];
        if (is_all(between, 0) || is_all(between, 1)) {
            RPS_TRY(add_default(world, entry, d, err));
            continue;
        }
        for (int k = 0; k < 2; k++) RPS_TRY(rps_build_material(world, between->entry[k].value, &material[k], err));
        if (rps_world_has_pair(world, material[0], material[1])) {
            return rps_place_fail(err, between->place, "the pair %s, %s is given a second time",
                                  between->entry[0].value->text, between->entry[1].value->text);
        }
        RPS_TRY(set_pair(scene, world, entry, material, err));
    }
    return RPS_OK;
}

bool rps_build_both_rigid(const rps_world *world, int a, int b) {
    return isinf(rps_world_material(world, a).young) && isinf(rps_world_material(world, b).young);
}

/* Two rigid materials have no pair where a law asks for moduli: mostly walls, which never meet. Those that could are found
 * with the other pairs that are missing (build_contacts.c). */
static rps_status set_default(const rps_scene *scene, rps_world *world, const rps_node *entry, const int material[2],
                              rps_error *err) {
    rps_error refusal = {0};
    const rps_status status = set_pair(scene, world, entry, material, &refusal);
    const bool none = status == RPS_BAD_INPUT && rps_build_both_rigid(world, material[0], material[1]);
    if (status == RPS_OK || none) return RPS_OK;
    return rps_fail(err, status, "%s", refusal.text);
}

static rps_status set_defaults(const rps_scene *scene, rps_world *world, const defaults *d, rps_error *err) {
    const int count = rps_world_material_count(world);
    if ((double)count * (count + 1) / 2 > MOST_PAIRS) {
        return rps_place_fail(err, d->entry[0]->place, "%d materials have more than %d pairs", count, MOST_PAIRS);
    }
    for (int i = 0; i < count; i++) {
        for (int j = i; j < count; j++) {
            const rps_node *entry = NULL;
            int best = 0;
            if (rps_world_has_pair(world, i, j)) continue;
            for (size_t k = 0; k < d->count; k++) {
                const int match =
                    pair_match(d->entry[k], rps_world_material(world, i).name, rps_world_material(world, j).name);
                if (match < best) continue;
                best = match;
                entry = d->entry[k];
            }
            if (entry) RPS_TRY(set_default(scene, world, entry, (const int[2]){i, j}, err));
        }
    }
    return RPS_OK;
}

rps_status rps_build_pairs(rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *pairs = rps_node_get(scene->text->root, "pairs"),
                   *materials = rps_node_get(scene->text->root, "materials");
    for (size_t i = 0; i < materials->count; i++) {
        RPS_TRY(check_own_names(scene, materials->entry[i].value, err));
        if (strcmp(materials->entry[i].key, "all") != 0) continue;
        return rps_place_fail(err, materials->entry[i].key_place,
                              "`all` stands for all materials in `pairs`\ngive this material another name");
    }
    defaults d = {rps_pool_take(&scene->pool, (pairs->count + 1) * sizeof(rps_node *), err), 0};
    if (!d.entry) return RPS_NO_MEMORY;
    RPS_TRY(set_named(scene, world, pairs, &d, err));
    return d.count ? set_defaults(scene, world, &d, err) : RPS_OK;
}

/* --- for stages --------------------------------------------------------------------------------------------------- */

static bool pair_is_same(const rps_pair *a, const rps_pair *b) {
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        if (a->law[role] != b->law[role]) return false;
        for (int k = 0; k < RPS_LAW_PARAMETERS; k++) {
            const double x = a->value[role][k], y = b->value[role][k];
            if (x != y && !(isnan(x) && isnan(y))) return false;
        }
    }
    const rps_form *f = &a->form, *g = &b->form;
    return f->frame == g->frame && f->path == g->path && f->history == g->history && f->carry == g->carry &&
           f->damper == g->damper && f->arc == g->arc && f->damper_mass == g->damper_mass &&
           f->cap_load == g->cap_load && a->tension == b->tension;
}

rps_status rps_scene_change_pairs(const rps_scene *scene, const rps_node *root, rps_place place, rps_world *world,
                                  bool *changed, rps_error *err) {
    const int count = rps_world_material_count(world);
    for (int i = 0; i < count; i++) {
        for (int j = i; j < count; j++) {
            const char *const name[2] = {rps_world_material(world, i).name, rps_world_material(world, j).name};
            const rps_node *entry = entry_of_pair(root, name[0], name[1]);
            const rps_pair_setup *now = rps_world_pair_of(world, i, j);
            rps_pair pair;
            if (!entry || (!now && rps_build_both_rigid(world, i, j))) continue;
            RPS_TRY(read_pair(scene, root, entry, name, &pair, err));
            if (now && pair_is_same(&pair, &now->given)) continue;
            *changed = true;
            RPS_TRY(rps_place_wrap(err, place, rps_world_set_pair(world, i, j, &pair, err)));
        }
    }
    return RPS_OK;
}

/* --- for reports -------------------------------------------------------------------------------------------------- */

bool rps_scene_pair_by_default(const rps_scene *scene, const char *a, const char *b, char *out, size_t bytes) {
    const rps_node *entry = entry_of_pair(scene->text->root, a, b), *between = rps_node_get(entry, "between");
    out[0] = 0;
    if (!between || (!is_all(between, 0) && !is_all(between, 1))) return false;
    if (between->kind == RPS_NODE_SCALAR || (is_all(between, 0) && is_all(between, 1))) {
        snprintf(out, bytes, "all");
    } else {
        snprintf(out, bytes, "[%.60s, %.60s]", between->entry[0].value->text, between->entry[1].value->text);
    }
    return true;
}

const char *rps_scene_pair_mix(const rps_scene *scene, const char *a, const char *b, rps_role role,
                               const char *parameter) {
    const rps_node *value =
        rps_node_get(rps_node_get(entry_of_pair(scene->text->root, a, b), rps_role_name(role)), parameter);
    return value && value->kind == RPS_NODE_MAP ? rps_node_text(value, "mix") : NULL;
}
