/* The joints of a scene: what they join, and what acts along their coordinates. */
#include <math.h>
#include <stdio.h>

#include "base/c_locale.h"
#include "run/explain.h"
#include "scene/scene_internal.h"
#include "world/joint.h"
#include "world/world_internal.h"

enum { JOINTS_LISTED = 30 };

static const char *joined_body(const rps_world *world, uint64_t id, char *out, size_t bytes) {
    return id == RPS_JOINT_WORLD ? "the world" : rps_body_name(world, rps_world_slot(world, id), out, bytes);
}

/* As a scene says it. */
static void tell_stop(char *out, size_t bytes, double limit) {
    if (fabs(limit) < INFINITY) {
        rps_snprintf(out, bytes, NUMBER, limit);
    } else {
        rps_snprintf(out, bytes, "none");
    }
}

static void tell_coordinate(rps_explain_sink *to, const rps_joint *joint, int k) {
    const rps_joint_ends *ends = &joint->ends[k];
    const bool turns = joint->kind == RPS_JOINT_BALL || rps_joint_freedom(joint, k) == RPS_JOINT_TURNS;
    const char *load = turns ? "N m" : "N", *unit = turns ? "rad" : "m", *per = turns ? " s/rad" : " s/m";
    static const char *const which[RPS_JOINT_COORDINATES] = {"", "second ", "third "};
    if (ends->friction > 0.0) {
        rps_explain_print(to, "                  %sfriction " NUMBER " %s\n", which[k], ends->friction, load);
    }
    if (ends->limits[0] > -INFINITY || ends->limits[1] < INFINITY) {
        char stop[2][32];
        for (int end = 0; end < 2; end++) tell_stop(stop[end], sizeof stop[end], ends->limits[end]);
        rps_explain_print(to, "                  %sstops from %s to %s %s, restitution %g\n", which[k], stop[0],
                          stop[1], unit, ends->restitution);
    }
    if (ends->stiffness > 0.0) {
        rps_explain_print(to, "                  %sspring " NUMBER " %s/%s, without load at " NUMBER " %s\n", which[k],
                          ends->stiffness, load, unit, ends->rest, unit);
    }
    if (ends->table_rows > 0) {
        rps_explain_print(to, "                  %sspring of a table, %zu rows from " NUMBER " to " NUMBER " %s\n",
                          which[k], ends->table_rows, ends->table[0][0], ends->table[ends->table_rows - 1][0], unit);
    }
    if (ends->damping > 0.0) {
        rps_explain_print(to, "                  %sdamper " NUMBER " %s%s\n", which[k], ends->damping, load, per);
    }
}

static void tell_joint(rps_explain_sink *to, const rps_world *world, size_t index, const char *type) {
    const rps_joint *joint = &world->joint[index];
    char name[2][RPS_BODY_NAME], label[32];
    snprintf(label, sizeof label, joint->name ? "%.31s" : "number %.0s%zu", joint->name ? joint->name : "", index);
    if (joint->kind == RPS_JOINT_COUPLING) {
        const char *of[2];
        for (int k = 0; k < 2; k++) of[k] = world->joint[joint->coupled[k]].name;
        rps_explain_print(to, "  %-15s %s: %s at " NUMBER " times %s\n", label, type, of[0] ? of[0] : "a joint",
                          joint->ratio, of[1] ? of[1] : "a joint");
        return;
    }
    const bool is_noun = joint->kind == RPS_JOINT_HINGE || joint->kind == RPS_JOINT_SLIDER ||
                         joint->kind == RPS_JOINT_MOTOR || joint->kind == RPS_JOINT_DISTANCE;
    rps_explain_print(to, "  %-15s %s%s of %s and %s", label, type, is_noun ? "" : " joint",
                      joined_body(world, joint->body[0], name[0], RPS_BODY_NAME),
                      joined_body(world, joint->body[1], name[1], RPS_BODY_NAME));
    if (joint->kind == RPS_JOINT_DISTANCE) rps_explain_print(to, ", " NUMBER " m", joint->length);
    if (joint->kind == RPS_JOINT_SCREW) rps_explain_print(to, ", " NUMBER " m a turn", joint->pitch);
    if (joint->kind == RPS_JOINT_MOTOR) {
        rps_explain_print(to, ", %s its axis", joint->motion.turns ? "about" : "along");
        if (joint->load_max < INFINITY) {
            rps_explain_print(to, ", with at most " NUMBER " %s", joint->load_max, joint->motion.turns ? "N m" : "N");
        }
    }
    rps_explain_print(to, "\n");
    for (int k = 0; k < RPS_JOINT_COORDINATES; k++) tell_coordinate(to, joint, k);
}

void rps_explain_joints(rps_explain_sink *to, const rps_run_state *run) {
    const rps_world *world = run->world;
    const rps_node *joints = rps_node_get(run->scene->text->root, "joints");
    if (world->joints == 0) return;
    rps_explain_print(to, "\nJoints\n");
    for (size_t k = 0; k < world->joints && k < JOINTS_LISTED; k++) {
        tell_joint(to, world, k, rps_node_text(joints->entry[k].value, "type"));
    }
    if (world->joints > JOINTS_LISTED) {
        rps_explain_print(to, "  and %zu more\n", world->joints - JOINTS_LISTED);
    }
}
