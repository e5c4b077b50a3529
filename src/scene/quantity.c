/* Reads each quantity of quantity_table.inc. */
#include "scene/quantity.h"

#include "scene/events.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <repose/body.h>

#include "base/elementary.h"
#include "detect/detect.h"
#include "step/step_stages.h"

typedef enum reader {
    CONTACT_SCALAR,    /* a field at `offset` */
    CONTACT_COMPONENT, /* component `k` of the field */
    CONTACT_NORM,
    CONTACT_TOUCHING,
    CONTACT_GAP,
    CONTACT_SPIN_SIZE,
    BODY_POSITION,
    BODY_VELOCITY,
    BODY_ANGULAR,
    BODY_FORCE,
    BODY_TORQUE,
    BODY_ORIENTATION,
    BODY_SPEED,
    BODY_ANGULAR_SPEED,
    BODY_FORCE_SIZE,
    BODY_TORQUE_SIZE,
    BODY_ENERGY,
    BODY_ENERGY_TRANSLATION,
    BODY_ENERGY_ROTATION,
    BODY_PRESSURE,
    BODY_STRESS,
    BODY_SERVO_LOAD,
    BODY_SERVO_TORQUE,
    BODY_SERVO_ERROR,
    BODY_SLIDING_WORK,
    BODY_WEAR,
    BODY_TEMPERATURE,
    BODY_HEAT,
    BODY_LIQUID,
    BODY_SPIN,
    JOINT_FIELD, /* a double of rps_joint_state at `offset` */
    JOINT_SLIDE, /* of coordinates in an array at `offset`, the k-th displacement, */
    JOINT_TURN,  /* the k-th angle */
    JOINT_SIZE,  /* of a vector of it */
    TALLY_TOTAL, /* a field of rps_tally_sum at `offset`, since the start */
    TALLY_RATE,  /* the same over a window, by time */
    TALLY_AGE,   /* mean age */
    ZONE_AGE,    /* of those inside */
    SOURCE_BEHIND_NUMBER,
    SOURCE_BEHIND_MASS,
    WORLD_TIME,
    WORLD_STEPS,
    WORLD_BODIES,
    WORLD_CONTACTS,
    WORLD_BONDS,
    WORLD_WEAR,
    WORLD_BONDS_BROKEN,
    FORCE_WORK,
    WORLD_OVERLAP,
    WORLD_STAGE,
    WORLD_DISTANCE,
    WORLD_VOLUME,
    WORLD_STIFFNESS, /* of role `k` */
    WORLD_SECANT,
    WORLD_SLIDING,
    WORLD_REST,
    SOLVER_FIELD, /* a double of rps_solver_report at `offset` */
    SOLVER_COUNT, /* a count of it */
    WORLD_HEAT,
    LIQUID_FIELD, /* a volume of rps_liquid_sums at `offset` */
    LIQUID_COUNT, /* a count of it */
    SHEAR_STRAIN,
    LEDGER_FIELD, /* a field of rps_ledger at `offset` */
    LEDGER_TOTAL,
    LEDGER_ELASTIC,
    LEDGER_DISSIPATED,
    LEDGER_RELATIVE,
    GRAINS_FIELD, /* a field of rps_grains at `offset` */
    GRAINS_COUNT,
    GRAINS_MOMENTUM,
    GRAINS_ANGULAR,
    GRAINS_COORDINATION,
    GRAINS_PACKING,
    GRAINS_STRESS,
    GRAINS_INSIDE, /* a field of rps_inside at `offset` */
    GRAINS_REPOSE,
    GRAINS_SURFACE
} reader;

typedef struct quantity {
    rps_quantity_info info;
    reader read;
    size_t offset;
    int k;
} quantity;

static const quantity table[] = {
#include "scene/quantity_table.inc"
};

enum { QUANTITIES = sizeof table / sizeof *table };

size_t rps_quantity_count(void) {
    return QUANTITIES;
}

const rps_quantity_info *rps_quantity_at(size_t index) {
    return index < QUANTITIES ? &table[index].info : NULL;
}

int rps_quantity_find(const char *of, const char *name) {
    for (int i = 0; i < QUANTITIES; i++) {
        if (strcmp(table[i].info.of, of) == 0 && strcmp(table[i].info.name, name) == 0) return i;
    }
    return -1;
}

bool rps_quantity_is_mode(int index) {
    const char *name = table[index].info.name;
    return table[index].read == CONTACT_SCALAR && strstr(name, "_mode") != NULL;
}

bool rps_quantity_needs_contacts(int index) {
    reader read = table[index].read;
    return read == CONTACT_SCALAR || read == CONTACT_COMPONENT || read == CONTACT_NORM || read == CONTACT_SPIN_SIZE ||
           read == CONTACT_TOUCHING || read == BODY_STRESS || read == GRAINS_STRESS || read == WORLD_SECANT;
}

bool rps_quantity_needs_ledger(int index) {
    return table[index].read == WORLD_REST || table[index].read == FORCE_WORK || rps_quantity_of_loads(index) ||
           (table[index].read >= LEDGER_FIELD && table[index].read <= LEDGER_RELATIVE);
}

bool rps_quantity_of_loads(int index) {
    return table[index].read == BODY_SLIDING_WORK || table[index].read == BODY_WEAR || table[index].read == WORLD_WEAR;
}

bool rps_quantity_of_heat(int index) {
    const reader read = table[index].read;
    return read == BODY_TEMPERATURE || read == BODY_HEAT || read == WORLD_HEAT;
}

bool rps_quantity_needs_box(int index) {
    return table[index].read == GRAINS_PACKING;
}

bool rps_quantity_takes_box(int index) {
    return table[index].read == GRAINS_PACKING || table[index].read == GRAINS_STRESS;
}

bool rps_quantity_of_region(int index) {
    return table[index].read == GRAINS_INSIDE || table[index].read == GRAINS_SURFACE;
}

bool rps_quantity_of_tally(int index) {
    return table[index].read >= TALLY_TOTAL && table[index].read <= SOURCE_BEHIND_MASS;
}

bool rps_quantity_takes_window(int index) {
    return table[index].read == TALLY_RATE || table[index].read == TALLY_AGE;
}

bool rps_quantity_needs_window(int index) {
    return table[index].read == TALLY_RATE;
}

int rps_quantity_spans(int index, bool planar) {
    switch (table[index].read) {
    case BODY_PRESSURE:
        return planar ? 1 : 2;
    case WORLD_DISTANCE:
        return 1;
    case WORLD_VOLUME:
        return planar ? 2 : 3;
    default:
        return 0;
    }
}

bool rps_quantity_of_servo(int index) {
    const reader read = table[index].read;
    return read == BODY_SERVO_LOAD || read == BODY_SERVO_TORQUE || read == BODY_SERVO_ERROR;
}

rps_joint_free rps_quantity_of_motion(int index, int *nth) {
    const reader read = table[index].read;
    *nth = table[index].k;
    return read == JOINT_SLIDE ? RPS_JOINT_SLIDES : read == JOINT_TURN ? RPS_JOINT_TURNS : RPS_JOINT_HELD;
}

bool rps_quantity_of_plane(int index) {
    return table[index].read == BODY_PRESSURE;
}

bool rps_quantity_of_grains(int index) {
    return table[index].read >= GRAINS_FIELD;
}

/* --- reading ------------------------------------------------------------------------------------------------------- */

static double norm(const double *v) {
    return sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
}

static rps_status contact_value(const rps_world *world, const rps_probe *probe, const quantity *q, double *value,
                                rps_error *err) {
    rps_contact contact;
    bool found;
    if (q->read == CONTACT_GAP) {
        size_t a = rps_world_slot(world, probe->id[0]), b = rps_world_slot(world, probe->id[1]);
        *value = probe->id[0] < probe->id[1] ? rps_detect_gap(world, a, b) : rps_detect_gap(world, b, a);
        return RPS_OK;
    }
    RPS_TRY(rps_world_contact(world, probe->id[0], probe->id[1], &contact, &found, err));
    const double *field = (const double *)(const void *)((const char *)&contact + q->offset);
    if (q->read == CONTACT_TOUCHING)
        *value = found;
    else if (!found)
        *value = NAN;
    else if (q->read == CONTACT_SPIN_SIZE)
        *value = fabs(contact.spin_torque[0]);
    else
        *value = q->read == CONTACT_NORM ? norm(field) : field[q->k];
    return RPS_OK;
}

/* Distance, area or volume between the planes of a probe, m, m^2 or m^3. */
static double extent(const rps_scene *scene, const rps_world *world, const rps_probe *probe) {
    double size = scene->planar && table[probe->index].read != WORLD_DISTANCE ? scene->depth : 1.0;
    for (int k = 0; k < probe->spans; k++) size *= rps_plane_distance(world, probe->span[k][0], probe->span[k][1]);
    return size;
}

/* NAN while the drive of the body is not a servo. */
static double servo_value(const rps_world *world, size_t slot, reader read) {
    const int which = world->bodies.drive[slot][0];
    rps_servo_state state;
    if (which < 0) return NAN;
    const rps_drive_kind kind = world->driven[which].now.kind;
    const bool turns = kind == RPS_DRIVE_TORQUE;
    if (!turns && kind != RPS_DRIVE_FORCE && kind != RPS_DRIVE_PRESSURE) return NAN;
    if (read == (turns ? BODY_SERVO_LOAD : BODY_SERVO_TORQUE)) return NAN;
    rps_servo_look(world, which, &state);
    return read != BODY_SERVO_ERROR ? state.load : state.target > 0.0 ? state.load / state.target - 1.0 : NAN;
}

static rps_status body_value(const rps_scene *scene, const rps_world *world, const rps_probe *probe, const quantity *q,
                             double *value, rps_error *err) {
    size_t s = rps_world_slot(world, probe->id[0]);
    const rps_bodies *bodies = &world->bodies;
    const double *v = bodies->motion[s].velocity, *w = bodies->motion[s].angular_velocity;
    double x[3], force[3], torque[3], stress[6];
    double translation = 0.5 * bodies->mass[s][0] * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    double rotation = rps_body_rotation_energy(bodies, s);
    switch (q->read) {
    case BODY_POSITION:
        rps_world_unwrapped(world, s, x);
        *value = x[q->k];
        break;
    case BODY_VELOCITY:
        *value = v[q->k];
        break;
    case BODY_SPEED:
        *value = norm(v);
        break;
    case BODY_ANGULAR:
        *value = w[q->k];
        break;
    case BODY_ANGULAR_SPEED:
        *value = norm(w);
        break;
    case BODY_ORIENTATION:
        *value = bodies->orientation[s][q->k];
        break;
    case BODY_ENERGY:
        *value = translation + rotation;
        break;
    case BODY_ENERGY_TRANSLATION:
        *value = translation;
        break;
    case BODY_ENERGY_ROTATION:
        *value = rotation;
        break;
    case BODY_SERVO_LOAD:
    case BODY_SERVO_TORQUE:
    case BODY_SERVO_ERROR:
        *value = servo_value(world, s, q->read);
        break;
    case BODY_SLIDING_WORK:
        *value = rps_world_loaded_body(world, probe->id[0])->work.high;
        break;
    case BODY_LIQUID:
        return rps_world_liquid(world, probe->id[0], value, err);
    case BODY_TEMPERATURE:
    case BODY_HEAT: {
        double of[2];
        RPS_TRY(rps_world_temperature(world, probe->id[0], &of[0], &of[1], err));
        *value = of[q->read == BODY_HEAT];
        return RPS_OK;
    }
    case BODY_WEAR:
        *value = rps_world_loaded_body(world, probe->id[0])->wear.high;
        break;
    case BODY_STRESS:
        RPS_TRY(rps_world_body_stress(world, probe->id[0], stress, err));
        *value = stress[q->k];
        break;
    case BODY_PRESSURE: {
        const double *n = bodies->normal[s];
        RPS_TRY(rps_world_body_load(world, probe->id[0], force, torque, err));
        *value = -((force[0] * n[0] + force[1] * n[1]) + force[2] * n[2]) / extent(scene, world, probe);
        break;
    }
    case BODY_SPIN: {
        const double *g = scene->gravity;
        double size = norm(g);
        *value = size > 0.0 ? -((w[0] * g[0] + w[1] * g[1]) + w[2] * g[2]) / size : w[2];
        break;
    }
    default:
        RPS_TRY(rps_world_body_load(world, probe->id[0], force, torque, err));
        *value = q->read == BODY_FORCE        ? force[q->k]
                 : q->read == BODY_TORQUE     ? torque[q->k]
                 : q->read == BODY_FORCE_SIZE ? norm(force)
                                              : norm(torque);
        break;
    }
    return RPS_OK;
}

static rps_status ledger_value(rps_scene *scene, rps_world *world, const quantity *q, double *value, rps_error *err) {
    uint64_t step = rps_world_steps(world), bodies = rps_world_body_count(world);
    if (!scene->observer.ledger_read || scene->observer.ledger_step != step ||
        scene->observer.ledger_bodies != bodies) {
        RPS_TRY(rps_world_ledger(world, &scene->observer.ledger, err));
        scene->observer.ledger_read = true;
        scene->observer.ledger_step = step;
        scene->observer.ledger_bodies = bodies;
    }
    const rps_ledger *l = &scene->observer.ledger;
    double elastic = 0.0, dissipated = 0.0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        elastic += l->elastic[role]; /* 0 of roles that store or dissipate none */
        dissipated += l->dissipated[role];
    }
    elastic += l->bonds_stored;
    dissipated += l->bonds_dissipated + l->drag;
    switch (q->read) {
    case LEDGER_ELASTIC:
        *value = elastic;
        break;
    case LEDGER_DISSIPATED:
        *value = dissipated;
        break;
    case LEDGER_RELATIVE:
        *value = dissipated > 0.0 ? fabs(l->residual) / dissipated : NAN;
        break;
    case LEDGER_TOTAL:
        *value = ((l->kinetic_translation + l->kinetic_rotation) + l->gravity) + elastic + l->buoyancy;
        break;
    default:
        *value = *(const double *)(const void *)((const char *)l + q->offset);
        break;
    }
    return RPS_OK;
}

rps_status rps_quantity_rest(rps_scene *scene, rps_world *world, double *value, rps_error *err) {
    const quantity q = {.read = LEDGER_ELASTIC};
    const rps_ledger *l = &scene->observer.ledger;
    double elastic;
    RPS_TRY(ledger_value(scene, world, &q, &elastic, err));
    *value = elastic > 0.0 ? (l->kinetic_translation + l->kinetic_rotation) / elastic : NAN;
    return RPS_OK;
}

static rps_status grains_value(const rps_scene *scene, const rps_world *world, const rps_probe *probe,
                               const quantity *q, double *value, rps_absence *absence, rps_error *err) {
    rps_grains grains;
    if (q->read == GRAINS_REPOSE) {
        return rps_measure_heap(world, probe->group, scene->gravity, value, absence, err);
    }
    if (q->read == GRAINS_SURFACE) {
        return rps_measure_surface(world, probe->group, &probe->region, scene->gravity, value, absence, err);
    }
    if (q->read == GRAINS_COORDINATION) {
        *value = rps_measure_coordination(world, probe->group);
        return RPS_OK;
    }
    if (q->read == GRAINS_STRESS) {
        double stress[6], box[2][3];
        memcpy(box[0], probe->low, sizeof box[0]);
        memcpy(box[1], probe->high, sizeof box[1]);
        RPS_TRY(
            rps_world_mean_stress(world, probe->group, probe->has_box ? (const double(*)[3])box : NULL, stress, err));
        *value = stress[q->k];
        return RPS_OK;
    }
    if (q->read == GRAINS_INSIDE) {
        rps_inside inside;
        rps_measure_inside(world, probe->group, &probe->region, scene->depth, &inside);
        *value = *(const double *)(const void *)((const char *)&inside + q->offset);
        return RPS_OK;
    }
    if (q->read == GRAINS_PACKING) {
        *value = rps_measure_packing(world, probe->group, probe->low, probe->high);
        return RPS_OK;
    }
    rps_measure_grains(world, probe->group, scene->gravity, &grains);
    *value = q->read == GRAINS_COUNT      ? (double)grains.count
             : q->read == GRAINS_MOMENTUM ? grains.momentum[q->k]
             : q->read == GRAINS_ANGULAR  ? grains.angular[q->k]
                                          : *(const double *)(const void *)((const char *)&grains + q->offset);
    return RPS_OK;
}

static rps_status tally_value(rps_scene *scene, const rps_world *world, const rps_probe *probe, const quantity *q,
                              double *value) {
    const uint64_t step = rps_world_steps(world);
    if (q->read >= SOURCE_BEHIND_NUMBER) {
        /* those that are due since the last insertion, before this step, were not tried yet */
        const rps_insertion *insertion = &scene->insertions.item[probe->tally];
        uint64_t number;
        const double before = rps_scene_time(scene, step > 0 ? step - 1 : 0);
        rps_insertion_behind(insertion, before, scene->seed, &number, value);
        if (q->read == SOURCE_BEHIND_NUMBER) *value = (double)number;
        return RPS_OK;
    }
    if (q->read == ZONE_AGE) {
        *value = rps_zone_age(scene, world, probe->tally, probe->group);
        return RPS_OK;
    }
    const rps_tally *tally = rps_probe_tally(scene, probe);
    /* a window begins again when the step changes, and in a fork that has no events of before */
    const uint64_t first = tally->since > scene->run.clock.number ? tally->since : scene->run.clock.number;
    const uint64_t since = step - first;
    uint64_t window = probe->window > 0.0 ? rps_window_steps(probe->window, scene->run.step) : 0;
    if (window > 0 && first > 0 && window > since) window = since > 0 ? since : 1;
    const rps_tally_sum sum =
        window > 0 ? rps_tally_recent(tally, probe->group, step, window) : rps_tally_total(tally, probe->group);
    *value = *(const double *)(const void *)((const char *)&sum + q->offset);
    if (q->read == TALLY_AGE) *value = sum.number > 0.0 ? sum.age / sum.number : NAN;
    if (q->read == TALLY_RATE)
        *value = since > 0 ? *value / ((double)(since < window ? since : window) * world->step) : 0.0;
    return RPS_OK;
}

/* Why one of the bodies of the probe is not there. */
static rps_absence why_away(const rps_scene *scene, const rps_world *world, const rps_probe *probe, const quantity *q) {
    const int bodies = q->read <= CONTACT_SPIN_SIZE ? 2 : q->read <= BODY_SPIN ? 1 : 0;
    for (int k = 0; k < bodies; k++) {
        if (probe->id[k] == UINT64_MAX) return RPS_BODY_TO_COME;
        if (!rps_scene_removes(scene) || rps_world_has_body(world, probe->id[k])) continue;
        return rps_events_have(scene, RPS_EVENT_REMOVED) ? RPS_BODY_REMOVED : RPS_BODY_LEFT;
    }
    return RPS_PRESENT;
}

/* A program can have removed the bodies of a probe. */
static rps_status check_named_bodies(const rps_world *world, const rps_probe *probe, const quantity *q,
                                     rps_error *err) {
    const int bodies = q->read <= CONTACT_SPIN_SIZE ? 2 : q->read <= BODY_SPIN ? 1 : 0;
    rps_status status = RPS_OK;
    size_t slot;
    for (int k = 0; k < bodies && status == RPS_OK; k++) {
        status = rps_world_find_body(world, probe->id[k], &slot, err);
    }
    for (int k = 0; k < 2 * probe->spans && status == RPS_OK; k++) {
        status = rps_world_find_body(world, probe->span[k / 2][k % 2], &slot, err);
    }
    if (status != RPS_OK) rps_error_prefix(err, "probe `%s`: ", probe->info.name);
    return status;
}

static rps_status quantity_read_value(rps_scene *scene, rps_world *world, const rps_probe *probe, const quantity *q,
                                      double *value, rps_absence *absence, rps_error *err) {
    rps_extremes extremes;
    const rps_absence away = why_away(scene, world, probe, q);
    if (away != RPS_PRESENT) {
        *value = NAN;
        *absence = away;
        return RPS_OK;
    }
    RPS_TRY(check_named_bodies(world, probe, q, err));
    if (q->read <= CONTACT_SPIN_SIZE) return contact_value(world, probe, q, value, err);
    if (q->read <= BODY_SPIN) return body_value(scene, world, probe, q, value, err);
    if (q->read <= JOINT_SIZE) {
        rps_joint_state state;
        RPS_TRY(rps_world_joint(world, probe->joint, &state, err));
        const double *field = (const double *)(const void *)((const char *)&state + q->offset);
        const rps_joint *joint = &world->joint[probe->joint];
        if (q->read == JOINT_SLIDE) field += rps_joint_coordinate_of(joint, RPS_JOINT_SLIDES, q->k);
        if (q->read == JOINT_TURN) field += rps_joint_coordinate_of(joint, RPS_JOINT_TURNS, q->k);
        *value = q->read == JOINT_SIZE ? norm(field) : *field;
        return RPS_OK;
    }
    if (q->read <= SOURCE_BEHIND_MASS) return tally_value(scene, world, probe, q, value);
    if (q->read >= GRAINS_FIELD) return grains_value(scene, world, probe, q, value, absence, err);
    switch (q->read) {
    case WORLD_TIME:
        *value = rps_world_time(world);
        return RPS_OK;
    case WORLD_STEPS:
        *value = (double)rps_world_steps(world);
        return RPS_OK;
    case WORLD_BODIES:
        *value = (double)rps_world_body_count(world);
        return RPS_OK;
    case WORLD_CONTACTS:
        *value = (double)rps_world_contact_count(world);
        return RPS_OK;
    case WORLD_WEAR:
        *value = rps_world_loaded_body(world, RPS_LOADED_WORLD)->wear.high;
        return RPS_OK;
    case WORLD_BONDS:
        *value = (double)rps_world_intact_bond_count(world);
        return RPS_OK;
    case WORLD_BONDS_BROKEN:
        *value = (double)rps_world_bonds_broken(world);
        return RPS_OK;
    case FORCE_WORK:
        *value = rps_world_force_work(world, probe->force);
        return RPS_OK;
    case WORLD_STAGE: /* after the run: the last stage */
        *value = (double)(scene->stages.now < scene->stages.count ? scene->stages.now + 1 : scene->stages.count);
        return RPS_OK;
    case WORLD_DISTANCE:
    case WORLD_VOLUME:
        *value = extent(scene, world, probe);
        return RPS_OK;
    case WORLD_STIFFNESS:
        *value = rps_measure_stiffness(world, (rps_role)q->k);
        return RPS_OK;
    case WORLD_SECANT:
        return rps_measure_secant(world, value, err);
    case WORLD_SLIDING:
        *value = rps_measure_sliding(world);
        return RPS_OK;
    case WORLD_REST:
        return rps_quantity_rest(scene, world, value, err);
    case WORLD_OVERLAP:
        RPS_TRY(rps_world_extremes(world, &extremes, err));
        *value = extremes.overlap;
        return RPS_OK;
    case WORLD_HEAT:
        return rps_world_heat_sum(world, value, err);
    case LIQUID_FIELD:
    case LIQUID_COUNT: {
        rps_liquid_sums sums;
        RPS_TRY(rps_world_liquid_sums(world, &sums, err));
        const void *field = (const char *)&sums + q->offset;
        *value = q->read == LIQUID_FIELD ? *(const double *)field : (double)*(const uint64_t *)field;
        return RPS_OK;
    }
    case SHEAR_STRAIN:
        *value = world->cell.sheared ? world->cell.travel / world->cell.period[world->cell.gradient] : 0.0;
        return RPS_OK;
    case SOLVER_FIELD:
    case SOLVER_COUNT: {
        const void *field = (const char *)&world->solver + q->offset;
        *value = q->read == SOLVER_FIELD ? *(const double *)field : (double)*(const uint64_t *)field;
        return RPS_OK;
    }
    default:
        return ledger_value(scene, world, q, value, err);
    }
}

/* --- why there is none --------------------------------------------------------------------------------------------- */

bool rps_quantity_may_lack(int index) {
    switch (table[index].read) {
    case CONTACT_SCALAR:
    case CONTACT_COMPONENT:
    case CONTACT_NORM:
    case CONTACT_SPIN_SIZE:
    case BODY_PRESSURE:
    case BODY_STRESS:
    case BODY_SERVO_LOAD:
    case BODY_SERVO_TORQUE:
    case BODY_SERVO_ERROR:
    case WORLD_STIFFNESS:
    case WORLD_SECANT:
    case WORLD_SLIDING:
    case WORLD_REST:
    case LEDGER_RELATIVE:
    case TALLY_AGE:
    case ZONE_AGE:
    case SOURCE_BEHIND_MASS:
    case GRAINS_FIELD:
    case GRAINS_COORDINATION:
    case GRAINS_STRESS:
    case GRAINS_REPOSE:
    case GRAINS_SURFACE:
        return true;
    default:
        return false;
    }
}

static rps_absence servo_absence(const rps_world *world, size_t slot, reader read) {
    const int which = world->bodies.drive[slot][0];
    const rps_drive_kind kind = which < 0 ? RPS_DRIVE_MOTION : world->driven[which].now.kind;
    if (kind == RPS_DRIVE_MOTION || kind == RPS_DRIVE_MIRROR) return RPS_NO_SERVO;
    if (read == BODY_SERVO_ERROR) return RPS_NO_TARGET;
    return kind == RPS_DRIVE_TORQUE ? RPS_SERVO_TURNS : RPS_SERVO_PUSHES;
}

static rps_absence grains_absence(const rps_scene *scene, const rps_world *world, const rps_probe *probe) {
    rps_grains grains;
    rps_measure_grains(world, probe->group, scene->gravity, &grains);
    return grains.free == 0 ? RPS_NO_GRAINS : norm(scene->gravity) > 0.0 ? RPS_NO_NUMBER : RPS_NO_GRAVITY;
}

/* Of a value that is NAN. */
static rps_absence why_absent(const rps_scene *scene, const rps_world *world, const rps_probe *probe) {
    rps_contact contact;
    bool found = false;
    switch (table[probe->index].read) {
    case CONTACT_SCALAR:
    case CONTACT_COMPONENT:
    case CONTACT_NORM:
    case CONTACT_SPIN_SIZE:
        rps_world_contact(world, probe->id[0], probe->id[1], &contact, &found, NULL);
        return found ? RPS_NO_FIELD : RPS_NO_CONTACT;
    case BODY_SERVO_LOAD:
    case BODY_SERVO_TORQUE:
    case BODY_SERVO_ERROR:
        return servo_absence(world, rps_world_slot(world, probe->id[0]), table[probe->index].read);
    case WORLD_STIFFNESS:
    case WORLD_SECANT:
    case WORLD_SLIDING:
        return RPS_NO_CONTACTS;
    case WORLD_REST:
        return RPS_NO_ELASTIC;
    case LEDGER_RELATIVE:
        return RPS_NO_DISSIPATION;
    case TALLY_AGE:
        return RPS_NONE_PASSED;
    case ZONE_AGE:
        return RPS_ZONE_EMPTY;
    case GRAINS_FIELD:
    case GRAINS_COORDINATION:
    case GRAINS_STRESS:
        return grains_absence(scene, world, probe);
    default:
        return RPS_NO_NUMBER;
    }
}

rps_status rps_quantity_value(rps_scene *scene, rps_world *world, const rps_probe *probe, double *value,
                              rps_absence *absence, rps_error *err) {
    const quantity *q = &table[probe->index];
    *absence = RPS_PRESENT;
    RPS_TRY(quantity_read_value(scene, world, probe, q, value, absence, err));
    if (isnan(*value) && *absence == RPS_PRESENT) *absence = why_absent(scene, world, probe);
    return RPS_OK;
}
