/*
 * Contacts of a nonsmooth step: selects the gaps that have rows, and builds the rows.
 *
 * A gap has rows if it is below the margin or closes within the step at the free velocities. If it closes only at the
 * velocities of the first solution, the step is solved again, since impulses may push bodies together that flew
 * apart. b_n = gap/h lets a gap close and no further. An overlap is opened at no more than the recovery speed, beyond
 * the motion by its own spring. A spring k and a damper c give the compliance C = 1/(h (h k + c)): with the initial
 * stretch x, u + x k/(h k + c) + C g = 0 is an implicit step of both. Friction keeps the load of its spring as
 * memory, so sticking contacts do not creep. An impact that rebounds has neither spring nor damper in its step.
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "detect/gap_table.h"
#include "step/nonsmooth.h"
#include "world/body_shape.h"

static const double SEEN = 0.01;   /* of the radius: an overlap at which the step is solved again */
static const double STIFFEN = 4.0; /* times the reference load: the secant of Hertz is 1.6 times too soft */
static const double SETTLES = 4.0; /* times g sqrt(m/k) */
static const double FLAT = 1e-6;   /* of R_eff: overlap at which the secant of a spring without load is taken */

static double nonsmooth_contacts_larger(double a, double b) {
    return a > b ? a : b;
}

/* --- geometry ------------------------------------------------------------------------------------------------------- */

static rps_sym3 curve_of_ball(rps_vec3 n, double radius) {
    const double k = 1.0 / radius;
    return (rps_sym3){{k * (1.0 - n.x * n.x), k * (1.0 - n.y * n.y), k * (1.0 - n.z * n.z), -k * n.x * n.y,
                       -k * n.x * n.z, -k * n.y * n.z}};
}

/* A round body and a plane, which may be i. */
static void touch_plane(const rps_world *world, size_t i, size_t j, bool plane_is_i, rps_touch *out) {
    const size_t ball = plane_is_i ? j : i, plane = plane_is_i ? i : j;
    const double radius = world->bodies.pose[ball].radius[0];
    const rps_vec3 m = rps_vec3_of(world->bodies.normal[plane]); /* towards the ball */
    const rps_vec3 d =
        rps_vec3_sub(rps_vec3_of(world->bodies.pose[ball].position), rps_vec3_of(world->bodies.pose[plane].position));
    const double height = rps_vec3_dot(d, m);
    const rps_vec3 to_ball = rps_vec3_scale(m, -radius), to_plane = rps_vec3_add_scaled(d, -height, m);
    const rps_sym3 curve = curve_of_ball(m, radius), flat = {{0.0}};
    *out = (rps_touch){.normal = plane_is_i ? rps_vec3_neg(m) : m,
                       .overlap = radius - height,
                       .branch_i = plane_is_i ? to_plane : to_ball,
                       .branch_j = plane_is_i ? to_ball : to_plane,
                       .curvature_sum = 1.0 / radius,
                       .curve_i = plane_is_i ? flat : curve,
                       .curve_j = plane_is_i ? curve : flat};
}

static void touch_balls(const rps_world *world, size_t i, size_t j, rps_touch *out) {
    const double a = world->bodies.pose[i].radius[0], b = world->bodies.pose[j].radius[0];
    const rps_vec3 d = rps_pair_difference(world, i, j);
    const double distance = rps_vec3_norm(d);
    /* coinciding centres have no normal: any direction separates them, and the guard reports it */
    const rps_vec3 n = distance > 0.0 ? rps_vec3_scale(d, 1.0 / distance) : (rps_vec3){0.0, 0.0, 1.0};
    *out = (rps_touch){.normal = n,
                       .overlap = (a + b) - distance,
                       .branch_i = rps_vec3_scale(n, -a),
                       .branch_j = rps_vec3_scale(n, b),
                       .curvature_sum = 1.0 / a + 1.0 / b,
                       .curve_i = curve_of_ball(n, a),
                       .curve_j = curve_of_ball(n, b)};
}

/* The foot that an entry of a ball and a mesh has; NULL: another entry. */
static const rps_mesh_geometry *found_at_mesh(const rps_world *world, size_t entry) {
    const rps_mesh_pairs *mesh = &world->contacts.mesh;
    return mesh->listed && mesh->geometry[entry].is != RPS_MESH_NONE ? &mesh->geometry[entry] : NULL;
}

/* False: farther apart than `reach`. Arms from the centres of the bodies to their surface points. */
static bool nonsmooth_contacts_find_touch(const rps_world *world, size_t entry, size_t i, size_t j, rps_subkey subkey,
                                          double cutoff, rps_touch *out) {
    const rps_mesh_geometry *mesh = found_at_mesh(world, entry);
    if (mesh != NULL) {
        if (mesh->is == RPS_MESH_APART) return false;
        rps_pair_put_mesh(world, i, j, subkey, rps_vec3_of(mesh->normal), mesh->overlap,
                          world->contacts.mesh.wrench != NULL ? &world->contacts.mesh.wrench[entry] : NULL, out);
        return out->overlap >= -cutoff;
    }
    const rps_body_shape a = rps_body_shape_of(&world->bodies, i), b = rps_body_shape_of(&world->bodies, j);
    if (a == RPS_BODY_PIECES || b == RPS_BODY_PIECES) {
        return rps_pair_touch(world, i, j, subkey, cutoff, NULL, out) != RPS_TOUCH_APART;
    }
    if (a == RPS_BODY_PLANE || b == RPS_BODY_PLANE) {
        touch_plane(world, i, j, a == RPS_BODY_PLANE, out);
    } else {
        touch_balls(world, i, j, out);
    }
    return out->overlap >= -cutoff;
}

double rps_nonsmooth_overlap(const rps_world *world, const rps_nonsmooth *ns, const rps_step_contact *c, double time) {
    const rps_subkey subkey = rps_segment_subkey(c->segment, c->place);
    const size_t entry = c->segment->begin + c->place;
    rps_touch touch;
    if (found_at_mesh(world, entry) != NULL) { /* the feet are those of the beginning */
        double u[6];
        rps_contact_velocity(c, ns->after.p, u);
        return -(c->gap + time * u[0]);
    }
    nonsmooth_contacts_find_touch(world, entry, c->slot[0], c->slot[1], subkey, INFINITY, &touch);
    return touch.overlap;
}

/* --- choice --------------------------------------------------------------------------------------------------------- */

static rps_vec3 point_velocity(const rps_twist *twist, rps_vec3 branch) {
    return rps_vec3_add(rps_vec3_of(twist->v), rps_vec3_cross(rps_vec3_of(twist->w), branch));
}

void rps_contact_velocity(const rps_step_contact *c, const rps_twist *twist, double u[6]) {
    const rps_twist *a = &twist[c->slot[0]], *b = &twist[c->slot[1]];
    const rps_vec3 v = rps_vec3_sub(point_velocity(a, c->branch[0]), point_velocity(b, c->branch[1]));
    const rps_vec3 w = rps_vec3_sub(rps_vec3_of(a->w), rps_vec3_of(b->w));
    u[0] = rps_vec3_dot(v, c->n);
    u[1] = rps_vec3_dot(v, c->t1);
    u[2] = rps_vec3_dot(v, c->t2);
    u[3] = rps_vec3_dot(w, c->n);
    u[4] = rps_vec3_dot(w, c->t1);
    u[5] = rps_vec3_dot(w, c->t2);
    for (int k = 1; k < 6; k++) u[k] += c->run[k];
}

static double smaller_radius(const rps_world *world, size_t i, size_t j) {
    return rps_pair_smaller_radius(world->bodies.pose[i].radius[0], world->bodies.pose[j].radius[0]);
}

/* True if the bodies of an entry come closer than the margin (of the smaller radius) within the step at these
 * velocities. */
static bool closes(const rps_world *world, size_t entry, const rps_twist *twist, double margin) {
    const rps_segment *segment = rps_entry_segment(&world->contacts, entry);
    const size_t place = entry - segment->begin, i = segment->slot_i[place], j = segment->slot_j[place];
    const double near = margin * smaller_radius(world, i, j);
    const rps_vec3 between = rps_vec3_sub(rps_vec3_of(twist[i].v), rps_vec3_of(twist[j].v));
    const double angular = rps_vec3_norm(rps_vec3_of(twist[i].w)) * world->bodies.pose[i].radius[0] +
                           rps_vec3_norm(rps_vec3_of(twist[j].w)) * world->bodies.pose[j].radius[0];
    const double farthest = near + world->step * (rps_vec3_norm(between) + angular);
    rps_touch touch;
    const bool plane = rps_body_is_plane(&world->bodies, i) || rps_body_is_plane(&world->bodies, j);
    const double cutoff =
        plane ? INFINITY : nonsmooth_contacts_larger(farthest, 0.0); /* the arm of a turning plane is not known yet */
    if (!nonsmooth_contacts_find_touch(world, entry, i, j, rps_segment_subkey(segment, place), cutoff, &touch)) {
        return false;
    }
    const rps_vec3 v =
        rps_vec3_sub(point_velocity(&twist[i], touch.branch_i), point_velocity(&twist[j], touch.branch_j));
    const double closing = -world->step * rps_vec3_dot(v, touch.normal);
    return touch.overlap + (closing > 0.0 ? closing : 0.0) >= -near;
}

/* --- rows ----------------------------------------------------------------------------------------------------------- */

/* The minimal rotation of the unit vector `from` to `to`, followed by a rotation about `to`. */
static rps_vec3 carry(rps_vec3 v, rps_vec3 from, rps_vec3 to, double angle) {
    const rps_vec3 c = rps_vec3_cross(from, to), cv = rps_vec3_cross(c, v);
    const double d = 1.0 + rps_vec3_dot(from, to);
    rps_vec3 x = d > 0.0 ? rps_vec3_add_scaled(rps_vec3_add(v, cv), 1.0 / d, rps_vec3_cross(c, cv)) : rps_vec3_neg(v);
    double sine, cosine;
    rps_sincos(angle, &sine, &cosine);
    x = rps_vec3_add_scaled(rps_vec3_scale(x, cosine), sine, rps_vec3_cross(to, x));
    return rps_vec3_reject(x, to);
}

/* Impulses of the last step in the present frame: rotated with the normal, and about it with the mean spin of the
 * bodies. */
static void nonsmooth_contacts_remember(const rps_world *world, const rps_nonsmooth *ns, rps_step_contact *c) {
    const rps_segment *segment = c->segment;
    for (int k = 0; k < 6; k++) c->memory[k] = 0.0;
    if (!(rps_segment_get(segment, RPS_IMPULSE_MODES, c->place) > 0.5)) return;
    const rps_twist *before = ns->before.p;
    const rps_vec3 old = rps_segment_vector(segment, RPS_IMPULSE_NORMAL, c->place);
    const rps_vec3 w = rps_vec3_add(rps_vec3_of(before[c->slot[0]].w), rps_vec3_of(before[c->slot[1]].w));
    const double angle = 0.5 * world->step * rps_vec3_dot(w, c->n);
    const rps_vec3 t = carry(rps_segment_vector(segment, RPS_IMPULSE_T, c->place), old, c->n, angle);
    const rps_vec3 roll = carry(rps_segment_vector(segment, RPS_IMPULSE_ROLL, c->place), old, c->n, angle);
    c->memory[0] = rps_segment_get(segment, RPS_IMPULSE_N, c->place);
    c->memory[1] = rps_vec3_dot(t, c->t1);
    c->memory[2] = rps_vec3_dot(t, c->t2);
    c->memory[3] = rps_segment_get(segment, RPS_IMPULSE_SPIN, c->place);
    c->memory[4] = rps_vec3_dot(roll, c->t1);
    c->memory[5] = rps_vec3_dot(roll, c->t2);
}

/* 2/(kappa_i + kappa_j) along the rolling direction at the free velocities; without rolling, that of the mean
 * curvatures. */
static double rolling_radius_of(const rps_world *world, const rps_nonsmooth *ns, const rps_step_contact *c,
                                const rps_touch *touch, double floor) {
    if (rps_body_shape_of(&world->bodies, c->slot[0]) != RPS_BODY_PIECES &&
        rps_body_shape_of(&world->bodies, c->slot[1]) != RPS_BODY_PIECES) {
        return 2.0 / touch->curvature_sum;
    }
    const rps_twist *after = ns->after.p;
    const rps_vec3 w = rps_vec3_sub(rps_vec3_of(after[c->slot[0]].w), rps_vec3_of(after[c->slot[1]].w));
    const rps_vec3 way = rps_vec3_cross(w, c->n);
    const double way2 = rps_vec3_norm2(way);
    double sum = touch->curvature_sum;
    if (way2 > 0.0) {
        sum = (rps_sym3_between(&touch->curve_i, way, way) + rps_sym3_between(&touch->curve_j, way, way)) / way2;
    }
    return 2.0 / (sum > floor ? sum : floor);
}

/* With what the laws are asked. */
static rps_law_contact law_contact(const rps_world *world, const rps_nonsmooth *ns, const rps_step_contact *c,
                                   const rps_touch *touch) {
    const double gravity = rps_vec3_norm(rps_vec3_of(world->options.gravity));
    const double floor = rps_pair_curvature_floor(world, c->slot[0], c->slot[1]);
    const double curvature = touch->curvature_sum > floor ? touch->curvature_sum : floor;
    const double root_mass = rps_segment_constant(c->segment, c->place, RPS_CONSTANT_DAMPER_MASS_SQRT);
    const double root_inertia = rps_segment_constant(c->segment, c->place, RPS_CONSTANT_DAMPER_INERTIA_SQRT);
    const double mass = rps_segment_constant(c->segment, c->place, RPS_CONSTANT_MASS_EFF);
    const double weight = mass * gravity, load = c->memory[0] / world->step;
    rps_law_contact law = {.mass_eff = mass,
                           .damper_mass = root_mass * root_mass,
                           .damper_inertia = root_inertia * root_inertia,
                           .radius_eff = 1.0 / curvature,
                           .twist_radius = 1.0 / curvature,
                           .rolling_radius = rolling_radius_of(world, ns, c, touch, floor)};
    law.normal_load = load > weight ? load : weight;
    law.overlap = load > 0.0 || c->gap > 0.0 ? 0.0 : -c->gap; /* a contact without history may begin compressed */
    if (law.overlap < FLAT * law.radius_eff) law.overlap = FLAT * law.radius_eff;
    return law;
}

/* True for a contact of two bodies that no impulse moves. */
static bool is_still(const rps_nonsmooth *ns, const rps_cone_contact *cone) {
    return cone->node[0] == ns->still;
}

/* Between two bodies that no impulse moves, only the compliance gives a load: friction without its own spring sticks
 * with that of the normal. */
static void soften_still(const rps_step_contact *c, rps_cone_contact *cone) {
    const double r2 = c->law.radius_eff * c->law.radius_eff;
    for (int group = 1; group < RPS_GROUPS; group++) {
        if (cone->compliance[group] > 0.0) continue;
        cone->compliance[group] = cone->compliance[0] / (group == RPS_SLIDE_GROUP ? 1.0 : r2);
    }
}

static const int first_of[RPS_GROUPS] = {0, 1, 3, 4}, rows_of[RPS_GROUPS] = {1, 2, 1, 2};
static const int stored_as[RPS_GROUPS] = {RPS_STORED_NORMAL, RPS_STORED_SLIDE, RPS_STORED_SPIN, RPS_STORED_ROLL};

/* The load of a friction spring as its stiffness changes, where the law says that it changes too. The stiffness of the last step
 * follows from load and energy. */
static void follow_stiffness(rps_step_contact *c, int group, double h, const rps_law_cone *answer) {
    const int first = first_of[group], rows = rows_of[group];
    if (group == 0 || !(c->stiffness[group] < INFINITY) || (answer->falls == 0.0 && answer->rises == 0.0)) return;
    const double stored = rps_segment_get(c->segment, RPS_IMPULSE_ENERGY + stored_as[group], c->place);
    double square = 0.0;
    for (int k = first; k < first + rows; k++) square += c->memory[k] * c->memory[k];
    if (!(stored > 0.0 && square > 0.0)) return;
    const double ratio = c->stiffness[group] * (2.0 * h * h * stored) / square;
    const double follows = ratio < 1.0 ? answer->falls : answer->rises;
    for (int k = first; k < first + rows && follows > 0.0; k++) c->memory[k] *= follows > 0.75 ? ratio : sqrt(ratio);
}

static void ask_restitution(const rps_world *world, rps_step_contact *c) {
    const rps_pair_setup *pair = &world->pair_setup[c->segment->pair];
    rps_law_cone answer = {.stiffness = INFINITY, .restitution = 1.0};
    pair->law[RPS_ROLE_DAMPING]->cone(pair->constant[RPS_ROLE_DAMPING], &c->law, &answer);
    c->restitution = answer.restitution;
}

/* The load of the laws of a contact that is followed is that of the mean overlap of the step. speed: m/s, u_n at its end. */
static void ask_normal(const rps_world *world, const rps_nonsmooth *ns, rps_step_contact *c, double speed, bool rigid,
                       const rps_cone_contact *cone, rps_law_cone *answer) {
    rps_law_contact *law = &c->law;
    const bool curved = c->exponent > 1.0;
    double depth = law->normal_load / answer->stiffness;
    if (depth < law->overlap) depth = law->overlap;
    c->modulus = curved ? answer->stiffness / sqrt(depth) : answer->stiffness;
    c->pull = c->gap <= FLAT * law->radius_eff ? answer->pull : 0.0;
    law->normal_stiffness = c->exponent * answer->stiffness; /* tangent */
    ask_restitution(world, c);
    if (!rigid && !(answer->pull > 0.0) && !is_still(ns, cone) && !c->follows[0]) {
        c->follows[0] = rps_nonsmooth_resolves_impact(c, world->step, depth);
    }
    if (c->follows[0]) {
        c->kept = rps_nonsmooth_touching(c, world->step, speed);
        c->acts = c->kept * world->step;
        law->overlap = rps_nonsmooth_mean_depth(c, world->step, speed);
        law->normal_load = rps_nonsmooth_spring_load(c, law->overlap);
        answer->stiffness = law->normal_load / law->overlap;
    }
    law->normal_stiffness = c->exponent * answer->stiffness;
    law->contact_radius = sqrt(law->radius_eff * law->normal_load / answer->stiffness);
}

/* 1/kg or 1/(kg m^2), relative mobility along a friction row of balls, which turn as they slide. */
static double friction_mobility(const rps_step_contact *c, int group) {
    return group == RPS_SLIDE_GROUP ? 3.5 / c->law.mass_eff : 1.0 / c->law.damper_inertia;
}

/* Compliance of a friction spring and its damper that act for a time: along the mean velocity if they are followed, else with that at
 * the end. */
static void set_friction(rps_step_contact *c, int group, double time, rps_cone_contact *cone) {
    const double spring = time * c->stiffness[group], damper = c->damper[group];
    const bool follows = c->follows[group];
    const double end = follows ? rps_nonsmooth_damper_end(time * damper * friction_mobility(c, group)) : 1.0;
    const double at_end = (follows ? 0.25 * spring : spring) + end * damper;
    c->past[group] = follows ? (0.25 * spring + (1.0 - end) * damper) / at_end : 0.0;
    cone->compliance[group] = 1.0 / (time * at_end);
}

/* Part of the step in which a friction spring does not slip, as it seems from the velocities at its beginning; dashpots of springs act
 * in stick alone. */
static double sticking_part(const rps_step_contact *c, int group, double threshold, bool slips, double step,
                            double speed) {
    const double pull = step * c->acts * c->stiffness[group];
    double load[2], now = 0.0, then = 0.0;
    rps_nonsmooth_end_loads(c, step, speed, load);
    for (int k = first_of[group]; k < first_of[group] + rows_of[group]; k++) {
        const double end = c->memory[k] - pull * c->was[k];
        now += c->memory[k] * c->memory[k];
        then += end * end;
    }
    const double left = slips ? 0.0 : threshold * step * load[0] - sqrt(now);
    const double remains = threshold * step * load[1] - sqrt(then);
    return remains >= 0.0 ? 1.0 : left > 0.0 ? left / (left - remains) : 0.0;
}

/* The laws of the pair as numbers: thresholds into `cone`, springs and dampers into its compliances. */
static void ask_laws(const rps_world *world, const rps_nonsmooth *ns, rps_step_contact *c, double speed,
                     rps_cone_contact *cone) {
    static const rps_role role_of[RPS_GROUPS] = {RPS_ROLE_NORMAL, RPS_ROLE_SLIDE, RPS_ROLE_SPIN, RPS_ROLE_ROLL};
    static const int mode_bit[RPS_GROUPS] = {0, 2, 16, 4};
    const rps_pair_setup *pair = &world->pair_setup[c->segment->pair];
    const double h = world->step;
    const int modes = (int)rps_segment_get(c->segment, RPS_IMPULSE_MODES, c->place);
    rps_law_contact *law = &c->law;
    c->acts = h;
    c->kept = 1.0;
    for (int group = 0; group < RPS_GROUPS; group++) {
        const rps_role role = role_of[group], damped = group == 0 ? RPS_ROLE_DAMPING : role;
        rps_law_cone answer = {.stiffness = INFINITY, .restitution = 1.0};
        pair->law[role]->cone(pair->constant[role], law, &answer);
        const bool viscous = answer.stiffness == 0.0; /* a dashpot alone, which is no spring that could be turned off */
        const bool rigid = (world->options.nonsmooth.rigid && !viscous) || !(answer.stiffness < INFINITY);
        if (group == 0) {
            ask_normal(world, ns, c, speed, rigid, cone, &answer);
        } else {
            cone->c[group - 1] = answer.threshold[(modes & mode_bit[group]) != 0];
        }
        /* a dashpot does not act across a gap; that of a contact that is followed, along the displacement without it */
        const bool damps = !rigid && pair->law[damped]->spring && !(group == 0 && c->gap > 0.0 && !c->follows[0]);
        c->stiffness[group] = rigid ? INFINITY : answer.stiffness;
        c->damper[group] = damps ? pair->law[damped]->spring(pair->constant[damped], law).damper : 0.0;
        cone->compliance[group] = rigid ? 0.0 : 1.0 / (h * (h * answer.stiffness + c->damper[group]));
        follow_stiffness(c, group, h, &answer);
        if (group == 0 || rigid) continue;
        c->follows[group] =
            !is_still(ns, cone) && rps_nonsmooth_resolves(h, answer.stiffness, friction_mobility(c, group));
        if (c->follows[group] && c->follows[0] && !viscous) {
            const bool slips = (modes & mode_bit[group]) != 0;
            c->damper[group] *= sticking_part(c, group, cone->c[group - 1], slips, h, speed);
        }
        set_friction(c, group, c->follows[group] ? c->acts : h, cone);
    }
    if (is_still(ns, cone)) soften_still(c, cone);
}

double rps_nonsmooth_impact_speed(const rps_world *world) {
    const double given = world->options.nonsmooth.impact_speed;
    return isnan(given) ? 2.0 * world->step * rps_vec3_norm(rps_vec3_of(world->options.gravity)) : given;
}

/* s, of an impact on the spring of the contact, without its dashpot. */
static double impact_duration(const rps_step_contact *c) {
    const double mass = c->law.mass_eff;
    if (!(c->exponent > 1.0)) return RPS_PI * sqrt(mass / c->modulus);
    return 2.94 *
           rps_pow(1.25 * mass / (c->modulus * sqrt(-c->was[0])), 0.4); /* Johnson, Contact Mechanics, eq. 11.24 */
}

/* An impact within the step: normal velocities rebound, and springs of friction act as long as it takes, from where they are. */
static void begin_impact(rps_step_contact *c, rps_cone_contact *cone) {
    if (!(c->stiffness[0] < INFINITY)) return;
    c->acts = impact_duration(c);
    cone->compliance[0] = 0.0;
    c->stiffness[0] = INFINITY;
    for (int group = 1; group < RPS_GROUPS; group++) {
        if (!(c->stiffness[group] < INFINITY)) continue;
        c->follows[group] = true;
        if (c->stiffness[group] > 0.0) c->damper[group] = 0.0; /* most of an impact slips, or the spring takes it */
        set_friction(c, group, c->acts, cone);
    }
}

/* The normal row of a contact that the step does not resolve. */
static void set_normal_bias(const rps_world *world, const rps_nonsmooth *ns, rps_step_contact *c,
                            rps_cone_contact *cone) {
    const double h = world->step, recovery = world->options.nonsmooth.recovery_speed;
    const bool rigid = !(c->stiffness[0] < INFINITY);
    const bool existed = rps_segment_get(c->segment, RPS_IMPULSE_MODES, c->place) > 0.5;
    const double share = rigid ? 1.0 : h * c->stiffness[0] / (h * c->stiffness[0] + c->damper[0]);
    /* a spring that has been pressed in takes its load; only what no motion has led to is taken back slowly */
    c->gap_held = rigid || !existed ? nonsmooth_contacts_larger(c->gap, -h * recovery) : c->gap;
    cone->bias[0] = share * c->gap_held / h;
    /* compressed contacts do not collide; but the last step may have ended with a touch at full speed, well above the
     * speed at which a body settles on its spring */
    const double gravity = rps_vec3_norm(rps_vec3_of(world->options.gravity)), mass = c->law.mass_eff;
    const double settled = 2.0 * mass * gravity / c->stiffness[0] + FLAT * c->law.radius_eff;
    const double settles = SETTLES * gravity * sqrt(mass / c->stiffness[0]);
    const bool compressed = c->gap <= -settled, begins_compressed = compressed && !rigid; /* a new one: at the start */
    const bool meets = existed ? !compressed && c->was[0] < -settles : !begins_compressed;
    c->impact = !is_still(ns, cone) && c->restitution > 0.0 && meets &&
                c->was[0] < -rps_nonsmooth_impact_speed(world) && c->gap + h * c->was[0] < 0.0;
    if (!c->impact) return;
    const double rebound = c->gives_back * c->restitution * c->was[0],
                 least = nonsmooth_contacts_larger(c->gap / h, -recovery);
    cone->bias[0] = rebound < least ? rebound : least;
    begin_impact(c, cone);
}

/* Bias of the rows: gap, rebound and memory, and the motion of bodies that are not nodes. speed: as in ask_laws. */
static void set_bias(const rps_world *world, const rps_nonsmooth *ns, rps_step_contact *c, double speed,
                     rps_cone_contact *cone) {
    c->impact = false;
    if (c->follows[0]) {
        rps_nonsmooth_follow_normal(c, world->step, speed, cone);
    } else {
        set_normal_bias(world, ns, c, cone);
    }
    for (int k = 1; k < 6; k++) {
        const int group = k < 3 ? RPS_SLIDE_GROUP : k == 3 ? RPS_SPIN_GROUP : RPS_ROLL_GROUP;
        cone->bias[k] =
            c->past[group] * c->was[k] - cone->compliance[group] * (c->follows[group] ? c->kept : 1.0) * c->memory[k];
    }
    const bool still = is_still(ns, cone);
    if (!still && cone->node[0] != RPS_CONE_NO_NODE && cone->node[1] != RPS_CONE_NO_NODE) return;
    const rps_twist *after = ns->after.p;
    rps_twist wall[2] = {{{0.0}, {0.0}}, {{0.0}, {0.0}}};
    rps_step_contact local = *c;
    double u[6];
    for (int k = 0; k < 2; k++) {
        if (still || cone->node[k] == RPS_CONE_NO_NODE) wall[k] = after[c->slot[k]];
        local.slot[k] = (uint32_t)k;
    }
    rps_contact_velocity(&local, wall, u);
    for (int k = 0; k < 6; k++) cone->bias[k] += u[k];
}

void rps_nonsmooth_set_bias(const rps_world *world, rps_nonsmooth *ns, size_t k) {
    rps_step_contact *c = (rps_step_contact *)ns->now.contact.p + k;
    rps_cone_contact *cone = (rps_cone_contact *)ns->now.cone.p + k;
    nonsmooth_contacts_remember(world, ns, c);
    ask_laws(world, ns, c, c->was[0], cone); /* an impact has turned its springs off */
    set_bias(world, ns, c, c->was[0], cone);
}

/* True if the spring of a contact must be asked again, with `speed` at the end of the step. */
static bool asks_again(const rps_world *world, const rps_nonsmooth *ns, rps_step_contact *c, double impulse,
                       double speed) {
    if (c->follows[0]) return !rps_nonsmooth_guessed(c, world->step, speed, impulse, ns->slip_speed);
    /* linear springs have one secant, and rigid contacts and impacts need none */
    const double load = impulse / world->step;
    const bool asked = !c->impact && c->stiffness[0] < INFINITY && c->exponent != 1.0;
    if (!asked || !(load > STIFFEN * c->law.normal_load) || !(load > SEEN * c->law.radius_eff * c->stiffness[0])) {
        return false;
    }
    c->law.normal_load = load;
    return true;
}

size_t rps_nonsmooth_stiffen(const rps_world *world, rps_nonsmooth *ns) {
    size_t changed = 0;
    for (size_t k = 0; k < ns->contacts; k++) {
        rps_step_contact *c = (rps_step_contact *)ns->now.contact.p + k;
        rps_cone_contact *cone = (rps_cone_contact *)ns->now.cone.p + k;
        double u[6] = {0.0};
        if (c->follows[0]) rps_contact_velocity(c, ns->trial.p, u);
        if (!asks_again(world, ns, c, ((const double *)ns->now.impulse.p)[6 * k], u[0])) continue;
        nonsmooth_contacts_remember(world, ns, c); /* what followed another stiffness */
        ask_laws(world, ns, c, u[0], cone);
        set_bias(world, ns, c, u[0], cone);
        changed++;
    }
    return changed;
}

void rps_nonsmooth_press(const rps_world *world, rps_nonsmooth *ns) {
    for (size_t k = 0; k < ns->contacts; k++) {
        const rps_step_contact *c = (const rps_step_contact *)ns->now.contact.p + k;
        double *impulse = (double *)ns->now.impulse.p + 6 * k;
        if (!(c->gap < 0.0) || !(c->stiffness[0] < INFINITY)) continue;
        impulse[0] = world->step * (c->follows[0] ? rps_nonsmooth_spring_load(c, -c->gap) : -c->stiffness[0] * c->gap);
    }
}

static void make_contact(const rps_world *world, rps_nonsmooth *ns, size_t entry, size_t number) {
    const rps_segment *segment = rps_entry_segment(&world->contacts, entry);
    const size_t place = entry - segment->begin;
    rps_step_contact *c = (rps_step_contact *)ns->now.contact.p + number;
    rps_cone_contact *cone = (rps_cone_contact *)ns->now.cone.p + number;
    double *impulse = (double *)ns->now.impulse.p + 6 * number;
    const uint32_t *node_of = ns->node_of.p;
    *c = (rps_step_contact){.segment = segment, .place = place, .gives_back = 1.0};
    c->slot[0] = segment->slot_i[place];
    c->slot[1] = segment->slot_j[place];
    rps_touch touch;
    nonsmooth_contacts_find_touch(world, entry, c->slot[0], c->slot[1], rps_segment_subkey(segment, place), INFINITY,
                                  &touch);
    c->gap = -touch.overlap;
    c->conformity = touch.conformity;
    c->n = touch.normal;
    c->t1 = rps_vec3_normalize(rps_vec3_reject(rps_vec3_any_across(c->n), c->n));
    c->t2 = rps_vec3_cross(c->n, c->t1);
    /* one common point, in the middle of gap or overlap: so angular momentum is kept */
    c->branch[0] = rps_vec3_add_scaled(touch.branch_i, -0.5 * c->gap, c->n);
    c->branch[1] = rps_vec3_add_scaled(touch.branch_j, 0.5 * c->gap, c->n);
    rps_nonsmooth_run(world, c);
    nonsmooth_contacts_remember(world, ns, c);
    *cone = (rps_cone_contact){.node = {node_of[c->slot[0]], node_of[c->slot[1]]}};
    if (cone->node[0] == cone->node[1]) cone->node[0] = ns->still; /* neither is a node */
    rps_vec3_put(cone->n, c->n);
    rps_vec3_put(cone->t, c->t1);
    rps_vec3_put(cone->branch[0], c->branch[0]);
    rps_vec3_put(cone->branch[1], c->branch[1]);
    c->exponent = world->pair_setup[segment->pair].law[RPS_ROLE_NORMAL]->exponent;
    c->law = law_contact(world, ns, c, &touch);
    rps_contact_velocity(c, ns->before.p, c->was);
    ask_laws(world, ns, c, c->was[0], cone);
    set_bias(world, ns, c, c->was[0], cone);
    for (int k = 0; k < 6; k++) impulse[k] = c->memory[k];
    /* the convex law has no such term */
    const bool convex = world->options.nonsmooth.cone == RPS_FRICTION_CONVEX;
    ((double *)ns->now.slip.p)[number] = convex ? 0.0 : rps_segment_get(segment, RPS_IMPULSE_SLIP, place);
}

/* --- all contacts --------------------------------------------------------------------------------------------------- */

static size_t listed_entry(const rps_world *world, const rps_nonsmooth *ns, size_t id, size_t k) {
    const size_t begin = world->contacts.reference_own[world->bodies.slot_of[id]];
    return rps_reference_entry(world->contacts.reference[begin + (k - ((const size_t *)ns->first.p)[id])]);
}

typedef struct fill_task {
    const rps_world *world;
    rps_nonsmooth *ns;
} fill_task;

/* For the pairs that are listed for a part of the ids. */
static void fill_part(void *context, rps_part part) {
    const rps_world *world = ((const fill_task *)context)->world;
    rps_nonsmooth *ns = ((const fill_task *)context)->ns;
    const size_t *first = ns->first.p;
    const uint8_t *flag = ns->flag.p;
    const uint32_t *number = ns->number.p;
    uint32_t *picked = ns->picked.p;
    for (size_t id = part.begin; id < part.end; id++) {
        for (size_t k = first[id]; k < first[id + 1]; k++) {
            const size_t entry = listed_entry(world, ns, id, k);
            const size_t to = number[k], from = picked[entry];
            if (!flag[k]) continue;
            picked[entry] = number[k] + 1;
            if (from == 0) {
                make_contact(world, ns, entry, to);
                continue;
            }
            ((rps_step_contact *)ns->now.contact.p)[to] = ((const rps_step_contact *)ns->old.contact.p)[from - 1];
            ((rps_cone_contact *)ns->now.cone.p)[to] = ((const rps_cone_contact *)ns->old.cone.p)[from - 1];
            ((double *)ns->now.slip.p)[to] = ((const double *)ns->old.slip.p)[from - 1];
            memcpy((double *)ns->now.impulse.p + 6 * to, (const double *)ns->old.impulse.p + 6 * (from - 1),
                   6 * sizeof(double));
        }
    }
}

/* Creates the flagged contacts and keeps those created before. Bodies are visited by id, and their references are in
 * the order of keys already. */
static rps_status nonsmooth_contacts_fill(const rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    const size_t bodies = (size_t)world->bodies.ids, *first = ns->first.p, listed = first[bodies];
    const uint8_t *flag = ns->flag.p;
    uint32_t *number = ns->number.p;
    size_t chosen = 0;
    for (size_t k = 0; k < listed; k++) {
        number[k] = (uint32_t)chosen;
        chosen += flag[k] != 0;
    }
    rps_step_rows old = ns->old;
    ns->old = ns->now;
    ns->now = old;
    RPS_TRY(rps_scratch_fit(world, &ns->now.contact, chosen, sizeof(rps_step_contact), err));
    RPS_TRY(rps_scratch_fit(world, &ns->now.cone, chosen, sizeof(rps_cone_contact), err));
    RPS_TRY(rps_scratch_fit(world, &ns->now.impulse, 6 * chosen, sizeof(double), err));
    RPS_TRY(rps_scratch_fit(world, &ns->now.slip, chosen, sizeof(double), err));
    ns->contacts = chosen;
    fill_task task = {world, ns};
    rps_parallel_for(rps_step_workers(world, listed), bodies, fill_part, &task);
    ns->pulls = false;
    for (size_t p = 0; p < world->pairs; p++) {
        ns->pulls = ns->pulls || (world->pair_setup[p].law[RPS_ROLE_NORMAL]->writes & RPS_ARRAY(pull)) != 0;
    }
    return RPS_OK;
}

typedef struct flag_task {
    const rps_world *world;
    rps_nonsmooth *ns;
    const rps_twist *twist;
    double margin;
} flag_task;

static void flag_part(void *context, rps_part part) {
    const flag_task *task = context;
    const size_t *first = task->ns->first.p;
    uint8_t *flag = task->ns->flag.p;
    for (size_t id = part.begin; id < part.end; id++) {
        for (size_t k = first[id]; k < first[id + 1]; k++) {
            if (flag[k]) continue;
            flag[k] = closes(task->world, listed_entry(task->world, task->ns, id, k), task->twist, task->margin);
        }
    }
}

/* Flags listed pairs that close to less than `margin` of the smaller radius at these velocities. */
static size_t flag_closing(const rps_world *world, rps_nonsmooth *ns, const rps_twist *twist, double margin) {
    const size_t bodies = (size_t)world->bodies.ids, *first = ns->first.p;
    const uint8_t *flag = ns->flag.p;
    size_t before = 0, after = 0;
    for (size_t k = 0; k < first[bodies]; k++) before += flag[k];
    flag_task task = {world, ns, twist, margin};
    rps_parallel_for(rps_step_workers(world, first[bodies]), bodies, flag_part, &task);
    for (size_t k = 0; k < first[bodies]; k++) after += flag[k];
    return after - before;
}

rps_status rps_nonsmooth_contacts(const rps_world *world, rps_nonsmooth *ns, rps_error *err) {
    const rps_contacts *contacts = &world->contacts;
    const size_t bodies = (size_t)world->bodies.ids;
    size_t listed = 0;
    RPS_TRY(rps_scratch_fit(world, &ns->first, bodies + 1, sizeof(size_t), err));
    size_t *first = ns->first.p;
    for (size_t id = 0; id < bodies; id++) {
        const size_t s = world->bodies.slot_of[id];
        first[id] = listed;
        if (s == RPS_NO_SLOT) continue;
        listed += contacts->reference_begin[s + 1] - contacts->reference_own[s];
    }
    first[bodies] = listed;
    RPS_TRY(rps_scratch_fit(world, &ns->flag, listed, 1, err));
    RPS_TRY(rps_scratch_fit(world, &ns->number, listed, sizeof(uint32_t), err));
    RPS_TRY(rps_scratch_fit(world, &ns->picked, contacts->entries, sizeof(uint32_t), err));
    if (listed > 0) memset(ns->flag.p, 0, listed);
    if (contacts->entries > 0) memset(ns->picked.p, 0, contacts->entries * sizeof(uint32_t));
    flag_closing(world, ns, ns->after.p, world->options.nonsmooth.margin);
    return nonsmooth_contacts_fill(world, ns, err);
}

rps_status rps_nonsmooth_add(const rps_world *world, rps_nonsmooth *ns, bool *added, rps_error *err) {
    *added = flag_closing(world, ns, ns->trial.p, -SEEN) > 0;
    return *added ? nonsmooth_contacts_fill(world, ns, err) : RPS_OK;
}
