/*
 * Adds bonds to a world: checks them, and stores where each body holds its end, in the axes of the body, so that later
 * only the poses of the bodies matter.
 */
#include "world/bond.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/flush.h"
#include "world/body_shape.h"
#include "world/share.h"
#include "world/world_internal.h"

extern const rps_bond_law rps_bond_law_beam;

rps_bond_def rps_bond_def_default(void) {
    rps_bond_def def = {
        .size = sizeof(rps_bond_def), .law = &rps_bond_law_beam, .body = {UINT64_MAX, UINT64_MAX}, .strength = 1.0};
    for (int k = 0; k < 6; k++) def.point[k / 3][k % 3] = NAN;
    for (int k = 0; k < RPS_BOND_PARAMETERS; k++) def.value[k] = NAN;
    return def;
}

/* --- checks --------------------------------------------------------------------------------------------------------- */

typedef struct new_bond {
    rps_world *world;
    const rps_bond_def *def;
    int first; /* index in the definition of the body with the lower id */
    size_t slot[2];
    char who[64];
    rps_vec3 arm[2], between; /* m: from each centre to its bond point; from one point to the other */
    rps_bond bond;
    rps_error *err;
} new_bond;

static rps_status bond_refuse(const new_bond *n, const char *fmt, ...) RPS_PRINTF(2, 3);
static rps_status bond_refuse(const new_bond *n, const char *fmt, ...) {
    char text[400];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return rps_fail(n->err, RPS_BAD_INPUT, "%s: %s", n->who, text);
}

static rps_status check_world(const new_bond *n) {
    const rps_world *world = n->world;
    if (world->options.stepper == RPS_NONSMOOTH) {
        return rps_fail(n->err, RPS_UNSUPPORTED,
                        "%s: bonds are springs of the penalty stepper, and the nonsmooth stepper has none; choose "
                        "`stepper: penalty`, or joints in place of bonds",
                        n->who);
    }
    if (world->cell.sheared) {
        return rps_fail(n->err, RPS_UNSUPPORTED,
                        "%s: a sheared cell has no bonds, because their work across its moving faces is not booked; "
                        "leave out the shear or the bonds",
                        n->who);
    }
    if (n->def->contact != RPS_BOND_CONTACT_BESIDE && n->def->contact != RPS_BOND_CONTACT_NONE) {
        return bond_refuse(n, "there is no contact number %d", (int)n->def->contact);
    }
    if (!(n->def->strength > 0.0 && n->def->strength <= 1e100)) {
        return bond_refuse(n, "its strength is %g of that of its parameters; it must be above 0, up to 1e100",
                           n->def->strength);
    }
    if (n->def->contact == RPS_BOND_CONTACT_NONE && world->started) {
        return bond_refuse(n, "a bond without contact is made before the first step, since a contact that exists would "
                              "end with its energy; let the contact act beside it");
    }
    return RPS_OK;
}

static rps_status bond_check_bodies(new_bond *n) {
    const rps_world *world = n->world;
    const uint64_t *id = n->def->body;
    char a[RPS_BODY_NAME], b[RPS_BODY_NAME];
    n->first = id[1] < id[0];
    for (int k = 0; k < 2; k++) {
        const uint64_t one = id[k ^ n->first];
        n->bond.body[k] = one;
        n->slot[k] = rps_world_slot(world, one);
        if (n->slot[k] == SIZE_MAX) {
            return bond_refuse(n, "there is no body %llu; add its bodies first", (unsigned long long)one);
        }
    }
    rps_body_name(world, n->slot[0], a, sizeof a);
    rps_body_name(world, n->slot[1], b, sizeof b);
    if (id[0] == id[1]) return bond_refuse(n, "it bonds %s with itself; name two bodies", a);
    if (world->bodies.kind[n->slot[0]][0] != RPS_BODY_FREE && world->bodies.kind[n->slot[1]][0] != RPS_BODY_FREE) {
        return bond_refuse(n, "no force moves %s or %s, so that it does nothing; at least one must be free", a, b);
    }
    const rps_bond *old = rps_bond_of(&world->bonds, id[0], id[1]);
    if (old && rps_bond_intact(old)) {
        return bond_refuse(n, "%s and %s are bonded already; a pair has one bond, remove it first", a, b);
    }
    return RPS_OK;
}

static rps_status check_law(const new_bond *n) {
    const rps_bond_law *law = n->def->law;
    if (!law) return bond_refuse(n, "it has no law; begin with rps_bond_def_default()");
    if (rps_world_find_bond_law(n->world, law->name) == law) return RPS_OK;
    return bond_refuse(n, "bond law \"%s\" is not known to this world; register it first", law->name ? law->name : "");
}

rps_status rps_bond_values(const rps_bond_law *law, const double *given, double *value, rps_error *err) {
    int k = 0;
    for (; k < RPS_BOND_PARAMETERS && law->parameter[k].name; k++) {
        const rps_law_parameter *p = &law->parameter[k];
        value[k] = isnan(given[k]) ? p->default_value : given[k];
        const bool whole = !p->choices || value[k] == floor(value[k]);
        if (isnan(value[k]) || (rps_finite(value[k]) && whole && value[k] >= p->low && value[k] <= p->high)) continue;
        const char *space = *p->unit ? " " : "";
        if (p->choices) {
            return rps_fail(err, RPS_BAD_INPUT, "bond law `%s`: %s is %g; expected the number, from 0, of one of %s",
                            law->name, p->name, value[k], p->choices);
        }
        return rps_fail(err, RPS_BAD_INPUT, "bond law `%s`: %s is %g%s%s; expected a number from %g to %g%s%s",
                        law->name, p->name, value[k], space, p->unit, p->low, p->high, space, p->unit);
    }
    for (; k < RPS_BOND_PARAMETERS; k++) {
        value[k] = NAN;
        if (isnan(given[k])) continue;
        return rps_fail(err, RPS_BAD_INPUT, "bond law `%s` has no parameter number %d", law->name, k);
    }
    return RPS_OK;
}

/* --- where the bodies hold it --------------------------------------------------------------------------------------- */

static rps_quat orientation_of(const rps_world *world, size_t slot) {
    const double *o = world->bodies.orientation[slot];
    return (rps_quat){o[0], o[1], o[2], o[3]};
}

/* From the centre of a body to its bond point, the image nearest to the body. */
static rps_status find_arm(new_bond *n, int k) {
    const rps_world *world = n->world;
    const double *p = n->def->point[k ^ n->first];
    const size_t s = n->slot[k];
    char name[RPS_BODY_NAME];
    double x[3], d[3];
    n->arm[k] = rps_vec3_zero();
    if (isnan(p[0]) && isnan(p[1]) && isnan(p[2])) {
        if (!rps_body_is_plane(&world->bodies, s)) return RPS_OK;
        return bond_refuse(n, "%s has no centre to hold it by; give both bond points",
                           rps_body_name(world, s, name, sizeof name));
    }
    if (!rps_finite3(p) || (world->options.dimension == 2 && p[1] != 0.0)) {
        return bond_refuse(n, "its point on %s is (%g, %g, %g) m; expected finite numbers%s",
                           rps_body_name(world, s, name, sizeof name), p[0], p[1], p[2],
                           world->options.dimension == 2 ? ", y = 0 in a planar world" : "");
    }
    rps_world_unwrapped(world, s, x);
    for (int axis = 0; axis < 3; axis++) d[axis] = p[axis] - x[axis];
    rps_cell_nearest(&world->cell, d);
    n->arm[k] = rps_vec3_of(d);
    return RPS_OK;
}

/* Axes with z along the bond; in a planar world x is the normal of the plane, so that all that lies in it stays there. */
static rps_quat axes_along(const rps_world *world, rps_vec3 z) {
    const rps_vec3 across = world->options.dimension == 2 ? rps_vec3_make(0.0, 1.0, 0.0) : rps_vec3_any_across(z);
    const rps_vec3 x = rps_vec3_normalize(rps_vec3_reject(across, z)), y = rps_vec3_cross(z, x);
    const rps_mat3 m = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return rps_quat_from_mat3(&m);
}

static rps_status place_bond(new_bond *n) {
    const rps_world *world = n->world;
    const rps_cell *cell = &world->cell;
    rps_bond_record *record = &n->bond.record;
    double d[3], nearest[3];
    for (int k = 0; k < 2; k++) RPS_TRY(find_arm(n, k));
    const double arm[2][3] = {{n->arm[0].x, n->arm[0].y, n->arm[0].z}, {n->arm[1].x, n->arm[1].y, n->arm[1].z}};
    for (int k = 0; k < 3; k++) {
        const double *x[2] = {world->bodies.pose[n->slot[0]].position, world->bodies.pose[n->slot[1]].position};
        const int32_t *image[2] = {world->bodies.image[n->slot[0]], world->bodies.image[n->slot[1]]};
        nearest[k] = d[k] = (x[1][k] - x[0][k]) + (arm[1][k] - arm[0][k]);
        nearest[k] = rps_cell_nearest_along(cell, k, d[k]);
        const double shift = cell->period[k] > 0.0 ? floor((nearest[k] - d[k]) / cell->period[k] + 0.5) : 0.0;
        record->image[k] = shift - (double)(image[1][k] - image[0][k]);
    }
    n->between = rps_vec3_of(nearest);
    record->length = rps_vec3_norm(n->between);
    if (!(record->length > 0.0) || !rps_finite(record->length)) {
        return bond_refuse(n, "its two points coincide, so that it has no direction; give points apart");
    }
    const rps_quat axes = axes_along(world, rps_vec3_scale(n->between, 1.0 / record->length));
    for (int k = 0; k < 2; k++) {
        const rps_quat q = orientation_of(world, n->slot[k]);
        record->point[k] = rps_vec3_flush(rps_quat_rotate_inverse(q, n->arm[k]));
        record->frame[k] = rps_quat_flush(rps_quat_normalize(rps_quat_mul(rps_quat_conjugate(q), axes)));
    }
    return RPS_OK;
}

rps_status rps_bonds_prepare(rps_world *world, rps_bond *bond, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    const rps_bond_setting *setting = &world->bonds.setting[(size_t)bond->record.setting];
    const size_t i = rps_world_slot(world, bond->body[0]), j = rps_world_slot(world, bond->body[1]);
    const double inertia = bodies->motion[i].inverse_inertia[0] + bodies->motion[j].inverse_inertia[0];
    const double r_i = rps_body_half_width(world, i), r_j = rps_body_half_width(world, j);
    const rps_bond_setup setup = {.value = setting->value,
                                  .strength = bond->record.strength,
                                  .length = bond->record.length,
                                  .mass_eff =
                                      1.0 / (bodies->motion[i].inverse_mass[0] + bodies->motion[j].inverse_mass[0]),
                                  .inertia_eff = inertia > 0.0 ? 1.0 / inertia : INFINITY,
                                  .radius = r_i > 0.0 && (r_i < r_j || !(r_j > 0.0)) ? r_i : r_j};
    memset(bond->constant, 0, sizeof bond->constant);
    bond->breaking = 0;
    RPS_TRY(setting->law->prepare(&setup, bond->constant, err));
    rps_bond_spring stiffness = {0}, damper = {0};
    setting->law->spring(bond->constant, &stiffness, &damper);
    const double k[8] = {stiffness.stretch, stiffness.shear, stiffness.bend, stiffness.twist,
                         damper.stretch,    damper.shear,    damper.bend,    damper.twist};
    for (int n = 0; n < 8; n++) {
        if (rps_finite(k[n]) && k[n] >= 0.0) continue;
        return rps_fail(err, RPS_BAD_INPUT, "bond law `%s`: its stiffnesses or dampers are beyond the range of numbers",
                        setting->law->name);
    }
    return RPS_OK;
}

rps_status rps_world_add_bond(rps_world *world, const rps_bond_def *def, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(def);
    RPS_TRY(rps_share_refuse(world, "adding a bond", err));
    new_bond n = {.world = world, .def = def, .err = err};
    snprintf(n.who, sizeof n.who, "bond %zu", world->bonds.count);
    if (def->size != sizeof *def) {
        return bond_refuse(&n, "size is %u, expected %zu; begin with rps_bond_def_default()", def->size, sizeof *def);
    }
    snprintf(n.who, sizeof n.who, "bond of bodies %lld and %lld", (long long)def->body[0], (long long)def->body[1]);
    RPS_TRY(check_world(&n));
    RPS_TRY(bond_check_bodies(&n));
    RPS_TRY(check_law(&n));
    RPS_TRY(place_bond(&n));
    double value[RPS_BOND_PARAMETERS];
    size_t setting;
    rps_bonds *bonds = &world->bonds;
    rps_status status = rps_bond_values(def->law, def->value, value, err);
    if (status == RPS_OK) status = rps_bonds_add_setting(world, def->law, value, &setting, err);
    if (status == RPS_OK) {
        n.bond.record.setting = (double)setting;
        n.bond.record.contact = (double)def->contact;
        n.bond.record.broken_at = -1.0;
        n.bond.record.strength = def->strength;
        if (def->law->measure == RPS_BOND_OF_PATH) {
            n.bond.record.path = (rps_bond_path){
                .axes = rps_quat_identity(), .half = rps_quat_identity(), .line = {0.0, 0.0, n.bond.record.length}};
        }
        status = rps_bonds_prepare(world, &n.bond, err);
    }
    if (status == RPS_OK) status = rps_bonds_reserve(world, bonds->count + 1, err);
    if (status != RPS_OK) {
        rps_error_prefix(err, "%s: ", n.who);
        return status;
    }
    const size_t at = rps_bonds_find(bonds, n.bond.body[0], n.bond.body[1]);
    if (rps_bond_of(bonds, n.bond.body[0], n.bond.body[1])) {
        rps_bonds_drop(world, at);
    }
    memmove(bonds->bond + at + 1, bonds->bond + at, (bonds->count - at) * sizeof *bonds->bond);
    bonds->bond[at] = n.bond;
    bonds->count++;
    bonds->used = bonds->stale = true;
    if (def->contact == RPS_BOND_CONTACT_NONE) {
        bonds->without_contact++;
        world->lists_stale = true;
    }
    return RPS_OK;
}

/* --- parameters by name --------------------------------------------------------------------------------------------- */

rps_status rps_bond_set(rps_bond_def *def, const char *name, double value, rps_error *err) {
    char list[512] = "";
    size_t used = 0;
    RPS_GIVEN(def);
    RPS_GIVEN(name);
    RPS_GIVEN(def->law);
    for (int k = 0; k < RPS_BOND_PARAMETERS && def->law->parameter[k].name; k++) {
        const char *known = def->law->parameter[k].name;
        if (strcmp(known, name) == 0) {
            def->value[k] = value;
            return RPS_OK;
        }
        if (used < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", known);
        }
    }
    return rps_fail(err, RPS_BAD_INPUT, "bond law `%s` has no parameter \"%s\"; it has %s", def->law->name, name, list);
}
