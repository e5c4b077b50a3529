/*
 * Contacts after a nonsmooth step: loads, energies, memory, results.
 *
 * The work of a contact's impulse r on its bodies in a step is r . (u_old + u_new)/2, exactly. Part of it is the
 * energy that its springs released; the rest was dissipated: by impact and the implicit spring (damping), slide, roll
 * and spin. So the kinetic energy closes to rounding. The ledger's residual is the potential of gravity along x + h
 * v_new, of first order.
 */
#include <math.h>
#include <string.h>

#include "base/flush.h"
#include "detect/detect.h"
#include "detect/pair_sheet.h"
#include "step/nonsmooth.h"
#include "world/body_shape.h"

/* A load above this fraction of its threshold counts as on it. */
static const double ON_CONE = 1.0 - 1e-6;

static rps_vec3 nonsmooth_energy_across(const rps_step_contact *c, const double *r) {
    return rps_vec3_add(rps_vec3_scale(c->t1, r[0]), rps_vec3_scale(c->t2, r[1]));
}

/* --- loads ---------------------------------------------------------------------------------------------------------- */

typedef struct after_solution {
    const rps_world *world;
    const rps_nonsmooth *ns;
    rps_contacts *contacts; /* written */
    rps_segment *segment;   /* in forget_part */
    bool first;             /* in account_part */
} after_solution;

static void loads_part(void *context, rps_part part) {
    const after_solution *after = context;
    const rps_nonsmooth *ns = after->ns;
    rps_contacts *contacts = after->contacts;
    const rps_step_contact *contact = ns->now.contact.p;
    const double *impulse = ns->now.impulse.p;
    const double rate = 1.0 / after->world->step;
    for (size_t k = part.begin; k < part.end; k++) {
        const rps_step_contact *c = &contact[k];
        const double *r = impulse + 6 * k;
        const uint32_t *place = contacts->place[c->segment->begin + c->place];
        rps_contact_load *i = &contacts->load[place[0]], *j = &contacts->load[place[1]];
        const double normal = r[0] * rate - c->pull;
        const rps_vec3 force =
            rps_vec3_add_scaled(rps_vec3_scale(nonsmooth_energy_across(c, r + 1), rate), normal, c->n);
        const rps_vec3 couple =
            rps_vec3_scale(rps_vec3_add_scaled(nonsmooth_energy_across(c, r + 4), r[3], c->n), rate);
        rps_vec3_put(i->force, force);
        rps_vec3_put(j->force, rps_vec3_neg(force));
        rps_vec3_put(i->torque, rps_vec3_add(rps_vec3_cross(c->branch[0], force), couple));
        rps_vec3_put(j->torque, rps_vec3_neg(rps_vec3_add(rps_vec3_cross(c->branch[1], force), couple)));
    }
}

void rps_nonsmooth_loads(const rps_world *world, const rps_nonsmooth *ns, rps_contacts *contacts) {
    const size_t references = contacts->reference_begin[world->bodies.count];
    if (references > 0) {
        memset(contacts->load, 0, references * sizeof *contacts->load);
        memset(contacts->has_load, 1, references * sizeof *contacts->has_load);
    }
    after_solution after = {.world = world, .ns = ns, .contacts = contacts};
    rps_parallel_for(rps_step_workers(world, ns->contacts), ns->contacts, loads_part, &after);
}

/* --- accounts and memory -------------------------------------------------------------------------------------------- */

static double dot2(const double *a, const double *b, int count) {
    return count == 1 ? a[0] * b[0] : a[0] * b[0] + a[1] * b[1];
}

static void nonsmooth_energy_book(rps_contacts *contacts, const rps_segment *segment, size_t place,
                                  const double spent[RPS_ACCOUNTS]) {
    const uint32_t *side = contacts->place[segment->begin + place];
    for (int k = 0; k < RPS_ACCOUNTS; k++) {
        rps_contact_load *load = &contacts->load[side[k / RPS_LOAD_ACCOUNTS]];
        load->number[rps_load_account(k % RPS_LOAD_ACCOUNTS)] = spent[k];
    }
}

/* Where the energy of a group is recorded, the bit of its mode, its first row and number of rows. The impact and the
 * implicit spring of the normal row count as damping. */
static const int booked_as[RPS_GROUPS] = {RPS_ACCOUNT_DAMPING, RPS_ACCOUNT_SLIDE, RPS_ACCOUNT_SPIN, RPS_ACCOUNT_ROLL};
static const int stored_as[RPS_GROUPS] = {RPS_STORED_NORMAL, RPS_STORED_SLIDE, RPS_STORED_SPIN, RPS_STORED_ROLL};
static const int mode_bit[RPS_GROUPS] = {0, 1 << RPS_MODE_SLIDE, 1 << RPS_MODE_SPIN, 1 << RPS_MODE_ROLL};
static const int first_row[RPS_GROUPS] = {0, 1, 3, 4}, row_count[RPS_GROUPS] = {1, 2, 1, 2};

/* True if the load of a group lies on its cone while the group slips. `u` holds velocities with bias and spring. */
static bool slips(const rps_cone_contact *cone, const double *r, const double *u, int group, double slow) {
    const double cap = cone->c[group - 1] * r[0];
    const double *load = r + first_row[group], *way = u + first_row[group];
    return cap > 0.0 && sqrt(dot2(load, load, row_count[group])) >= ON_CONE * cap &&
           sqrt(dot2(way, way, row_count[group])) > slow;
}

/* Impulse of the normal spring at the end of the step. */
static double normal_part(const rps_world *world, const rps_step_contact *c, double impulse, double speed) {
    const double h = world->step, k = c->stiffness[0];
    if (c->follows[0]) return h * rps_nonsmooth_spring_load(c, rps_nonsmooth_depth(c, h, speed));
    if (c->impact && !world->options.nonsmooth.rigid) return 0.0; /* it does not act yet */
    if (!(k < INFINITY) || !(c->damper[0] > 0.0)) return impulse;
    const double overlap = -(c->gap_held + h * speed);
    return overlap > 0.0 && impulse > 0.0 ? h * k * overlap : 0.0;
}

/* Normal impulse that holds the friction springs at the end of the step: in an impact no more than the load before it. */
static double holding_part(const rps_world *world, const rps_step_contact *c, double impulse, double elastic,
                           double speed) {
    if (c->impact && !world->options.nonsmooth.rigid) return c->memory[0];
    if (!c->follows[0]) return impulse;
    const double load = elastic - world->step * c->damper[0] * speed;
    return elastic > 0.0 && load > 0.0 ? load : 0.0;
}

/* Impulses of the springs of a group of friction at the end of the step, of which `cap` holds so much. True if they slip: a
 * spring that is followed by its extension alone, without its dashpot. */
static bool friction_part(const rps_world *world, const rps_step_contact *c, const double *impulse,
                          const double *velocity, int group, double cap, bool slip, double *elastic) {
    const double h = world->step, k = c->stiffness[group], acts = c->follows[group] ? 0.5 * c->acts : h;
    const double *r = impulse + first_row[group], *u = velocity + first_row[group], *was = c->was + first_row[group];
    const double *memory = c->memory + first_row[group];
    const int rows = row_count[group];
    const bool all = !c->follows[group] && (slip || !(k < INFINITY) || !(c->damper[group] > 0.0));
    for (int q = 0; q < rows; q++) {
        elastic[q] = all ? r[q] : memory[q] - h * acts * k * (u[q] + (c->follows[group] ? was[q] : 0.0));
        if (!(k > 0.0)) elastic[q] = 0.0; /* a dashpot alone keeps nothing */
    }
    const double size = sqrt(dot2(elastic, elastic, rows));
    if (!all || c->impact) {
        for (int q = 0; q < rows && size > cap; q++) elastic[q] *= cap / size;
    }
    return c->follows[group] && k > 0.0 ? size > cap : slip;
}

/* J, stored at the end of the step, or half a step before it, by a group with these impulses of its springs. */
static double spring_stores(const rps_world *world, const rps_step_contact *c, int group, const double *elastic,
                            double speed) {
    const double h = world->step, stiffness = h * h * c->stiffness[group];
    if (group == 0 && c->follows[0]) return rps_nonsmooth_spring_energy(c, rps_nonsmooth_depth(c, h, speed));
    if (!(stiffness > 0.0) || !(stiffness < INFINITY)) return 0.0;
    const double share = group == 0 ? 1.0 / (c->exponent + 1.0) : 0.5;
    const double of_pull = group == 0 && c->pull > 0.0 ? c->pull * elastic[0] * h / stiffness : 0.0;
    return share * dot2(elastic, elastic, row_count[group]) / stiffness - of_pull;
}

static void account(const after_solution *after, size_t k) {
    const rps_world *world = after->world;
    const rps_nonsmooth *ns = after->ns;
    const bool first = after->first;
    const rps_step_contact *c = (const rps_step_contact *)ns->now.contact.p + k;
    const rps_cone_contact *cone = (const rps_cone_contact *)ns->now.cone.p + k;
    rps_segment *segment = rps_segment_to_write(after->contacts, c->segment);
    const double *r = (const double *)ns->now.impulse.p + 6 * k;
    double spent[RPS_ACCOUNTS] = {0.0};
    const double size = rps_body_half_width(world, c->slot[0]) > 0.0 ? rps_body_half_width(world, c->slot[0])
                                                                     : rps_body_half_width(world, c->slot[1]);
    const double h = world->step;
    double u[6], mean[6], give[6], elastic[6] = {0.0}, stored[RPS_STORED] = {0.0}, hold = 0.0;
    rps_contact_velocity(c, ns->after.p, u);
    /* before the first step springs are where its velocities begin */
    const double speed = first ? -c->was[0] : u[0];
    int modes = r[0] > 0.0 || (c->follows[0] && rps_nonsmooth_depth(c, h, speed) > 0.0) ? 1 : 0;
    for (int row = 0; row < 6; row++) mean[row] = 0.5 * (c->was[row] + u[row]);
    for (int group = 0; group < RPS_GROUPS; group++) {
        const int row = first_row[group], rows = row_count[group], at = stored_as[group];
        bool slip = false;
        const double kept = c->follows[group] ? c->kept : 1.0;
        for (int q = row; q < row + rows; q++) {
            give[q] = u[q] + cone->compliance[group] * (r[q] - kept * c->memory[q]) + c->past[group] * c->was[q];
        }
        if (group == 0) {
            elastic[0] = normal_part(world, c, r[0], u[0]);
            hold = holding_part(world, c, r[0], elastic[0], u[0]);
        } else {
            slip = modes && slips(cone, r, give, group, ns->slip_speed / (group == RPS_SLIDE_GROUP ? 1.0 : size));
            slip = friction_part(world, c, r, u, group, cone->c[group - 1] * hold, slip, elastic + row);
            modes |= modes && slip ? mode_bit[group] : 0;
        }
        for (int q = row; first && q < row + rows; q++) elastic[q] = r[q];
        stored[at] = spring_stores(world, c, group, elastic + row, speed);
        double work = dot2(r + row, mean + row, rows);
        if (group == 0) work -= h * c->pull * mean[0]; /* which has stored its work over the overlap */
        const double before = rps_segment_get(c->segment, RPS_IMPULSE_ENERGY + at, c->place);
        spent[booked_as[group]] = first ? 0.0 : -work - (stored[at] - before);
    }
    nonsmooth_energy_book(after->contacts, c->segment, c->place, spent);
    const double exists = modes ? 1.0 : 0.0;
    double t[3], roll[3], n[3];
    rps_vec3_put(t, nonsmooth_energy_across(c, elastic + 1));
    rps_vec3_put(roll, nonsmooth_energy_across(c, elastic + 4));
    rps_vec3_put(n, c->n);
    rps_segment_set(segment, RPS_IMPULSE_MODES, c->place, rps_flush(modes));
    rps_segment_set(segment, RPS_IMPULSE_OVERLAP, c->place, rps_flush(exists * -c->gap));
    rps_segment_set(segment, RPS_IMPULSE_N, c->place, rps_flush(exists * elastic[0]));
    rps_segment_set(segment, RPS_IMPULSE_SPIN, c->place, rps_flush(exists * elastic[3]));
    rps_segment_set(segment, RPS_IMPULSE_SLIP, c->place, rps_flush(exists * ((const double *)ns->now.slip.p)[k]));
    for (int q = 0; q < 3; q++) {
        rps_segment_set(segment, RPS_IMPULSE_NORMAL + q, c->place, rps_flush(exists * n[q]));
        rps_segment_set(segment, RPS_IMPULSE_T + q, c->place, rps_flush(exists * t[q]));
        rps_segment_set(segment, RPS_IMPULSE_ROLL + q, c->place, rps_flush(exists * roll[q]));
    }
    for (int q = 0; q < RPS_STORED; q++)
        rps_segment_set(segment, RPS_IMPULSE_ENERGY + q, c->place, rps_flush(exists * stored[q]));
}

/* A contact that has lost its rows: its stored energy is dissipated, as damping or by its friction. */
static void forget(rps_contacts *contacts, rps_segment *segment, size_t place) {
    double spent[RPS_ACCOUNTS] = {0.0};
    for (int group = 0; group < RPS_GROUPS; group++) {
        spent[booked_as[group]] = rps_segment_get(segment, RPS_IMPULSE_ENERGY + stored_as[group], place);
    }
    nonsmooth_energy_book(contacts, segment, place, spent);
    for (int l = 0; l < RPS_IMPULSE_LANES; l++) rps_segment_set(segment, l, place, 0.0);
}

/* True if the guard must see this overlap. */
static bool is_beyond_guard(const rps_world *world, const rps_step_contact *c) {
    const double a = rps_body_half_width(world, c->slot[0]), b = rps_body_half_width(world, c->slot[1]);
    const double smaller = a > 0.0 && (a < b || !(b > 0.0)) ? a : b;
    const bool conformal = c->gap <= 0.0 && c->conformity >= RPS_SHEET_CONFORMAL;
    return conformal || -c->gap > world->guard.overlap * smaller;
}

static void forget_part(void *context, rps_part part) {
    const after_solution *after = context;
    const uint32_t *picked = after->ns->picked.p;
    rps_segment *segment = after->segment;
    for (size_t place = part.begin; place < part.end; place++) {
        if (picked[segment->begin + place] == 0 && rps_segment_get(segment, RPS_IMPULSE_MODES, place) > 0.5) {
            forget(after->contacts, segment, place);
        }
    }
}

static void account_part(void *context, rps_part part) {
    const after_solution *after = context;
    for (size_t k = part.begin; k < part.end; k++) account(after, k);
}

bool rps_nonsmooth_accounts(const rps_world *world, const rps_nonsmooth *ns, rps_contacts *contacts, bool first) {
    const rps_workers workers = rps_step_workers(world, ns->contacts);
    after_solution after = {.world = world, .ns = ns, .contacts = contacts, .first = first};
    for (size_t n = 0; n < contacts->segments; n++) {
        after.segment = &contacts->segment[n];
        rps_parallel_for(workers, after.segment->count, forget_part, &after);
    }
    rps_parallel_for(workers, ns->contacts, account_part, &after);
    bool beyond = false;
    for (size_t k = 0; k < ns->contacts && !beyond; k++) {
        beyond = is_beyond_guard(world, (const rps_step_contact *)ns->now.contact.p + k);
    }
    return beyond;
}

void rps_nonsmooth_energy(const rps_world *world, rps_exact_sum energy[RPS_ROLE_COUNT]) {
    for (int role = 0; role < RPS_ROLE_COUNT; role++) rps_exact_sum_clear(&energy[role]);
    rps_joints_energy(world, &energy[RPS_ROLE_NORMAL]);
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        for (size_t place = 0; place < segment->count; place++) {
            for (int q = 0; q < RPS_STORED; q++) {
                rps_exact_sum_add(&energy[rps_stored_role(q)], rps_segment_get(segment, RPS_IMPULSE_ENERGY + q, place));
            }
        }
    }
}

/* --- results -------------------------------------------------------------------------------------------------------- */

static double norm2(const double *v, int count) {
    return sqrt(dot2(v, v, count));
}

void rps_nonsmooth_results(const rps_world *world, const rps_nonsmooth *ns, double time, rps_contacts *contacts) {
    if (!world->keep_contacts || contacts->entries == 0) return;
    memset(contacts->result, 0, contacts->entries * sizeof *contacts->result);
    const double rate = 1.0 / world->step;
    for (size_t k = 0; k < ns->contacts; k++) {
        const rps_step_contact *c = (const rps_step_contact *)ns->now.contact.p + k;
        const double *impulse = (const double *)ns->now.impulse.p + 6 * k;
        const int modes = (int)rps_segment_get(c->segment, RPS_IMPULSE_MODES, c->place);
        rps_entry_result *out = &contacts->result[c->segment->begin + c->place];
        if (!modes) continue;
        double r[6];
        for (int q = 0; q < 6; q++) r[q] = impulse[q] * rate;
        rps_vec3_put(out->branch_i, c->branch[0]);
        rps_vec3_put(out->branch_j, c->branch[1]);
        rps_vec3_put(out->normal, c->n);
        out->overlap[0] = rps_nonsmooth_overlap(world, ns, c, time);
        out->cap_load[0] = r[0];
        out->elastic_load[0] = out->normal_load[0] = r[0] - c->pull;
        out->contact_radius[0] = c->law.contact_radius;
        rps_vec3_put(out->slide_force, nonsmooth_energy_across(c, r + 1));
        rps_vec3_put(out->roll_torque_i, nonsmooth_energy_across(c, r + 4));
        rps_vec3_put(out->roll_torque_j, rps_vec3_neg(rps_vec3_of(out->roll_torque_i)));
        out->spin_torque[0] = -r[3];
        out->slide_elastic_force[0] = norm2(r + 1, 2);
        out->roll_elastic_torque[0] = norm2(r + 4, 2);
        out->spin_elastic_torque[0] = fabs(r[3]);
#define RPS_ROLE_MODE(symbol, name, meaning) out->name##_mode[0] = (modes & 1 << RPS_MODE_##symbol) != 0;
#define RPS_ROLE_STORES(symbol, name, what) \
    out->energy_##name[0] = rps_segment_get(c->segment, RPS_IMPULSE_ENERGY + RPS_STORED_##symbol, c->place);
#include <repose/role_list.inc>
    }
}
