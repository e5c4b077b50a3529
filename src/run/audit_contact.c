/* A law in isolation: its pair, its world, its lanes. */
#include "run/audit_contact.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"

static bool is_friction(rps_parameter_kind kind) {
    return kind == RPS_PARAMETER_FRICTION || kind == RPS_PARAMETER_STATIC || kind == RPS_PARAMETER_KINETIC;
}

const rps_law *rps_audit_law(const audit_subject *subject) {
    return subject->own ? subject->own : rps_law_find(subject->role, subject->law);
}

static rps_status use(const audit_subject *subject, double friction, rps_pair *pair, rps_error *err) {
    const rps_law *law = rps_audit_law(subject);
    if (!law) {
        return rps_fail(err, RPS_INTERNAL, "the audit names %s law `%s`, which the library does not have",
                        rps_role_name(subject->role), subject->law);
    }
    pair->law[subject->role] = law;
    for (int v = 0; v < AUDIT_VALUES && subject->value[v].name; v++) {
        const char *name = subject->value[v].name;
        int k = 0;
        if (strcmp(name, "carry") == 0) {
            pair->form.carry = (rps_form_carry)subject->value[v].value;
            continue;
        }
        while (k < RPS_LAW_PARAMETERS && law->parameter[k].name && strcmp(law->parameter[k].name, name) != 0) k++;
        if (k == RPS_LAW_PARAMETERS || !law->parameter[k].name) {
            return rps_fail(err, RPS_INTERNAL, "the audit gives %s law `%s` a parameter `%s`, which it does not have",
                            rps_role_name(subject->role), subject->law, name);
        }
        pair->value[subject->role][k] =
            subject->value[v].value * (is_friction(law->parameter[k].kind) ? friction : 1.0);
    }
    return RPS_OK;
}

bool rps_audit_is_angle(const audit_subject *subject) {
    int v = 0;
    while (v < AUDIT_VALUES && subject->value[v].name && strcmp(subject->value[v].name, "carry") != 0) v++;
    return v < AUDIT_VALUES && subject->value[v].name && subject->value[v].value == RPS_CARRY_ANGLE;
}

bool rps_audit_is_planar(const audit_subject *subject) {
    const rps_law *law = rps_audit_law(subject);
    return law && law->dimension == 2;
}

rps_status rps_audit_pair(const audit_subject *subject, double friction, rps_pair *pair, rps_error *err) {
    static const audit_subject normal = AUDIT_SUBJECT(RPS_ROLE_NORMAL, "hertz", "", {{NULL, 0.0}});
    static const audit_subject slide = AUDIT_SUBJECT(
        RPS_ROLE_SLIDE, "tracked", "", {{"static", 0.5}, {"kinetic", 0.4}, {"stiffness", 3e6}, {"damping", 0.0}});
    static const audit_subject disks = AUDIT_SUBJECT(RPS_ROLE_NORMAL, "hertz2d", "", {{NULL, 0.0}});
    *pair = rps_pair_default();
    pair->tension = RPS_TENSION_ALLOW;
    if (subject->role != RPS_ROLE_NORMAL) RPS_TRY(use(rps_audit_is_planar(subject) ? &disks : &normal, 1.0, pair, err));
    if (subject->role > RPS_ROLE_SLIDE) RPS_TRY(use(&slide, friction, pair, err));
    return use(subject, friction, pair, err);
}

rps_status rps_audit_world(const audit_subject *subject, double friction, double poisson, double step,
                           rps_world **world, rps_error *err) {
    rps_pair pair;
    rps_world_options options = rps_world_options_default();
    rps_material material = rps_material_default();
    options.step = step;
    options.threads = 1;
    options.dimension = rps_audit_is_planar(subject) ? 2 : 3;
    options.depth = AUDIT_RADIUS;
    options.check_laws = subject->own != NULL; /* the tests of the library check its own */
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_OFF;
    material.name = "stuff";
    material.young = 70e9;
    material.poisson = poisson;
    material.density = AUDIT_DENSITY;
    RPS_TRY(rps_audit_pair(subject, friction, &pair, err));
    RPS_TRY(rps_world_create(&options, world, err));
    rps_status status = rps_world_add_material(*world, &material, NULL, err);
    if (status == RPS_OK && subject->own) status = rps_world_register_law(*world, subject->own, err);
    if (status == RPS_OK) status = rps_world_set_pair(*world, 0, 0, &pair, err);
    if (status != RPS_OK) {
        rps_world_destroy(*world);
        *world = NULL;
    }
    return status;
}

rps_status rps_audit_contact_open(audit_contact *c, const audit_subject *subject, double friction, double poisson,
                                  rps_error *err) {
    c->world = NULL;
    RPS_TRY(rps_audit_world(subject, friction, poisson, 1e-5, &c->world, err));
    c->law = rps_audit_law(subject);
    c->constant = rps_world_pair_of(c->world, 0, 0)->constant[subject->role];
    c->modulus = 0.5 * 70e9 / (1.0 - poisson * poisson);
    c->shear = 70e9 / (4.0 * (1.0 + poisson) * (2.0 - poisson));
    c->radius = 0.5 * AUDIT_RADIUS;
    c->mass = 4.0 / 3.0 * RPS_PI * AUDIT_RADIUS * AUDIT_RADIUS * AUDIT_RADIUS * AUDIT_DENSITY;
    rps_audit_contact_renew(c);
    return RPS_OK;
}

void rps_audit_contact_close(audit_contact *c) {
    rps_world_destroy(c->world);
    c->world = NULL;
}

static void audit_contact_fill(audit_contact *c, const double *array, double value) {
    rps_batch_alone_fill(&c->alone, array, value);
}

void rps_audit_contact_renew(audit_contact *c) {
    const rps_batch *b = &c->alone.b;
    rps_batch_alone_open(&c->alone, 8, 1e-5);
    c->alone.b.rate = 1e5;
    c->first_state = (int)((b->elastic[0] - c->alone.array[0]) / RPS_BATCH);
    audit_contact_fill(c, b->touch, 1.0);
    audit_contact_fill(c, b->new_contact, 1.0);
    audit_contact_fill(c, b->length, 1.0);
    audit_contact_fill(c, b->radius[0], AUDIT_RADIUS);
    audit_contact_fill(c, b->radius[1], AUDIT_RADIUS);
    audit_contact_fill(c, b->mass_eff, 0.5 * c->mass);
    rps_batch_alone_fill_radius(&c->alone, c->radius);
    audit_contact_fill(c, b->damper_mass_sqrt, sqrt(0.5 * c->mass));
    audit_contact_fill(c, b->damper_inertia_sqrt, sqrt(0.2 * c->mass) * AUDIT_RADIUS);
    c->load[0] = c->load[1] = c->work = c->spent = c->stored = 0.0;
}

void rps_audit_contact_move(audit_contact *c, double dx, double dy, double n) {
    const rps_batch *b = &c->alone.b;
    const rps_role role = c->law->role;
    const double size = fabs(n), before = b->overlap[0], x = size / (RPS_PI * c->modulus * AUDIT_RADIUS); /* of disks */
    const bool disks = c->law->dimension == 2, some = size > 0.0;
    const double a = !some ? 0.0 : disks ? 2.0 * sqrt(x * c->radius) : rps_cbrt(0.75 * size * c->radius / c->modulus);
    const double depth = disks && some ? x * (rps_log(8.0 * AUDIT_RADIUS / x) - 1.0) : a * a / c->radius;
    audit_contact_fill(c, b->overlap, depth);
    audit_contact_fill(c, b->overlap_increment, b->new_contact[0] > 0.5 ? 0.0 : b->overlap[0] - before);
    audit_contact_fill(c, b->contact_radius, a);
    audit_contact_fill(c, b->stiffness, 2.0 * c->modulus * a);
    audit_contact_fill(c, b->elastic_load, n);
    audit_contact_fill(c, b->cap_load, n > 0.0 ? n : 0.0);
    audit_contact_fill(c, b->weight, 10.0);
    const double *const first = role == RPS_ROLE_SLIDE ? b->slip[0] : role == RPS_ROLE_ROLL ? b->roll_i[0] : b->spin;
    const double *const second = role == RPS_ROLE_SLIDE ? b->slip[1] : role == RPS_ROLE_ROLL ? b->roll_i[1] : NULL;
    const bool normal = role == RPS_ROLE_NORMAL || role == RPS_ROLE_DAMPING;
    if (!normal) audit_contact_fill(c, first, dx);
    if (!normal && second) audit_contact_fill(c, second, dy);
    const double old[2] = {c->load[0], c->load[1]};
    c->law->kernel[0](b, c->constant);
    audit_contact_fill(c, b->new_contact, 0.0);
    switch (role) {
    case RPS_ROLE_NORMAL:
        c->load[0] = b->elastic_load[0];
        break;
    case RPS_ROLE_DAMPING:
        c->load[0] = b->damping_load[0];
        break;
    case RPS_ROLE_SLIDE:
        c->load[0] = b->slide_force[0][0];
        c->load[1] = b->slide_force[1][0];
        break;
    case RPS_ROLE_ROLL:
        c->load[0] = b->roll_torque_i[0][0];
        c->load[1] = b->roll_torque_i[1][0];
        break;
    default:
        c->load[0] = b->spin_torque[0];
    }
    const double along = normal ? b->overlap_increment[0] : dx, across = second && !normal ? dy : 0.0;
    const double work = 0.5 * ((old[0] + c->load[0]) * along + (old[1] + c->load[1]) * across);
    c->work += work;
    if (work > 0.0) c->spent += work;
    c->stored = b->energy[role][0];
}

void rps_audit_contact_ramp(audit_contact *c, double dx, double dy, double n0, double n1, int steps) {
    for (int k = 1; k <= steps; k++) rps_audit_contact_move(c, dx / steps, dy / steps, n0 + (n1 - n0) * k / steps);
}

double rps_audit_contact_balance(audit_contact *c, double force, double n, double stiffness) {
    double state[RPS_ALONE_ARRAYS] = {0.0}, dx = 0.0;
    for (int k = c->first_state; k < RPS_ALONE_ARRAYS; k++) state[k] = c->alone.array[k][0];
    for (int trial = 0; trial < 8; trial++) {
        for (int k = c->first_state; k < RPS_ALONE_ARRAYS && trial; k++) c->alone.array[k][0] = state[k];
        if (trial) dx += (force - c->load[0]) / stiffness;
        rps_audit_contact_move(c, dx, 0.0, n);
    }
    return dx;
}
