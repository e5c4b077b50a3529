/*
 * Adds joints to a world: checks them, and computes anchor and axes in each body. All stored geometry is in body
 * axes, so that later only the poses of the bodies matter.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/elementary.h"
#include "world/share.h"
#include "world/world_internal.h"

static const char *const kind_name[RPS_JOINT_KINDS] = {
    "fixed joint",     "ball joint",        "hinge",       "slider",       "distance", "motor",
    "universal joint", "cylindrical joint", "screw joint", "planar joint", "coupling"};

rps_joint_def rps_joint_def_default(void) {
    return (rps_joint_def){.size = sizeof(rps_joint_def),
                           .kind = RPS_JOINT_FIXED,
                           .body = {RPS_JOINT_WORLD, RPS_JOINT_WORLD},
                           .length = NAN,
                           .motion = {.until = -1.0},
                           .load_max = INFINITY,
                           .limits = {-INFINITY, INFINITY},
                           .more = {{.limits = {-INFINITY, INFINITY}}, {.limits = {-INFINITY, INFINITY}}}};
}

/* Of coordinates, in their order: s a displacement, t an angle. */
static const char *const coordinates_of[RPS_JOINT_KINDS] = {"", "", "t", "s", "s", "s", "tt", "st", "ts", "tss", ""};

rps_joint_free rps_joint_freedom(const rps_joint *joint, int coordinate) {
    const char *of = joint->kind == RPS_JOINT_MOTOR && joint->motion.turns ? "t" : coordinates_of[joint->kind];
    for (int k = 0; k < coordinate; k++) {
        if (of[k] == '\0') return RPS_JOINT_HELD;
    }
    return of[coordinate] == 's' ? RPS_JOINT_SLIDES : of[coordinate] == 't' ? RPS_JOINT_TURNS : RPS_JOINT_HELD;
}

int rps_joint_coordinate_of(const rps_joint *joint, rps_joint_free motion, int nth) {
    for (int k = 0; k < RPS_JOINT_COORDINATES; k++) {
        if (rps_joint_freedom(joint, k) == motion && nth-- == 0) return k;
    }
    return -1;
}

int rps_joint_free_coordinates(const rps_joint *joint) {
    return joint->kind == RPS_JOINT_SCREW ? 1 : (int)strlen(coordinates_of[joint->kind]);
}

static const double PERPENDICULAR = 1e-6; /* the cosine of two axes that are: rounding of what a user writes */

/* --- checks --------------------------------------------------------------------------------------------------------- */

typedef struct new_joint {
    const rps_world *world;
    const rps_joint_def *def;
    size_t slot[2]; /* SIZE_MAX: the world */
    char who[100];
    bool has_axis;
    rps_vec3 axis, second; /* unit vectors */
    rps_error *err;
} new_joint;

static rps_status joint_refuse(const new_joint *n, const char *fmt, ...) RPS_PRINTF(2, 3);
static rps_status joint_refuse(const new_joint *n, const char *fmt, ...) {
    char text[300];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return rps_fail(n->err, RPS_BAD_INPUT, "%s: %s", n->who, text);
}

static rps_status joint_check_bodies(new_joint *n) {
    const rps_world *world = n->world;
    const uint64_t *id = n->def->body;
    bool moves = false;
    for (int k = 0; k < 2; k++) {
        n->slot[k] = id[k] == RPS_JOINT_WORLD ? SIZE_MAX : rps_world_slot(world, id[k]);
        if (id[k] != RPS_JOINT_WORLD && n->slot[k] == SIZE_MAX) {
            return joint_refuse(n, "there is no body %llu; add its bodies first", (unsigned long long)id[k]);
        }
        moves = moves || (n->slot[k] != SIZE_MAX && world->bodies.kind[n->slot[k]][0] == RPS_BODY_FREE);
    }
    if (id[0] == id[1]) {
        char name[RPS_BODY_NAME];
        return id[0] == RPS_JOINT_WORLD ? joint_refuse(n, "it joins the world with itself; name a body")
                                        : joint_refuse(n, "it joins %s with itself; name two",
                                                       rps_body_name(world, n->slot[0], name, sizeof name));
    }
    return moves
               ? RPS_OK
               : joint_refuse(n,
                              "neither of what it joins can be moved by loads (fixed, driven or the world), so that it "
                              "does nothing; at least one must be free");
}

static rps_status joint_check_axis(new_joint *n) {
    const rps_joint_def *def = n->def;
    const bool planar = n->world->options.dimension == 2;
    const bool turns = def->kind == RPS_JOINT_HINGE || (def->kind == RPS_JOINT_MOTOR && def->motion.turns);
    n->has_axis =
        turns || def->kind == RPS_JOINT_SLIDER || (def->kind >= RPS_JOINT_MOTOR && def->kind != RPS_JOINT_COUPLING);
    if (!n->has_axis) return RPS_OK;
    const double *a = def->axis;
    if (!rps_finite3(a)) return joint_refuse(n, "its axis is (%g, %g, %g); expected finite numbers", a[0], a[1], a[2]);
    n->axis = rps_vec3_normalize(rps_vec3_make(a[0], a[1], a[2]));
    const bool zero = a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0;
    if (planar && turns && zero) n->axis = rps_vec3_make(0.0, 1.0, 0.0);
    if (!(rps_vec3_norm2(n->axis) > 0.5))
        return joint_refuse(n, "its axis has no length, so that it tells no direction");
    if (planar && turns && (a[0] != 0.0 || a[2] != 0.0)) {
        return joint_refuse(n, "its axis is (%g, %g, %g), but in a planar world all turns about y; leave the axis out",
                            a[0], a[1], a[2]);
    }
    if (planar && !turns && a[1] != 0.0) {
        return joint_refuse(n, "its axis is (%g, %g, %g), but the world is planar; expected y = 0", a[0], a[1], a[2]);
    }
    return RPS_OK;
}

/* The second axis and the pitch, of the kinds that have them. */
static rps_status check_second_axis(new_joint *n) {
    const rps_joint_def *def = n->def;
    const double *a = def->second_axis;
    const bool needed = def->kind == RPS_JOINT_UNIVERSAL || def->kind == RPS_JOINT_PLANAR;
    if (n->world->options.dimension == 2 && def->kind > RPS_JOINT_MOTOR && def->kind != RPS_JOINT_COUPLING) {
        return joint_refuse(n, "it is a joint of space; in a planar world choose a hinge or a slider");
    }
    if (def->kind == RPS_JOINT_SCREW && !(rps_finite(def->pitch) && def->pitch != 0.0)) {
        return joint_refuse(n, "its pitch is %g m a turn; expected a finite number that is not 0", def->pitch);
    }
    if (def->kind != RPS_JOINT_SCREW && def->pitch != 0.0) return joint_refuse(n, "a pitch is of screw joints");
    if (!needed) {
        const bool none = a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0;
        return none ? RPS_OK : joint_refuse(n, "a second axis is of universal and planar joints");
    }
    if (!rps_finite3(a)) {
        return joint_refuse(n, "its second axis is (%g, %g, %g); expected finite numbers", a[0], a[1], a[2]);
    }
    n->second = rps_vec3_normalize(rps_vec3_make(a[0], a[1], a[2]));
    if (!(rps_vec3_norm2(n->second) > 0.5)) {
        return joint_refuse(n, "its second axis has no length; give one that is perpendicular to its axis");
    }
    const double along = rps_vec3_dot(n->second, n->axis);
    if (!(fabs(along) <= PERPENDICULAR)) {
        return joint_refuse(n, "its two axes must be perpendicular, and the cosine of their angle is %g", along);
    }
    n->second = rps_vec3_normalize(rps_vec3_reject(n->second, n->axis));
    return RPS_OK;
}

static rps_status check_points(new_joint *n) {
    const rps_joint_def *def = n->def;
    const int points = def->kind == RPS_JOINT_DISTANCE ? 2 : 1;
    for (int k = 0; k < points; k++) {
        const double *p = def->point[k];
        if (!rps_finite3(p) || (n->world->options.dimension == 2 && p[1] != 0.0)) {
            return joint_refuse(n, "its point is (%g, %g, %g) m; expected finite numbers%s", p[0], p[1], p[2],
                                n->world->options.dimension == 2 ? ", y = 0 in a planar world" : "");
        }
    }
    if (def->kind != RPS_JOINT_DISTANCE) {
        return isnan(def->length) ? RPS_OK : joint_refuse(n, "a length is of joints that keep a distance");
    }
    if (!isnan(def->length) && !(rps_finite(def->length) && def->length > 0.0)) {
        return joint_refuse(n, "its length is %g m; expected a positive number", def->length);
    }
    return RPS_OK;
}

static rps_status check_motion(new_joint *n) {
    const rps_joint_def *def = n->def;
    const rps_joint_motion *m = &def->motion;
    const bool rubs =
        def->kind != RPS_JOINT_FIXED && def->kind != RPS_JOINT_DISTANCE && def->kind != RPS_JOINT_COUPLING;
    if (!(rps_finite(def->friction) && def->friction >= 0.0)) {
        return joint_refuse(n, "its friction is %g; expected 0 or a positive number", def->friction);
    }
    if (def->friction > 0.0 && !rubs) {
        return joint_refuse(n, "friction is along what a joint leaves free, and it leaves nothing that can rub; put it "
                               "on a hinge or slider");
    }
    if (!(def->load_max > 0.0)) {
        return joint_refuse(n, "its load_max is %g; expected a positive number, or INFINITY for none", def->load_max);
    }
    if (def->load_max < INFINITY && def->kind != RPS_JOINT_MOTOR) {
        return joint_refuse(n, "only a motor has a load_max; bound the load of others by friction");
    }
    if (def->kind != RPS_JOINT_MOTOR) {
        const bool moves = m->speed != 0.0 || m->amplitude != 0.0;
        return moves ? joint_refuse(n, "only a motor has a prescribed motion; make it one") : RPS_OK;
    }
    if (!(rps_finite(m->speed) && rps_finite(m->amplitude) && rps_finite(m->phase) && rps_finite(m->from) &&
          !isnan(m->until) && rps_finite(m->frequency) && m->frequency >= 0.0)) {
        return joint_refuse(n, "its motion must have finite numbers, and a frequency of 0 or above");
    }
    bool can = !m->turns;
    for (int k = 0; k < 2 && m->turns; k++) {
        const size_t s = n->slot[k];
        can = can || (s != SIZE_MAX && n->world->bodies.kind[s][0] == RPS_BODY_FREE && !n->world->bodies.locked[s][0]);
    }
    return can ? RPS_OK : joint_refuse(n, "it is to turn bodies of which none can turn (locked)");
}

static rps_joint_ends first_ends(const rps_joint_def *def) {
    return (rps_joint_ends){.friction = def->friction,
                            .limits = {def->limits[0], def->limits[1]},
                            .restitution = def->restitution,
                            .stiffness = def->stiffness,
                            .damping = def->damping,
                            .rest = def->rest,
                            .table = def->table,
                            .table_rows = def->table_rows};
}

static rps_status check_table(const new_joint *n, const rps_joint_ends *ends) {
    if (ends->stiffness != 0.0 || ends->rest != 0.0) {
        return joint_refuse(n, "its spring has a table, which says its load; leave out stiffness and rest");
    }
    if (ends->table_rows < 2 || !ends->table) {
        return joint_refuse(n, "the table of its spring has %zu rows; expected two or more", ends->table_rows);
    }
    for (size_t k = 0; k < ends->table_rows; k++) {
        const double *row = ends->table[k];
        if (!rps_finite(row[0]) || !rps_finite(row[1])) {
            return joint_refuse(n, "row %zu of the table of its spring is (%g, %g); expected finite numbers", k + 1,
                                row[0], row[1]);
        }
        if (k > 0 && !(row[0] > ends->table[k - 1][0])) {
            return joint_refuse(n,
                                "row %zu of the table of its spring is at %g, behind one at %g; positions must ascend",
                                k + 1, row[0], ends->table[k - 1][0]);
        }
    }
    return RPS_OK;
}

/* Stops and a spring along a coordinate. */
static rps_status check_ends(const new_joint *n, const rps_joint_ends *def) {
    const double *limits = def->limits;
    const bool stops = limits[0] > -INFINITY || limits[1] < INFINITY;
    if (!(limits[0] <= 0.0 && limits[1] >= 0.0 && limits[0] < limits[1])) {
        return joint_refuse(n, "its limits are %g and %g; expected two numbers around 0, its position at the start",
                            limits[0], limits[1]);
    }
    if (!(def->restitution >= 0.0 && def->restitution <= 1.0)) {
        return joint_refuse(n, "its restitution is %g; expected 0 to 1", def->restitution);
    }
    if (def->restitution > 0.0 && !stops) return joint_refuse(n, "its restitution is at limits, and it has none");
    if (!(rps_finite(def->stiffness) && def->stiffness >= 0.0 && rps_finite(def->damping) && def->damping >= 0.0)) {
        return joint_refuse(n, "its spring has the stiffness %g and the damping %g; expected 0 or positive numbers",
                            def->stiffness, def->damping);
    }
    if (def->table_rows > 0 || def->table) RPS_TRY(check_table(n, def));
    if (!rps_finite(def->rest)) return joint_refuse(n, "its spring rests at %g; expected a finite number", def->rest);
    return def->rest != 0.0 && def->stiffness == 0.0 ? joint_refuse(n, "its spring has a rest, but no stiffness")
                                                     : RPS_OK;
}

static bool has_ends(const rps_joint_ends *ends) {
    return ends->limits[0] != -INFINITY || ends->limits[1] != INFINITY || ends->restitution != 0.0 ||
           ends->stiffness != 0.0 || ends->damping != 0.0 || ends->rest != 0.0 || ends->table_rows > 0 || ends->table;
}

static rps_status check_all_ends(const new_joint *n) {
    const rps_joint_def *def = n->def;
    const rps_joint joint = {.kind = def->kind, .motion = def->motion};
    const int free = rps_joint_free_coordinates(&joint);
    const bool takes = free > 0 && def->kind != RPS_JOINT_DISTANCE && def->kind != RPS_JOINT_MOTOR;
    const rps_joint_ends first = first_ends(def);
    if (has_ends(&first)) {
        if (!takes) {
            return joint_refuse(n, "limits and springs act along coordinates that nothing else moves, and it has none; "
                                   "join its bodies by a hinge or slider as well");
        }
        RPS_TRY(check_ends(n, &first));
    }
    for (int k = 1; k < RPS_JOINT_COORDINATES; k++) {
        const rps_joint_ends *more = &def->more[k - 1];
        if (!has_ends(more) && more->friction == 0.0) continue;
        if (k >= free) {
            return joint_refuse(n,
                                "friction, limits or a spring are given of its coordinate number %d, and it has %d "
                                "that take them",
                                k + 1, takes ? free : 0);
        }
        if (!(rps_finite(more->friction) && more->friction >= 0.0)) {
            return joint_refuse(n, "the friction of its coordinate number %d is %g; expected 0 or a positive number",
                                k + 1, more->friction);
        }
        RPS_TRY(check_ends(n, more));
    }
    return RPS_OK;
}

static rps_status check_coupling(const new_joint *n) {
    const rps_joint_def *def = n->def;
    const rps_joint *of[2];
    if (def->body[0] != RPS_JOINT_WORLD || def->body[1] != RPS_JOINT_WORLD) {
        return joint_refuse(n, "it couples two joints, and takes no bodies");
    }
    for (int k = 0; k < 2; k++) {
        if (def->joint[k] >= n->world->joints) {
            return joint_refuse(n, "there is no joint number %zu; add those that it couples first", def->joint[k]);
        }
        of[k] = &n->world->joint[def->joint[k]];
        if (rps_joint_freedom(of[k], 0) == RPS_JOINT_HELD || of[k]->kind == RPS_JOINT_DISTANCE) {
            return joint_refuse(
                n,
                "joint number %zu has no angle and no displacement that could follow or lead; couple hinges, "
                "sliders, motors or other joints that move along or about an axis",
                def->joint[k]);
        }
    }
    const uint64_t *a = of[0]->body, *b = of[1]->body;
    if ((a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0])) {
        return joint_refuse(n,
                            "it couples two joints of the same two bodies; a screw joint is for those, or a fixed one");
    }
    return rps_finite(def->ratio) && def->ratio != 0.0
               ? RPS_OK
               : joint_refuse(n, "its ratio is %g; expected a finite number that is not 0", def->ratio);
}

static rps_status joint_check(new_joint *n) {
    const rps_joint_def *def = n->def;
    const rps_world *world = n->world;
    snprintf(n->who, sizeof n->who, "joint %zu", world->joints);
    if (def->size != sizeof *def) {
        return joint_refuse(n, "size is %u, expected %zu; begin with rps_joint_def_default()", def->size, sizeof *def);
    }
    if ((int)def->kind < 0 || def->kind >= RPS_JOINT_KINDS)
        return joint_refuse(n, "there is no kind number %d", (int)def->kind);
    snprintf(n->who, sizeof n->who, "%s %s%.40s%s", kind_name[def->kind], def->name ? "`" : "joint ",
             def->name ? def->name : "without a name", def->name ? "`" : "");
    if (world->cell.sheared) {
        return rps_fail(
            n->err, RPS_UNSUPPORTED,
            "%s: the images of a sheared cell move, and joints would have to hold bodies to them; leave out "
            "the shear, or the joints",
            n->who);
    }
    if (world->started || world->steps > 0) return joint_refuse(n, "joints are added before the first step");
    if (def->name && rps_world_find_joint(world, def->name) >= 0) {
        return joint_refuse(n, "there is a joint of that name already; give each its own");
    }
    RPS_TRY(def->kind == RPS_JOINT_COUPLING ? check_coupling(n) : joint_check_bodies(n));
    RPS_TRY(check_points(n));
    RPS_TRY(joint_check_axis(n));
    RPS_TRY(check_second_axis(n));
    RPS_TRY(check_all_ends(n));
    return check_motion(n);
}

/* --- where the bodies hold it --------------------------------------------------------------------------------------- */

static void pose_of(const rps_world *world, size_t slot, rps_vec3 *x, rps_quat *q) {
    *x = rps_vec3_zero();
    *q = rps_quat_identity();
    if (slot == SIZE_MAX) return;
    const double *o = world->bodies.orientation[slot];
    double place[3];
    rps_world_unwrapped(world, slot, place);
    *x = rps_vec3_make(place[0], place[1], place[2]);
    *q = (rps_quat){o[0], o[1], o[2], o[3]};
}

static rps_quat axes_of(const new_joint *n) {
    if (!n->has_axis) return rps_quat_identity();
    const rps_vec3 z = n->axis;
    if (rps_vec3_norm2(n->second) > 0.5) {
        const rps_vec3 x = n->second, y = rps_vec3_cross(z, x);
        const rps_mat3 m = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
        return rps_quat_normalize(rps_quat_from_mat3(&m));
    }
    /* in a planar world one axis of a slider is y */
    const rps_vec3 across =
        n->world->options.dimension == 2 && fabs(z.y) < 0.5 ? rps_vec3_make(0.0, 1.0, 0.0) : rps_vec3_any_across(z);
    const rps_vec3 y = rps_vec3_normalize(rps_vec3_reject(across, z)), x = rps_vec3_cross(y, z);
    const rps_mat3 m = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return rps_quat_normalize(rps_quat_from_mat3(&m));
}

/* The image of a point that is nearest to a body; for the world, the point itself. */
static rps_vec3 joint_beside(const rps_world *world, size_t slot, rps_vec3 x, rps_vec3 p) {
    double d[3] = {p.x - x.x, p.y - x.y, p.z - x.z};
    if (slot != SIZE_MAX) rps_cell_nearest(&world->cell, d);
    return rps_vec3_of(d);
}

static rps_status place_joint(const new_joint *n, rps_joint *joint) {
    const rps_joint_def *def = n->def;
    const bool two = def->kind == RPS_JOINT_DISTANCE;
    const rps_quat axes = axes_of(n);
    rps_vec3 p[2], at[2];
    for (int k = 0; k < 2; k++) {
        const double *given = def->point[two ? k : 0];
        rps_vec3 x;
        rps_quat q;
        p[k] = rps_vec3_make(given[0], given[1], given[2]);
        pose_of(n->world, n->slot[k], &x, &q);
        const rps_vec3 arm = joint_beside(n->world, n->slot[k], x, p[k]);
        joint->anchor[k] = rps_quat_rotate_inverse(q, arm);
        joint->frame[k] = rps_quat_normalize(rps_quat_mul(rps_quat_conjugate(q), axes));
        at[k] = rps_vec3_add(x, arm);
    }
    const rps_vec3 apart = rps_vec3_sub(at[0], at[1]);
    const rps_cell *cell = &n->world->cell;
    const double away[3] = {apart.x, apart.y, apart.z};
    double image[3], between[3] = {apart.x, apart.y, apart.z};
    rps_cell_nearest(cell, between);
    for (int k = 0; k < 3; k++) image[k] = rps_cell_whole_along(cell, k, away[k] - between[k]);
    joint->image = rps_vec3_of(image);
    if (!two) return RPS_OK;
    const double length = rps_vec3_norm(rps_vec3_make(between[0], between[1], between[2]));
    if (!(length > 0.0))
        return joint_refuse(n, "its two points are one, so that they have no distance to keep; use a ball joint");
    joint->length = isnan(def->length) ? length : def->length;
    joint->memory.position[0] = length;
    return RPS_OK;
}

/* Number of joined pairs before this one. */
static size_t find_pair(const rps_world *world, uint64_t low, uint64_t high) {
    size_t from = 0, to = world->joined_pairs;
    while (from < to) {
        const size_t mid = from + (to - from) / 2;
        const uint64_t *pair = world->joined[mid].id;
        if (pair[0] < low || (pair[0] == low && pair[1] < high)) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    return from;
}

static bool has_pair(const rps_world *world, size_t at, uint64_t low, uint64_t high) {
    return at < world->joined_pairs && world->joined[at].id[0] == low && world->joined[at].id[1] == high;
}

bool rps_world_is_joined(const rps_world *world, size_t slot_a, size_t slot_b) {
    const uint64_t a = world->bodies.id[slot_a][0], b = world->bodies.id[slot_b][0];
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return has_pair(world, find_pair(world, low, high), low, high);
}

/* Reserves memory for one more joint and, if `pair`, one more pair that does not touch. */
static rps_status joint_grow(rps_world *world, bool pair, rps_error *err) {
    const rps_allocator *allocator = world->allocator;
    void *joints, *pairs = world->joined;
    if (pair) {
        RPS_TRY(rps_list_grown(allocator, world->joined, world->joined_pairs, sizeof *world->joined, &pairs, err));
    }
    const rps_status status =
        rps_list_grown(allocator, world->joint, world->joints, sizeof *world->joint, &joints, err);
    if (status != RPS_OK) {
        if (pairs != world->joined) {
            rps_list_release(allocator, pairs, world->joined_pairs + 1, sizeof *world->joined);
        }
        return status;
    }
    rps_list_keep(allocator, world->joined, world->joined_pairs, sizeof *world->joined, pairs);
    rps_list_keep(allocator, world->joint, world->joints, sizeof *world->joint, joints);
    world->joined = pairs;
    world->joint = joints;
    return RPS_OK;
}

static void release_joint(const rps_allocator *allocator, rps_joint *joint) {
    rps_string_release(allocator, joint->name);
    for (int k = 0; k < RPS_JOINT_COORDINATES; k++) {
        const rps_joint_ends *ends = &joint->ends[k];
        void *table = joint->table[k];
        if (table) rps_memory_release(allocator, table, ends->table_rows * sizeof *ends->table);
    }
}

/* The joint's own name and tables. */
static rps_status copy_what_is_given(const rps_world *world, const rps_joint_def *def, rps_joint *joint,
                                     rps_error *err) {
    const rps_allocator *allocator = world->allocator;
    joint->name = NULL;
    for (int k = 0; k < RPS_JOINT_COORDINATES; k++) {
        rps_joint_ends *ends = &joint->ends[k];
        size_t bytes;
        if (ends->table_rows == 0) continue;
        RPS_TRY(rps_size_of_items(ends->table_rows, sizeof *ends->table, &bytes, err));
        RPS_TRY(rps_memory_alloc(allocator, bytes, &joint->table[k], err));
        memcpy(joint->table[k], ends->table, bytes);
        ends->table = (const double(*)[2])joint->table[k];
    }
    return def->name ? rps_string_copy(allocator, def->name, &joint->name, err) : RPS_OK;
}

rps_status rps_world_add_joint(rps_world *world, const rps_joint_def *def, size_t *index, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(def);
    RPS_TRY(rps_share_refuse(world, "adding a joint", err));
    new_joint n = {.world = world, .def = def, .err = err};
    RPS_TRY(joint_check(&n));
    const bool couples = def->kind == RPS_JOINT_COUPLING;
    rps_joint joint = {.kind = def->kind,
                       .collide = def->collide || couples,
                       .body = {def->body[0], def->body[1]},
                       .coupled = {couples ? def->joint[0] : 0, couples ? def->joint[1] : 0},
                       .ratio = couples ? def->ratio : 0.0,
                       .pitch = def->pitch,
                       .load_max = def->load_max,
                       .ends = {first_ends(def), def->more[0], def->more[1]},
                       .motion = def->kind == RPS_JOINT_MOTOR ? def->motion : (rps_joint_motion){0}};
    for (int k = 0; k < 2 && couples; k++) joint.body[k] = world->joint[def->joint[k]].body[0];
    if (!couples) RPS_TRY(place_joint(&n, &joint));
    const uint64_t low = joint.body[0] < joint.body[1] ? joint.body[0] : joint.body[1];
    const uint64_t high = joint.body[0] < joint.body[1] ? joint.body[1] : joint.body[0];
    const size_t at = find_pair(world, low, high);
    const bool pair = !joint.collide && high != RPS_JOINT_WORLD && !has_pair(world, at, low, high);
    rps_status status = copy_what_is_given(world, def, &joint, err);
    if (status == RPS_OK) status = joint_grow(world, pair, err);
    if (status != RPS_OK) {
        release_joint(world->allocator, &joint);
        return status;
    }
    if (index) *index = world->joints;
    world->joint[world->joints++] = joint;
    if (pair) {
        memmove(world->joined + at + 1, world->joined + at, (world->joined_pairs - at) * sizeof *world->joined);
        world->joined[at] = (rps_joined){{low, high}};
        world->joined_pairs++;
    }
    world->lists_stale = true;
    return RPS_OK;
}

void rps_joints_release(rps_world *world) {
    for (size_t k = 0; k < world->joints; k++) release_joint(world->allocator, &world->joint[k]);
    rps_list_release(world->allocator, world->joint, world->joints, sizeof *world->joint);
    rps_list_release(world->allocator, world->joined, world->joined_pairs, sizeof *world->joined);
}

/* --- questions ------------------------------------------------------------------------------------------------------ */

size_t rps_world_joint_count(const rps_world *world) {
    return world->joints;
}

int64_t rps_world_find_joint(const rps_world *world, const char *name) {
    for (size_t k = 0; k < world->joints && name; k++) {
        if (world->joint[k].name && strcmp(world->joint[k].name, name) == 0) return (int64_t)k;
    }
    return -1;
}

/* The axis of a joint is fixed in its second body. */
static rps_vec3 axis_now(const rps_world *world, const rps_joint *joint) {
    const bool is_world = joint->body[1] == RPS_JOINT_WORLD;
    rps_vec3 x;
    rps_quat q;
    pose_of(world, is_world ? SIZE_MAX : rps_world_slot(world, joint->body[1]), &x, &q);
    return rps_vec3_normalize(rps_quat_rotate(rps_quat_mul(q, joint->frame[1]), rps_vec3_make(0.0, 0.0, 1.0)));
}

rps_status rps_world_joint(const rps_world *world, size_t index, rps_joint_state *out, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(out);
    if (index >= world->joints) {
        return rps_fail(err, RPS_BAD_INPUT, "there is no joint number %zu; the world has %zu", index, world->joints);
    }
    const rps_joint *joint = &world->joint[index];
    const rps_joint_memory *m = &joint->memory;
    const rps_joint_free freedom = rps_joint_freedom(joint, 0);
    *out = (rps_joint_state){.name = joint->name ? joint->name : "",
                             .kind = joint->kind,
                             .body = {joint->body[0], joint->body[1]},
                             .turns = freedom == RPS_JOINT_TURNS ? m->position[0] / (2.0 * RPS_PI) : NAN,
                             .error = m->error,
                             .dissipated = m->dissipated};
    for (int k = 0; k < RPS_JOINT_COORDINATES; k++) {
        const bool there = rps_joint_freedom(joint, k) != RPS_JOINT_HELD;
        out->coordinate[k] = there ? m->position[k] : NAN;
        out->rate[k] = there ? m->speed[k] : NAN;
    }
    out->position = out->coordinate[0];
    out->speed = out->rate[0];
    memcpy(out->point, m->point, sizeof out->point);
    memcpy(out->force, m->force, sizeof out->force);
    memcpy(out->torque, m->torque, sizeof out->torque);
    const bool couples = joint->kind == RPS_JOINT_COUPLING;
    const bool has_axis = couples || (freedom != RPS_JOINT_HELD && joint->kind != RPS_JOINT_DISTANCE);
    const rps_joint *of = couples ? &world->joint[joint->coupled[0]] : joint;
    rps_vec3_put(out->axis, has_axis ? axis_now(world, of) : rps_vec3_make(NAN, NAN, NAN));
    return RPS_OK;
}

void rps_joint_pack_definition(const rps_joint *joint, double out[RPS_JOINT_DEFINITION_NUMBERS]) {
    const rps_joint_motion *m = &joint->motion;
    double *to = out;
    const double made[] = {
        (double)joint->kind, (double)joint->collide, joint->length,  joint->pitch, (double)m->turns, m->speed,
        m->amplitude,        m->frequency,           m->phase,       m->from,      m->until,         joint->image.x,
        joint->image.y,      joint->image.z,         joint->load_max};
    _Static_assert(sizeof made / sizeof *made + 7 * RPS_JOINT_COORDINATES + 14 <= RPS_JOINT_DEFINITION_NUMBERS,
                   "room for all numbers");
    memset(out, 0, RPS_JOINT_DEFINITION_NUMBERS * sizeof *out);
    memcpy(to, made, sizeof made);
    to += sizeof made / sizeof *made;
    for (int k = 0; k < RPS_JOINT_COORDINATES; k++, to += 7) {
        const rps_joint_ends *e = &joint->ends[k];
        const double ends[7] = {e->friction,  e->limits[0], e->limits[1], e->restitution,
                                e->stiffness, e->damping,   e->rest};
        memcpy(to, ends, sizeof ends);
    }
    for (int k = 0; k < 2; k++) {
        const rps_vec3 a = joint->anchor[k];
        const rps_quat q = joint->frame[k];
        const double place[7] = {a.x, a.y, a.z, q.w, q.x, q.y, q.z};
        memcpy(to + 7 * k, place, sizeof place);
    }
}
