/* Columns come from the field tables. A few are derived for results: unwrapped positions, the orientation as a
 * tensor, and contacts as lines between the centres of their bodies. */
#include "io/frame.h"

#include <math.h>
#include <string.h>

#include "io/file_names.h"
#include "step/bond_motion.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

static const char position_meaning[] = "centre of mass, unwrapped: it runs on across periodic boundaries";

void rps_frame_body_columns(rps_table *table) {
    table->columns = 0;
    rps_table_add(table, (rps_column){"position", "m", position_meaning, RPS_TYPE_double, 3, 1});
    for (size_t i = 0; i < rps_body_field_count(); i++) {
        const rps_field *field = rps_body_field(i);
        if ((field->flags & RPS_FIELD_OUTPUT) && strcmp(field->name, "position") != 0) {
            rps_table_add(table,
                          (rps_column){field->name, field->unit, field->meaning, field->type, field->components, 1});
        }
    }
    rps_table_add(table,
                  (rps_column){"sphere_radius", "m",
                               "radius of spheres and disks; 0 of bodies that " RPS_SURFACES_XDMF " draws: for glyphs",
                               RPS_TYPE_double, 1, 1});
    rps_table_add(table,
                  (rps_column){"liquid", "m^3", "film on the body, without its bridges; only in results of wet worlds",
                               RPS_TYPE_double, 1, 1});
    rps_table_add(table, (rps_column){"temperature", "K", "temperature; only in results of worlds that count heat",
                                      RPS_TYPE_double, 1, 1});
    rps_table_add(table, (rps_column){"stress", "Pa",
                                      "mean stress from the contacts, xx xy xz yy yz zz, tension positive; 0 of planes",
                                      RPS_TYPE_double, 6, 1});
    rps_table_add(table,
                  (rps_column){"orientation_tensor", "1", "rotation matrix, row by row; columns are the body's axes",
                               RPS_TYPE_double, 9, 1});
}

typedef struct contact_field {
    rps_column column;
    size_t offset; /* in rps_contact */
} contact_field;

/* stored as int in rps_contact */
static const contact_field contact_places[] = {
    {{"piece_i", "1", "piece of body i that touches, from 0", RPS_TYPE_int32, 1, 1}, offsetof(rps_contact, piece_i)},
    {{"piece_j", "1", "piece of body j that touches, from 0", RPS_TYPE_int32, 1, 1}, offsetof(rps_contact, piece_j)},
    {{"feature", "1", "which of several contacts of these two pieces", RPS_TYPE_int32, 1, 1},
     offsetof(rps_contact, feature)},
};
_Static_assert(sizeof(int) == sizeof(int32_t), "pieces and feature are written as they are");

static const contact_field contact_fields[] = {
#define RPS_CONTACT_FIELD(name, components, unit, meaning) \
    {{#name, unit, meaning, RPS_TYPE_double, components, 1}, offsetof(rps_contact, name)},
#include <repose/contact_fields.inc>
#undef RPS_CONTACT_FIELD
};

void rps_frame_contact_columns(rps_table *table) {
    table->columns = 0;
    rps_table_add(table, (rps_column){"id_i", "1", "id of body i, the lower of the two", RPS_TYPE_uint64, 1, 1});
    rps_table_add(table, (rps_column){"id_j", "1", "id of body j", RPS_TYPE_uint64, 1, 1});
    for (size_t i = 0; i < sizeof contact_places / sizeof contact_places[0]; i++) {
        rps_table_add(table, contact_places[i].column);
    }
    rps_table_add(table, (rps_column){"point", "m", "contact point, where the body that is no plane is drawn",
                                      RPS_TYPE_double, 3, 1});
    rps_table_add(table, (rps_column){"line", "m", "two rows: centre of i, centre of j; the contact point for a plane",
                                      RPS_TYPE_double, 3, 2});
    rps_table_add(table, (rps_column){"force", "N", "total force on body i: normal load along n, and slide friction",
                                      RPS_TYPE_double, 3, 1});
    for (size_t i = 0; i < sizeof contact_fields / sizeof contact_fields[0]; i++) {
        rps_table_add(table, contact_fields[i].column);
    }
}

/* Every entry is 8 bytes. */
#define INDEX_FIELDS(X)                                                                                                \
    X(time, double, "s", "time of the frame, step x dt", true)                                                         \
    X(step, uint64, "1", "number of the step", true)                                                                   \
    X(body_offset, uint64, "1", "first row of the frame in /bodies", true)                                             \
    X(bodies, uint64, "1", "number of bodies in the frame", true)                                                      \
    X(contact_offset, uint64, "1", "first row of the frame in /contacts", contacts)                                    \
    X(contacts, uint64, "1", "number of contacts in the frame", contacts)                                              \
    X(shear_offset, double, "m",                                                                                       \
      "of a sheared cell: how far the next image up the gradient axis is off along the flow axis, less whole periods", \
      sheared)                                                                                                         \
    X(bond_offset, uint64, "1", "first row of the frame in /bonds", bonds)                                             \
    X(bonds, uint64, "1", "number of bonds in the frame, broken ones included", bonds)

void rps_frame_index_columns(rps_table *table, bool contacts, bool sheared, bool bonds) {
    table->columns = 0;
#define ADD(name, type, unit, meaning, there) \
    if (there) rps_table_add(table, (rps_column){#name, unit, meaning, RPS_TYPE_##type, 1, 1});
    INDEX_FIELDS(ADD)
#undef ADD
}

void rps_frame_index_set(rps_frame *frame, const rps_column *column, const void *value) {
#define SET(field, type, unit, meaning, there)             \
    if (strcmp(column->name, #field) == 0) {               \
        memcpy(&frame->field, value, sizeof frame->field); \
    }
    INDEX_FIELDS(SET)
#undef SET
}

void rps_frame_index_value(const rps_frame *frame, const rps_column *column, void *out) {
#define COPY(field, type, unit, meaning, there)          \
    if (strcmp(column->name, #field) == 0) {             \
        memcpy(out, &frame->field, sizeof frame->field); \
    }
    INDEX_FIELDS(COPY)
#undef COPY
}

void rps_frame_order(const rps_world *world, uint32_t *slot) {
    for (uint64_t id = 0, s; rps_bodies_next(&world->bodies, &id, &s); id++) *slot++ = (uint32_t)s;
}

rps_status rps_frame_body_values(const rps_world *world, const uint32_t *slot, size_t count, const rps_column *column,
                                 void *out, rps_error *err) {
    double(*row)[3] = out;
    double(*tensor)[9] = out, *radius = out;
    if (strcmp(column->name, "position") == 0) {
        for (size_t n = 0; n < count; n++) {
            rps_world_unwrapped(world, slot[n], row[n]);
        }
        return RPS_OK;
    }
    if (strcmp(column->name, "orientation_tensor") == 0) {
        for (size_t n = 0; n < count; n++) {
            const double *q = world->bodies.orientation[slot[n]];
            rps_mat3 matrix = rps_quat_to_mat3((rps_quat){q[0], q[1], q[2], q[3]});
            memcpy(tensor[n], matrix.m, sizeof matrix.m);
        }
        return RPS_OK;
    }
    if (strcmp(column->name, "sphere_radius") == 0) {
        for (size_t n = 0; n < count; n++) {
            const bool drawn = rps_body_piece_count(&world->bodies, slot[n]) > 0;
            radius[n] = drawn ? 0.0 : world->bodies.pose[slot[n]].radius[0];
        }
        return RPS_OK;
    }
    if (strcmp(column->name, "liquid") == 0) {
        for (size_t n = 0; n < count; n++) {
            radius[n] = rps_liquid_film(&world->liquid, world->bodies.id[slot[n]][0]);
        }
        return RPS_OK;
    }
    if (strcmp(column->name, "temperature") == 0) {
        for (size_t n = 0; n < count; n++) radius[n] = rps_heat_kelvin(world, slot[n]);
        return RPS_OK;
    }
    rps_view view;
    RPS_TRY(rps_world_view(world, column->name, &view, err));
    size_t bytes = rps_type_bytes(view.type) * (size_t)view.components;
    for (size_t n = 0; n < count; n++) {
        memcpy((char *)out + n * bytes, (const char *)view.data + slot[n] * view.stride, bytes);
    }
    return RPS_OK;
}

static rps_vec3 unwrapped(const rps_world *world, size_t slot) {
    double p[3];
    rps_world_unwrapped(world, slot, p);
    return rps_vec3_make(p[0], p[1], p[2]);
}

/* Point and line ends of a contact, next to the unwrapped position of body i, or of j if i is a plane. */
static void place(const rps_world *world, const rps_contact *contact, rps_vec3 *point, rps_vec3 end[2]) {
    size_t slot[2] = {rps_world_slot(world, contact->id_i), rps_world_slot(world, contact->id_j)};
    bool plane[2];
    for (int k = 0; k < 2; k++) {
        if (slot[k] == SIZE_MAX) { /* the bodies were removed: use the contact point for both ends */
            *point = end[0] = end[1] = rps_vec3_make(contact->point[0], contact->point[1], contact->point[2]);
            return;
        }
        plane[k] = rps_body_is_plane(&world->bodies, slot[k]);
    }
    int home = plane[0] ? 1 : 0, other = 1 - home;
    rps_vec3 centre = unwrapped(world, slot[home]);
    const double *branch[2] = {contact->branch_i, contact->branch_j};
    *point = rps_vec3_add(centre, rps_vec3_of(branch[home]));
    end[home] = centre;
    end[other] = plane[other] ? *point : rps_vec3_sub(*point, rps_vec3_of(branch[other]));
}

void rps_frame_contact_values(const rps_world *world, const rps_contact *contact, size_t contacts,
                              const rps_column *column, void *out) {
    uint64_t *id = out;
    double *value = out;
    const char *name = column->name;
    bool line = strcmp(name, "line") == 0;
    if (strcmp(name, "id_i") == 0 || strcmp(name, "id_j") == 0) {
        for (size_t n = 0; n < contacts; n++) {
            id[n] = name[3] == 'i' ? contact[n].id_i : contact[n].id_j;
        }
    } else if (line || strcmp(name, "point") == 0) {
        for (size_t n = 0; n < contacts; n++) {
            rps_vec3 point, end[2];
            place(world, &contact[n], &point, end);
            memcpy(value + (line ? 6 : 3) * n, line ? end : &point, line ? sizeof end : sizeof point);
        }
    } else if (strcmp(name, "force") == 0) {
        for (size_t n = 0; n < contacts; n++) {
            rps_contact_force(&contact[n], value + 3 * n);
        }
    } else {
        size_t f = 0, bytes = rps_type_bytes(column->type) * (size_t)column->components;
        const contact_field *field = column->type == RPS_TYPE_int32 ? contact_places : contact_fields;
        while (strcmp(field[f].column.name, name) != 0) {
            f++;
        }
        for (size_t n = 0; n < contacts; n++) {
            memcpy((char *)out + n * bytes, (const char *)&contact[n] + field[f].offset, bytes);
        }
    }
}

/* Adds the symmetric part of the dyadic product x (x) f to a body's sum. */
static void add_moment(double sum[6], rps_vec3 x, rps_vec3 f) {
    sum[0] += x.x * f.x;
    sum[1] += 0.5 * (x.x * f.y + x.y * f.x);
    sum[2] += 0.5 * (x.x * f.z + x.z * f.x);
    sum[3] += x.y * f.y;
    sum[4] += 0.5 * (x.y * f.z + x.z * f.y);
    sum[5] += x.z * f.z;
}

/* Row of a body in a frame (rows are sorted by id); SIZE_MAX if the frame lacks it. */
static size_t frame_row_of(const rps_world *world, const uint32_t *slot, uint64_t id) {
    const rps_bodies *bodies = &world->bodies;
    size_t low = 0, high = bodies->count;
    if (bodies->ids == bodies->count) return id < bodies->count ? (size_t)id : SIZE_MAX;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (bodies->id[slot[mid]][0] < id) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < bodies->count && bodies->id[slot[low]][0] == id ? low : SIZE_MAX;
}

void rps_frame_stress_add(const rps_world *world, const uint32_t *slot, const rps_contact *contact, size_t contacts,
                          double (*sum)[6]) {
    for (size_t n = 0; n < contacts; n++) {
        const rps_contact *c = &contact[n];
        const size_t row_i = frame_row_of(world, slot, c->id_i), row_j = frame_row_of(world, slot, c->id_j);
        if (row_i == SIZE_MAX || row_j == SIZE_MAX) continue;
        double f[3];
        rps_contact_force(c, f);
        const rps_vec3 force = rps_vec3_make(f[0], f[1], f[2]);
        add_moment(sum[row_i], rps_vec3_of(c->branch_i), force);
        add_moment(sum[row_j], rps_vec3_of(c->branch_j), rps_vec3_scale(force, -1.0));
    }
}

void rps_frame_stress_finish(const rps_world *world, const uint32_t *slot, double (*sum)[6]) {
    for (size_t n = 0; n < world->bodies.count; n++) {
        const double volume = rps_body_volume(world, slot[n]);
        for (int k = 0; k < 6; k++) {
            sum[n][k] = volume > 0.0 ? sum[n][k] / volume : 0.0;
        }
    }
}

/* --- joints --------------------------------------------------------------------------------------------------------- */

typedef struct joint_field {
    rps_column column;
    size_t offset; /* in rps_joint_state */
} joint_field;

static const joint_field joint_fields[] = {
    {{"first", "1", "id of the first body; the largest number there is: the world", RPS_TYPE_uint64, 1, 1},
     offsetof(rps_joint_state, body[0])},
    {{"second", "1", "id of the second body, or the world", RPS_TYPE_uint64, 1, 1}, offsetof(rps_joint_state, body[1])},
    {{"kind", "1", "its type, see the attribute", RPS_TYPE_int32, 1, 1}, offsetof(rps_joint_state, kind)},
    {{"point", "m", "where its force acts, on the first body, unwrapped", RPS_TYPE_double, 3, 1},
     offsetof(rps_joint_state, point)},
    {{"force", "N", "on the first body, mean of the last step", RPS_TYPE_double, 3, 1},
     offsetof(rps_joint_state, force)},
    {{"torque", "N m", "on the first body, about the point", RPS_TYPE_double, 3, 1}, offsetof(rps_joint_state, torque)},
    {{"position", "m or rad", "its first coordinate; of a distance its length; not a number where there is none",
      RPS_TYPE_double, 1, 1},
     offsetof(rps_joint_state, position)},
    {{"speed", "m/s or rad/s", "rate of the position", RPS_TYPE_double, 1, 1}, offsetof(rps_joint_state, speed)},
    {{"coordinates", "m or rad", "all that it leaves free, in their order; not a number beyond those that there are",
      RPS_TYPE_double, RPS_JOINT_COORDINATES, 1},
     offsetof(rps_joint_state, coordinate)},
    {{"rates", "m/s or rad/s", "rates of the coordinates", RPS_TYPE_double, RPS_JOINT_COORDINATES, 1},
     offsetof(rps_joint_state, rate)},
    {{"error", "m", "by which its points are off what it says", RPS_TYPE_double, 1, 1},
     offsetof(rps_joint_state, error)},
};
enum { JOINT_FIELDS = sizeof joint_fields / sizeof *joint_fields };
_Static_assert(sizeof(rps_joint_kind) == sizeof(int32_t), "kinds are written as they are");

void rps_frame_joint_columns(rps_table *table) {
    table->columns = 0;
    for (int c = 0; c < JOINT_FIELDS; c++) rps_table_add(table, joint_fields[c].column);
}

rps_status rps_frame_joint_values(const rps_world *world, int column, void *out, rps_error *err) {
    const size_t bytes =
        rps_type_bytes(joint_fields[column].column.type) * (size_t)joint_fields[column].column.components;
    for (size_t k = 0; k < rps_world_joint_count(world); k++) {
        rps_joint_state state;
        RPS_TRY(rps_world_joint(world, k, &state, err));
        memcpy((char *)out + k * bytes, (const char *)&state + joint_fields[column].offset, bytes);
    }
    return RPS_OK;
}

/* --- bonds ---------------------------------------------------------------------------------------------------------- */

typedef struct bond_field {
    rps_column column;
    size_t offset; /* in rps_bond_row */
} bond_field;

static const bond_field bond_fields[] = {
    {{"id_first", "1", "id of the first body, the lower of the two", RPS_TYPE_uint64, 1, 1},
     offsetof(rps_bond_row, id[0])},
    {{"id_second", "1", "id of the second body", RPS_TYPE_uint64, 1, 1}, offsetof(rps_bond_row, id[1])},
    {{"broken", "1", "1 of a bond that broke, whose loads are 0; otherwise 0", RPS_TYPE_int32, 1, 1},
     offsetof(rps_bond_row, broken)},
    {{"line", "m", "two rows: bond points on the first and on the second body, unwrapped as the first", RPS_TYPE_double,
      3, 2},
     offsetof(rps_bond_row, line)},
    {{"force", "N", "on the first body, without dampers", RPS_TYPE_double, 3, 1}, offsetof(rps_bond_row, force)},
    {{"tension", "N", "part of the force along the bond, compression negative", RPS_TYPE_double, 1, 1},
     offsetof(rps_bond_row, tension)},
    {{"shear", "N", "size of the part across it", RPS_TYPE_double, 1, 1}, offsetof(rps_bond_row, shear)},
    {{"bending", "N m", "size of the load conjugate to bending", RPS_TYPE_double, 1, 1},
     offsetof(rps_bond_row, bending)},
    {{"twist", "N m", "load conjugate to twist", RPS_TYPE_double, 1, 1}, offsetof(rps_bond_row, twist)},
    {{"stored", "J", "elastic energy", RPS_TYPE_double, 1, 1}, offsetof(rps_bond_row, stored)},
};
enum { BOND_FIELDS = sizeof bond_fields / sizeof *bond_fields };

void rps_frame_bond_columns(rps_table *table) {
    table->columns = 0;
    for (int c = 0; c < BOND_FIELDS; c++) rps_table_add(table, bond_fields[c].column);
}

rps_status rps_frame_bond_rows(const rps_world *world, size_t first, size_t count, rps_bond_row *row, rps_error *err) {
    for (size_t n = 0; n < count; n++) {
        rps_bond_state state;
        rps_bond_motion motion;
        RPS_TRY(rps_world_bond_at(world, first + n, &state, err));
        rps_bond_motion_of(world, &world->bonds.bond[first + n], &motion);
        const double *load = state.load;
        const rps_vec3 start = rps_vec3_add(unwrapped(world, rps_world_slot(world, state.body[0])), motion.arm[0]);
        row[n] = (rps_bond_row){.id = {state.body[0], state.body[1]},
                                .broken = state.broken,
                                .force = {state.force[0], state.force[1], state.force[2]},
                                .tension = load[2],
                                .shear = sqrt(load[0] * load[0] + load[1] * load[1]),
                                .bending = sqrt(load[3] * load[3] + load[4] * load[4]),
                                .twist = load[5],
                                .stored = state.stored};
        rps_vec3_put(row[n].line[0], start);
        rps_vec3_put(row[n].line[1], rps_vec3_add(start, motion.between));
    }
    return RPS_OK;
}

void rps_frame_bond_values(const rps_bond_row *row, size_t count, int column, void *out) {
    const rps_column *c = &bond_fields[column].column;
    const size_t bytes = rps_type_bytes(c->type) * (size_t)(c->components * c->rows);
    for (size_t n = 0; n < count; n++) {
        memcpy((char *)out + n * bytes, (const char *)&row[n] + bond_fields[column].offset, bytes);
    }
}
