/*
 * Pairs of materials: their laws, the parameters of these, and the memory layout of their contacts.
 *
 * Values are checked here against the descriptors of the laws, and defaults are filled in. Then each law prepares the
 * constants of its kernel and may refuse values that only it can judge.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "law/arrays.h"
#include "shape/shape.h"
#include "world/body_shape.h"
#include "world/surface_velocity.h"
#include "world/world_internal.h"

rps_pair rps_pair_default(void) {
    rps_pair pair = {.size = sizeof(rps_pair), .form = rps_form_symmetric(), .tension = RPS_TENSION_CUT};
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        for (int k = 0; k < RPS_LAW_PARAMETERS; k++) pair.value[role][k] = NAN;
    }
    return pair;
}

/* --- checks --------------------------------------------------------------------------------------------------------- */

static int pair_parameter_count(const rps_law *law) {
    int n = 0;
    while (n < RPS_LAW_PARAMETERS && law->parameter[n].name) n++;
    return n;
}

static int choice_count(const char *choices) {
    int n = 1;
    for (; *choices; choices++) n += *choices == '|';
    return n;
}

static rps_status check_value(const rps_law *law, const rps_law_parameter *parameter, double value, rps_error *err) {
    const char *role = rps_role_name(law->role);
    if (isnan(value)) return RPS_OK;
    if (parameter->choices) {
        int n = choice_count(parameter->choices);
        for (int k = 0; k < n; k++) {
            if (value == k) return RPS_OK;
        }
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\": %s is %g; expected the number, from 0, of one of %s", role,
                        law->name, parameter->name, value, parameter->choices);
    }
    if (rps_finite(value) && value >= parameter->low && value <= parameter->high) return RPS_OK;
    const char *unit = parameter->unit, *space = *unit ? " " : "";
    if (rps_finite(parameter->low) && rps_finite(parameter->high)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\": %s is %g%s%s; expected a number from %g to %g%s%s", role,
                        law->name, parameter->name, value, space, unit, parameter->low, parameter->high, space, unit);
    }
    if (rps_finite(parameter->low)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\": %s is %g%s%s; expected a finite number of at least %g%s%s",
                        role, law->name, parameter->name, value, space, unit, parameter->low, space, unit);
    }
    return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\": %s is %g%s%s; expected a finite number", role, law->name,
                    parameter->name, value, space, unit);
}

static rps_status check_form(const rps_form *form, rps_tension tension, rps_error *err) {
    /* every choice has two values */
    const struct {
        const char *name;
        unsigned value;
    } choice[] = {{"frame", form->frame}, {"path", form->path},         {"history", form->history},
                  {"carry", form->carry}, {"damper", form->damper},     {"damper_mass", form->damper_mass},
                  {"arc", form->arc},     {"cap_load", form->cap_load}, {"tension", tension}};
    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++) {
        if (choice[k].value > 1) {
            return rps_fail(err, RPS_BAD_INPUT, "the form's choice %s is %u; expected 0 or 1", choice[k].name,
                            choice[k].value);
        }
    }
    return RPS_OK;
}

/* The law of a role: as given, or "none"; with values in range and defaults filled in. */
static rps_status take_role(const rps_world *world, rps_pair_setup *setup, rps_role role, rps_error *err) {
    const rps_law *law = setup->given.law[role];
    double *value = setup->effective.value[role];
    if (!law) {
        if (role == RPS_ROLE_NORMAL) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "a normal law is expected; without one bodies would not feel each other");
        }
        law = rps_world_find_law(world, role, "none");
        if (!law) return rps_fail(err, RPS_INTERNAL, "there is no %s law \"none\"", rps_role_name(role));
        for (int k = 0; k < RPS_LAW_PARAMETERS; k++) {
            if (!isnan(value[k])) {
                return rps_fail(err, RPS_BAD_INPUT, "the %s role has values but no law", rps_role_name(role));
            }
        }
    }
    if (law->role != role) {
        return rps_fail(err, RPS_BAD_INPUT, "law \"%s\" is a %s law and cannot serve as %s law", law->name,
                        rps_role_name(law->role), rps_role_name(role));
    }
    if (rps_world_find_law(world, role, law->name) != law) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\" is not known to this world; register it first",
                        rps_role_name(role), law->name);
    }
    const bool lines = law->lines && world->options.dimension == 3;
    if (lines && role != RPS_ROLE_NORMAL && !setup->given.law[RPS_ROLE_NORMAL]->lines) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law \"%s\" is stated for parallel cylinders, and in three dimensions only a normal law of "
                        "such contacts knows their length: use it with normal law hertz2d",
                        rps_role_name(role), law->name);
    }
    if (law->dimension != 0 && law->dimension != world->options.dimension && !lines) {
        return rps_fail(err, RPS_BAD_INPUT,
                        law->dimension == 2
                            ? "%s law \"%s\" is stated for parallel cylinders, so for planar worlds "
                              "(dimension 2); in three dimensions use hooke or hertz"
                            : "%s law \"%s\" is stated for contacts at a point, so for three dimensions; "
                              "disks of a planar world touch along a line: use hooke or hertz2d",
                        rps_role_name(role), law->name);
    }
    setup->law[role] = setup->effective.law[role] = law;
    int count = pair_parameter_count(law);
    for (int k = 0; k < RPS_LAW_PARAMETERS; k++) {
        if (k >= count && !isnan(value[k])) {
            return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\" has %d parameters, yet a value is given for number %d",
                            rps_role_name(role), law->name, count, k + 1);
        }
        if (k >= count) continue;
        RPS_TRY(check_value(law, &law->parameter[k], value[k], err));
        if (isnan(value[k])) value[k] = law->parameter[k].default_value;
    }
    return RPS_OK;
}

/* --- preparation ---------------------------------------------------------------------------------------------------- */

/* Values that laws of roll and spin may take from the slide law of their pair, in the order of
 * rps_law_setup.slide_value. */
enum { SHARED_COUNT = 3 };
static const rps_parameter_kind shared_kind[SHARED_COUNT] = {RPS_PARAMETER_STATIC, RPS_PARAMETER_KINETIC,
                                                             RPS_PARAMETER_STIFFNESS};

/* Of the parameter of a kind of the slide law; NAN if the law has none or it is not given. */
static double slide_value_of(const rps_pair_setup *setup, rps_parameter_kind kind) {
    const int at = rps_law_parameter_of(setup->law[RPS_ROLE_SLIDE], kind);
    return at < 0 ? NAN : setup->effective.value[RPS_ROLE_SLIDE][at];
}

/* A law with a single coefficient, or with one alone given, uses it for both. */
static double shared_value(const rps_pair_setup *setup, rps_parameter_kind kind) {
    const double own = slide_value_of(setup, kind);
    return isnan(own) && kind != RPS_PARAMETER_STIFFNESS ? slide_value_of(setup, RPS_PARAMETER_FRICTION) : own;
}

static rps_status prepare_law(const rps_law *law, const rps_law_setup *setup, double *constant, rps_error *err) {
    const rps_status status = law->prepare(setup, constant, err);
    if (status == RPS_BAD_INPUT && isinf(setup->young[0]) && isinf(setup->young[1])) {
        rps_error_prefix(err, "both materials are rigid, so that their contact has no stiffness of its own: ");
    }
    return status;
}

static rps_status pair_prepare(const rps_world *world, rps_pair_setup *setup, rps_error *err) {
    double shared[SHARED_COUNT];
    for (int k = 0; k < SHARED_COUNT; k++) {
        shared[k] = shared_value(setup, shared_kind[k]);
    }
    rps_law_setup s = {.nonsmooth = world->options.stepper == RPS_NONSMOOTH,
                       .slide_value = shared,
                       .normal_exponent = setup->law[RPS_ROLE_NORMAL]->exponent,
                       .normal_law = setup->law[RPS_ROLE_NORMAL]->name,
                       .tension = setup->effective.tension,
                       .form = setup->effective.form,
                       .length = world->options.dimension == 2 ? world->options.depth : NAN};
    setup->per_body_history = setup->effective.form.history == RPS_HISTORY_PER_BODY;
    setup->lines = world->options.dimension == 3 && setup->law[RPS_ROLE_NORMAL]->lines;
    s.lines = setup->lines;
    if (s.lines) s.length = 1.0;
    for (int k = 0; k < 2; k++) {
        s.young[k] = world->material[setup->material[k]].value.young;
        s.poisson[k] = world->material[setup->material[k]].value.poisson;
    }
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        s.value = setup->effective.value[role];
        RPS_TRY(prepare_law(setup->law[role], &s, setup->constant[role], err));
        setup->reads |= setup->law[role]->reads;
        setup->clears[role] = rps_role_outputs((rps_role)role) & ~setup->law[role]->writes;
        if (!rps_role_dissipates((rps_role)role)) { /* nothing reads the array where the law does not write it */
            setup->clears[role] &= ~RPS_ARRAY(dissipated);
            if (setup->law[role]->writes & RPS_ARRAY(dissipated)) setup->adds |= UINT64_C(1) << role;
        }
        setup->called[role] = !rps_law_is_idle(setup->law[role]);
        /* nothing reads these loads in a dry pair */
        if (role == RPS_ROLE_BRIDGE && !setup->called[role]) setup->clears[role] &= RPS_ARRAY(energy);
        setup->turns = setup->turns || (setup->law[role]->writes & RPS_TORQUES) != 0;
        if (setup->law[role]->effective)
            setup->law[role]->effective(setup->constant[role], setup->effective.value[role]);
        if (setup->law[role]->turn && setup->law[role]->turn(setup->constant[role]) != RPS_TURN_CARRIED) {
            setup->projects = true;
        }
        setup->spheres = setup->spheres || (role != RPS_ROLE_BRIDGE && setup->law[role]->spheres);
    }
    /* Parameters omitted for roles after slide come from slide, and are reported so. The laws saw them as omitted. */
    for (int role = RPS_ROLE_SLIDE + 1; role < RPS_ROLE_COUNT; role++) {
        for (int k = 0; k < SHARED_COUNT; k++) {
            int at = rps_law_parameter_of(setup->law[role], shared_kind[k]);
            if (at >= 0 && isnan(setup->effective.value[role][at])) setup->effective.value[role][at] = shared[k];
        }
    }
    return RPS_OK;
}

static void pair_list_flushed(const rps_pair_setup *setup, rps_record record, rps_layout *layout) {
    layout->flushes = 0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = setup->law[role];
        const bool carried = !law->turn || law->turn(setup->constant[role]) == RPS_TURN_CARRIED;
        for (int m = 0; m < RPS_LAW_MEMORY && law->memory[m].name; m++) {
            const int kind = law->memory[m].kind, lane = layout->memory[role][m];
            const bool tangent = kind & RPS_MEMORY_TANGENT;
            if (lane < 0 || (kind & RPS_MEMORY_BOOK) || (tangent && carried && record != RPS_RECORD_FRAME)) continue;
            for (int k = 0; k < (tangent ? 3 : 1); k++) layout->flushed[layout->flushes++] = lane + k;
        }
    }
}

static void pair_list_bindings(const rps_world *world, const rps_pair_setup *setup, rps_layout *layout) {
    int next = 0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law_memory *memory = setup->law[role]->memory;
        layout->bound[role] = next;
        for (int m = 0; m < RPS_LAW_MEMORY && memory[m].name; m++) {
            const int lane = layout->memory[role][m], components = memory[m].kind & RPS_MEMORY_TANGENT ? 3 : 1;
            const bool unkept = (memory[m].kind & RPS_MEMORY_BOOK) && !world->options.ledger;
            const int none = unkept ? RPS_BINDING_ZERO : RPS_BINDING_SPARE;
            for (int k = 0; k < components; k++) {
                layout->binding[next++] = (rps_binding){3 * m + k, lane >= 0 ? lane + k : none};
            }
        }
    }
    layout->bound[RPS_ROLE_COUNT] = next;
}

static void make_layout(const rps_world *world, const rps_pair_setup *setup, rps_record record, rps_layout *layout) {
    int next = 0;
    if (world->options.stepper == RPS_NONSMOOTH) {
        *layout = (rps_layout){.impulses = true,
                               .lanes = RPS_IMPULSE_LANES,
                               .modes = RPS_IMPULSE_MODES,
                               .overlap = RPS_IMPULSE_OVERLAP,
                               .track = RPS_IMPULSE_NORMAL};
        memset(layout->memory, -1, sizeof layout->memory);
        return;
    }
    layout->impulses = false;
    layout->range = layout->liquid = -1;
    layout->modes = next++;
    layout->overlap = next++;
    layout->track = next;
    next += record == RPS_RECORD_FRAME ? RPS_FRAME_LANES : 3;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        for (int k = 0; k < RPS_LAW_MEMORY; k++) layout->memory[role][k] = -1;
        const rps_law_memory *memory = setup->law[role]->memory;
        for (int k = 0; k < RPS_LAW_MEMORY && memory[k].name; k++) {
            if ((memory[k].kind & RPS_MEMORY_BOOK) && !world->options.ledger) continue;
            if (setup->law[role]->keeps && !setup->law[role]->keeps(setup->constant[role], k)) continue;
            layout->memory[role][k] = next;
            if (memory[k].kind & RPS_MEMORY_RANGE) layout->range = next;
            if (memory[k].kind & RPS_MEMORY_LIQUID) layout->liquid = next;
            next += memory[k].kind & RPS_MEMORY_TANGENT ? 3 : 1;
        }
    }
    layout->lanes = next;
    pair_list_flushed(setup, record, layout);
    pair_list_bindings(world, setup, layout);
}

static rps_status pair_check_nonsmooth(const rps_world *world, const rps_pair_setup *setup, rps_error *err) {
    for (int role = 0; world->options.stepper == RPS_NONSMOOTH && role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = setup->law[role];
        if (!law->cone) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s law \"%s\" has no form for the nonsmooth stepper%s%s; `repose list laws` tells which "
                            "have one, or use the penalty stepper",
                            rps_role_name((rps_role)role), law->name, law->nonsmooth ? ": " : "",
                            law->nonsmooth ? law->nonsmooth : "");
        }
        if (law->range && !world->options.nonsmooth.rigid) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "%s law \"%s\" acts across gaps, which the springs of the nonsmooth stepper do not; write `compliance: "
                "rigid`, take another law, or use the penalty stepper",
                rps_role_name((rps_role)role), law->name);
        }
    }
    return RPS_OK;
}

/* --- range of interaction ------------------------------------------------------------------------------------------- */

double rps_pair_range(const rps_pair_setup *pair, bool is_new, double smaller_radius, double radius_eff) {
    double range = 0.0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        if (!law->range || (is_new && !law->begins_apart)) continue;
        const double own = law->range(pair->constant[role], smaller_radius, radius_eff);
        range = own > range ? own : range;
    }
    return range;
}

/* Pads a bound by more than its rounding. Between general shapes R_eff is at most that of the lower bound of
 * curvatures. */
double rps_pair_range_bound(const rps_pair_setup *pair, double radius, bool general) {
    const double radius_eff = general ? radius / RPS_CURVATURE_FLOOR : radius;
    return (1.0 + 1e-12) * rps_pair_range(pair, false, radius, radius_eff) / radius;
}

void rps_pairs_bound_ranges(const rps_world *world, rps_pair_setup *pair_setup) {
    const rps_bodies *bodies = &world->bodies;
    double least = INFINITY;
    bool general = false, ranged = false;
    for (size_t k = 0; k < world->pairs; k++) ranged = ranged || world->pair_setup[k].ranged;
    for (size_t s = 0; s < bodies->count && ranged; s++) {
        const double radius = bodies->pose[s].radius[0];
        if (radius > 0.0 && radius < least) least = radius;
        general = general || rps_body_has_pieces(bodies, s);
    }
    for (size_t k = 0; k < world->pairs && least < INFINITY; k++) {
        rps_pair_setup *pair = &pair_setup[k];
        if (pair->ranged) pair->cutoff = rps_pair_range_bound(pair, least, general);
    }
}

/* A bridge stands between dry surfaces that have parted: other laws end where the surfaces do. */
static rps_status check_bridge(const rps_pair_setup *setup, rps_error *err) {
    const rps_law *bridge = setup->law[RPS_ROLE_BRIDGE];
    if (!setup->wet) return RPS_OK;
    int flags = 0;
    for (int m = 0; m < RPS_LAW_MEMORY && bridge->memory[m].name; m++) flags |= bridge->memory[m].kind;
    if (!bridge->range || !bridge->liquid || !(flags & RPS_MEMORY_RANGE) || !(flags & RPS_MEMORY_LIQUID)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "bridge law \"%s\": a law of bridges has `range` and `liquid`, and memories flagged "
                        "RPS_MEMORY_RANGE and RPS_MEMORY_LIQUID",
                        bridge->name);
    }
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = setup->law[role];
        if (role == RPS_ROLE_BRIDGE || !law->range) continue;
        return rps_fail(
            err, RPS_BAD_INPUT,
            "bridge law \"%s\": %s law \"%s\" acts across gaps of its own, where the bridge acts; take a law "
            "that ends where the surfaces part, as hertz or hooke",
            bridge->name, rps_role_name((rps_role)role), law->name);
    }
    if (!setup->law[RPS_ROLE_NORMAL]->rigid_geometry) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "bridge law \"%s\": normal law \"%s\" has no overlap, and so no gap that a bridge could span; take "
                    "hertz or hooke",
                    bridge->name, setup->law[RPS_ROLE_NORMAL]->name);
}

/* Candidate lists rely on how a range grows with the radii: checked over the sizes of grains. */
static rps_status check_ranges(const rps_pair_setup *setup, rps_error *err) {
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = setup->law[role];
        double before = 0.0;
        for (double radius = 1e-7; law->range && radius < 20.0; radius *= 2.0) {
            const double range = law->range(setup->constant[role], radius, radius);
            const double wide = law->range(setup->constant[role], radius, 2.0 * radius);
            if (!(rps_finite(range) && range >= 0.0)) {
                return rps_fail(err, RPS_BAD_INPUT,
                                "%s law \"%s\": its range is %g m for a radius of %g m; expected 0 or a "
                                "positive number",
                                rps_role_name((rps_role)role), law->name, range, radius);
            }
            /* between grains of twice the size */
            if (!(wide >= range && wide <= 2.0 * (1.0 + 1e-9) * range && range >= before &&
                  (radius == 1e-7 || range <= 2.0 * (1.0 + 1e-9) * before))) {
                return rps_fail(
                    err, RPS_BAD_INPUT,
                    "%s law \"%s\": its range is %g m for a radius of %g m, but %g m for half of it and %g m for "
                    "twice the effective radius; it must not fall as radii grow, and must not grow faster than "
                    "they do",
                    rps_role_name((rps_role)role), law->name, range, radius, before, wide);
            }
            before = range;
        }
    }
    return RPS_OK;
}

static rps_status make_setup(const rps_world *world, rps_pair_setup *setup, rps_error *err) {
    RPS_TRY(check_form(&setup->given.form, setup->given.tension, err));
    if (!(setup->given.wear >= 0.0 && setup->given.wear < INFINITY)) {
        return rps_fail(err, RPS_BAD_INPUT, "the wear coefficient of a pair must be 0 1/Pa or more, not %g",
                        setup->given.wear);
    }
    setup->effective = setup->given;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        RPS_TRY(take_role(world, setup, (rps_role)role, err));
        setup->ranged = setup->ranged || (setup->law[role]->range != NULL && world->options.stepper == RPS_PENALTY);
        setup->gaps = setup->gaps || (setup->law[role]->begins_apart && !setup->law[RPS_ROLE_NORMAL]->rigid_geometry);
    }
    setup->wet = !rps_law_is_idle(setup->law[RPS_ROLE_BRIDGE]);
    RPS_TRY(check_bridge(setup, err));
    RPS_TRY(pair_check_nonsmooth(world, setup, err));
    if (world->options.stepper == RPS_NONSMOOTH && world->options.nonsmooth.margin > setup->cutoff) {
        setup->cutoff = world->options.nonsmooth.margin;
    }
    RPS_TRY(pair_prepare(world, setup, err));
    RPS_TRY(check_ranges(setup, err));
    for (int record = 0; record < RPS_RECORD_COUNT; record++) {
        make_layout(world, setup, (rps_record)record, &setup->layout[record]);
    }
    return RPS_OK;
}

rps_status rps_pair_setup_make(const rps_world *world, int material_a, int material_b, const rps_pair *pair,
                               rps_pair_setup *setup, rps_error *err) {
    int low = material_a < material_b ? material_a : material_b,
        high = material_a < material_b ? material_b : material_a;
    if (low < 0 || (size_t)high >= world->materials) {
        return rps_fail(err, RPS_BAD_INPUT, "pair: there is no material number %d; the world has %zu",
                        low < 0 ? low : high, world->materials);
    }
    if (pair->size != sizeof *pair) {
        return rps_fail(err, RPS_BAD_INPUT, "pair: size is %u, expected %zu; begin with rps_pair_default()", pair->size,
                        sizeof *pair);
    }
    *setup = (rps_pair_setup){.material = {low, high}, .given = *pair};
    rps_status status = make_setup(world, setup, err);
    if (status != RPS_OK) {
        rps_error_prefix(err, "pair %s, %s: ", world->material[low].name, world->material[high].name);
    }
    return status;
}

rps_status rps_pair_setup_put(rps_world *world, const rps_pair_setup *setup, rps_error *err) {
    const size_t low = (size_t)setup->material[0], high = (size_t)setup->material[1];
    size_t cell = low * world->materials + high, mirror = high * world->materials + low;
    int known = world->pair_of[cell];
    if (known < 0) {
        void *grown;
        RPS_TRY(rps_list_grown(world->allocator, world->pair_setup, world->pairs, sizeof *setup, &grown, err));
        rps_list_keep(world->allocator, world->pair_setup, world->pairs, sizeof *setup, grown);
        world->pair_setup = grown;
        known = (int)world->pairs++;
        world->pair_of[cell] = world->pair_of[mirror] = known;
    }
    world->pair_setup[known] = *setup;
    rps_pairs_bound_ranges(world, world->pair_setup);
    world->lists_stale = true;
    return RPS_OK;
}

/* --- questions ------------------------------------------------------------------------------------------------------ */

const rps_pair_setup *rps_world_pair_of(const rps_world *world, int material_a, int material_b) {
    if (material_a < 0 || material_b < 0) return NULL;
    size_t a = (size_t)material_a, b = (size_t)material_b;
    if (a >= world->materials || b >= world->materials) return NULL;
    int index = world->pair_of[a * world->materials + b];
    return index < 0 ? NULL : &world->pair_setup[index];
}

bool rps_world_has_pair(const rps_world *world, int a, int b) {
    return rps_world_pair_of(world, a, b) != NULL;
}

size_t rps_world_pair_values(const rps_world *world, int a, int b, rps_pair_value *out, size_t capacity) {
    const rps_pair_setup *setup = rps_world_pair_of(world, a, b);
    size_t count = 0;
    for (int role = 0; setup && role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = setup->law[role];
        if (rps_role_is_optional((rps_role)role) && rps_law_is_idle(law)) continue;
        int parameters = pair_parameter_count(law);
        for (int k = 0; k < (parameters > 0 ? parameters : 1); k++, count++) {
            if (count >= capacity) continue;
            out[count] = (rps_pair_value){.role = (rps_role)role, .law = law->name, .unit = "", .value = NAN};
            if (parameters == 0) continue;
            out[count].parameter = law->parameter[k].name;
            out[count].unit = law->parameter[k].unit;
            out[count].value = setup->effective.value[role][k];
            out[count].given = !isnan(setup->given.value[role][k]);
        }
    }
    return count;
}

/* --- entries -------------------------------------------------------------------------------------------------------- */

bool rps_world_plane_turns(const rps_world *world, size_t slot) {
    if (world->bodies.kind[slot][0] != RPS_BODY_DRIVEN) return false;
    const rps_drive *drive = &world->driven[world->bodies.drive[slot][0]].now;
    return rps_drive_surface_turns(world, drive) || rps_drive_turns(world, drive);
}

rps_record rps_world_record_of(const rps_world *world, size_t slot_i, size_t slot_j) {
    const rps_bodies *bodies = &world->bodies;
    const size_t slot[2] = {slot_i, slot_j};
    int planes = 0;
    if (world->options.frames) return RPS_RECORD_FRAME;
    for (int k = 0; k < 2; k++) {
        const rps_body_shape shape = rps_body_shape_of(bodies, slot[k]);
        if (shape == RPS_BODY_SPHERE && rps_body_runs(world, slot[k])) return RPS_RECORD_FRAME;
        if (shape == RPS_BODY_SPHERE) continue;
        if (shape == RPS_BODY_PIECES) return RPS_RECORD_FRAME;
        planes++;
        if (rps_world_plane_turns(world, slot[k])) return RPS_RECORD_FRAME;
    }
    return planes > 0 ? RPS_RECORD_FLAT : RPS_RECORD_COMPACT;
}

/* The mass (or inertia) that a damper uses for two bodies; if one cannot move (inverse 0), that of the other. */
static double damper_of(rps_form_damper_mass choice, double m_i, double inverse_i, double m_j, double inverse_j) {
    if (inverse_i == 0.0 && inverse_j == 0.0) return 0.0;
    if (inverse_i == 0.0) return m_j;
    if (inverse_j == 0.0) return m_i;
    return choice == RPS_DAMPER_MASS_AVERAGE ? 0.5 * (m_i + m_j) : m_i * m_j / (m_i + m_j);
}

void rps_contact_constants(const rps_world *world, const rps_pair_setup *pair, const size_t slot[2],
                           const double radius[2], double constant[RPS_CONSTANT_LANES]) {
    const rps_bodies *bodies = &world->bodies;
    const size_t slot_i = slot[0], slot_j = slot[1];
    const rps_motion *motion_i = &bodies->motion[slot_i], *motion_j = &bodies->motion[slot_j];
    const double radius_i = radius[0], radius_j = radius[1];
    double inverse_i = motion_i->inverse_mass[0], inverse_j = motion_j->inverse_mass[0];
    rps_form_damper_mass choice = pair->effective.form.damper_mass;
    /* a plane has radius 0 in the arrays and an infinite one here */
    constant[RPS_CONSTANT_RADIUS_EFF] = radius_i == 0.0   ? radius_j
                                        : radius_j == 0.0 ? radius_i
                                                          : radius_i * radius_j / (radius_i + radius_j);
    double inverse = inverse_i + inverse_j;
    constant[RPS_CONSTANT_MASS_EFF] = inverse > 0.0 ? 1.0 / inverse : 1.0;
    constant[RPS_CONSTANT_DAMPER_MASS_SQRT] =
        sqrt(damper_of(choice, bodies->mass[slot_i][0], inverse_i, bodies->mass[slot_j][0], inverse_j));
    constant[RPS_CONSTANT_DAMPER_INERTIA_SQRT] =
        sqrt(damper_of(choice, rps_mean_inertia(bodies->inertia[slot_i]), motion_i->inverse_inertia[0],
                       rps_mean_inertia(bodies->inertia[slot_j]), motion_j->inverse_inertia[0]));
}

void rps_entry_constants(const rps_world *world, const rps_segment *segment, size_t place,
                         double constant[RPS_CONSTANT_LANES]) {
    const size_t slot[2] = {segment->slot_i[place], segment->slot_j[place]};
    const rps_subkey subkey = rps_segment_subkey(segment, place);
    const uint32_t piece[2] = {subkey.piece_i, subkey.piece_j};
    double radius[2];
    for (int k = 0; k < 2; k++) {
        const rps_piece *first = rps_record_has_offsets(segment->record) ? rps_body_pieces(world, slot[k]) : NULL;
        radius[k] = first != NULL ? first[piece[k]].radius : world->bodies.pose[slot[k]].radius[0];
    }
    rps_contact_constants(world, &world->pair_setup[segment->pair], slot, radius, constant);
}
