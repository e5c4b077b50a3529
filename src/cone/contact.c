/* The rows of a contact: velocities from nodes, loads to nodes, and the coupling of two contacts. */
#include <string.h>

#include "base/vec.h"
#include "packed.h"

void rps_cone_contact_velocity(const rps_cone_contact *contact, rps_cone_motion *v, double u[6]) {
    rps_vec3 n = rps_vec3_of(contact->n), t1 = rps_vec3_of(contact->t), t2 = rps_vec3_cross(n, t1);
    rps_vec3 slide = {0}, turn = {0};
    for (int side = 0; side < 2; side++) {
        if (contact->node[side] != RPS_CONE_NO_NODE) {
            const double *x = v[contact->node[side]];
            rps_vec3 w = rps_vec3_of(x + RPS_CONE_ANGULAR),
                     at = rps_vec3_add(rps_vec3_of(x), rps_vec3_cross(w, rps_vec3_of(contact->branch[side])));
            slide = side ? rps_vec3_sub(slide, at) : at;
            turn = side ? rps_vec3_sub(turn, w) : w;
        }
    }
    u[0] = rps_vec3_dot(n, slide);
    u[1] = rps_vec3_dot(t1, slide);
    u[2] = rps_vec3_dot(t2, slide);
    u[3] = rps_vec3_dot(n, turn);
    u[4] = rps_vec3_dot(t1, turn);
    u[5] = rps_vec3_dot(t2, turn);
}

void rps_cone_contact_load(const rps_cone_contact *contact, int side, const double r[6], double load[6]) {
    rps_vec3 n = rps_vec3_of(contact->n), t1 = rps_vec3_of(contact->t), t2 = rps_vec3_cross(n, t1);
    double sign = side ? -1 : 1;
    rps_vec3 force = rps_vec3_scale(n, sign * r[0]), torque = rps_vec3_scale(n, sign * r[3]);
    force = rps_vec3_add_scaled(rps_vec3_add_scaled(force, sign * r[1], t1), sign * r[2], t2);
    torque = rps_vec3_add_scaled(rps_vec3_add_scaled(torque, sign * r[4], t1), sign * r[5], t2);
    torque = rps_vec3_add(torque, rps_vec3_cross(rps_vec3_of(contact->branch[side]), force));
    const double add[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int k = 0; k < 6; k++) {
        load[k] += add[k];
    }
}

void rps_cone_contact_rows(const rps_cone_contact *contact, int side, double rows[6][8]) {
    const double sign = side ? -1 : 1;
    const rps_vec3 n = rps_vec3_of(contact->n), t1 = rps_vec3_of(contact->t);
    const rps_vec3 axis[3] = {n, t1, rps_vec3_cross(n, t1)};
    for (int k = 0; k < 3; k++) {
        const rps_vec3 a = rps_vec3_scale(axis[k], sign), arm = rps_vec3_cross(rps_vec3_of(contact->branch[side]), a);
        const double slide[8] = {a.x, a.y, a.z, arm.x, arm.y, arm.z}, turn[8] = {0, 0, 0, a.x, a.y, a.z};
        memcpy(rows[k], slide, sizeof slide);
        memcpy(rows[3 + k], turn, sizeof turn);
    }
}

void rps_cone_node_push(const rps_cone_node *node, const double load[6], rps_cone_motion v) {
    const double *i = node->inverse_inertia;
    double x = load[3], y = load[4], z = load[5];
    v[0] += node->inverse_mass * load[0];
    v[1] += node->inverse_mass * load[1];
    v[2] += node->inverse_mass * load[2];
    v[4] += i[0] * x + i[5] * y + i[4] * z;
    v[5] += i[5] * x + i[1] * y + i[3] * z;
    v[6] += i[4] * x + i[3] * y + i[2] * z;
}

void rps_cone_contact_push(const rps_cone_node *node, const rps_cone_contact *contact, const double r[6],
                           rps_cone_motion *v) {
    for (int side = 0; side < 2; side++) {
        if (contact->node[side] != RPS_CONE_NO_NODE) {
            double load[6] = {0};
            rps_cone_contact_load(contact, side, r, load);
            rps_cone_node_push(node + contact->node[side], load, v[contact->node[side]]);
        }
    }
}

/* a . I^-1 b */
static double inertia_product(const rps_cone_node *node, rps_vec3 a, rps_vec3 b) {
    const double *i = node->inverse_inertia;
    const rps_vec3 w = {i[0] * b.x + i[5] * b.y + i[4] * b.z, i[5] * b.x + i[1] * b.y + i[3] * b.z,
                        i[4] * b.x + i[3] * b.y + i[2] * b.z};
    return rps_vec3_dot(a, w);
}

void rps_cone_contact_diagonal(const rps_cone_node *node, const rps_cone_contact *contact, int side, double w[6]) {
    const rps_vec3 n = rps_vec3_of(contact->n), t1 = rps_vec3_of(contact->t);
    const rps_vec3 axis[3] = {n, t1, rps_vec3_cross(n, t1)};
    for (int k = 0; k < 3; k++) {
        const rps_vec3 arm = rps_vec3_cross(rps_vec3_of(contact->branch[side]), axis[k]);
        w[k] += node->inverse_mass * rps_vec3_norm2(axis[k]) + inertia_product(node, arm, arm);
        w[3 + k] += inertia_product(node, axis[k], axis[k]);
    }
}

void rps_cone_contact_couple(const rps_cone_node *node, const rps_cone_contact *i, int side_i,
                             const rps_cone_contact *j, int side_j, double w[36]) {
    double to[6][6] = {{0}}, from[6][8] = {{0}};
    for (int k = 0; k < 6; k++) {
        double unit[6] = {0}, load[6] = {0};
        unit[k] = 1;
        rps_cone_contact_load(i, side_i, unit, to[k]);
        rps_cone_contact_load(j, side_j, unit, load);
        rps_cone_node_push(node, load, from[k]);
    }
    for (int a = 0; a < 6; a++) {
        for (int b = 0; b < 6; b++) {
            double sum = 0;
            for (int k = 0; k < 6; k++) {
                sum += to[a][k] * from[b][k < 3 ? k : k + 1];
            }
            w[6 * a + b] += sum;
        }
    }
}
