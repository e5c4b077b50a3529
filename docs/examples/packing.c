/* A packing is made, measured, saved and tilted: what a program reads from contacts, and how it goes on from a checkpoint.
 *
 * Balls fall into a box and come to rest. The program takes a step below the limit of the present contacts, reads contacts
 * in the last step alone, and works out coordination, fabric and stress. It checks that the box carries the weight, and
 * that the stress of the grains, summed over contacts, is that of the bodies. Then gravity tilts, in this world and in one that
 * is restored from the file; the hashes of both must agree to the bit.
 * Build: cc packing.c $(pkg-config --cflags --libs repose) -lm
 * Usage: packing [CHECKPOINT], the file to write (packing.ckpt) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/repose.h>

enum { SIDE = 4, LAYERS = 5, BALLS = SIDE * SIDE * LAYERS, WALLS = 5 };

static const double RADIUS = 0.005, WIDTH = 0.045, G = 9.81, TILT = 0.6; /* m, m, m/s^2, rad */
static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

/* Ids 0 to 4: floor and walls; then the balls. A world that restores a state needs the same set-up, but no balls. */
static rps_world *make_box(void) {
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 1e-6; /* until the limit is known */
    options.gravity[2] = -G;
    must(rps_world_create(&options, &world, &err));
    rps_material glass = rps_material_default();
    glass.name = "glass";
    glass.density = 2500.0;
    must(rps_world_add_material(world, &glass, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hooke", &err));
    must(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1e4, &err));
    must(rps_pair_law(&pair, RPS_ROLE_DAMPING, "ratio", &err));
    must(rps_pair_set(&pair, RPS_ROLE_DAMPING, "value", 0.3, &err));
    must(rps_pair_law(&pair, RPS_ROLE_SLIDE, "tracked", &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "static", 0.3, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "kinetic", 0.3, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "stiffness", 5e3, &err));
    must(rps_pair_law(&pair, RPS_ROLE_ROLL, "tracked", &err)); /* else a ball may roll for ever */
    must(rps_pair_set(&pair, RPS_ROLE_ROLL, "eta", 0.1, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    rps_body_def wall[WALLS] = {rps_body_plane(0, 0, 1), rps_body_plane(1, 0, 0), rps_body_plane(-1, 0, 0),
                                rps_body_plane(0, 1, 0), rps_body_plane(0, -1, 0)};
    wall[2].position[0] = wall[4].position[1] = WIDTH;
    for (int k = 0; k < WALLS; k++) must(rps_world_add_body(world, &wall[k], NULL, &err));
    return world;
}

static void add_balls(rps_world *world) {
    static double place[BALLS][3], radius[BALLS];
    for (int n = 0; n < BALLS; n++) {
        radius[n] = RADIUS * (0.8 + 0.05 * (n * 7 % 5));
        place[n][0] = (1.1 + 2.1 * (n % SIDE) + 0.1 * (n % 3)) * RADIUS;
        place[n][1] = (1.1 + 2.1 * (n / SIDE % SIDE) + 0.1 * (n % 4)) * RADIUS;
        place[n][2] = (1.1 + 2.1 * (n / SIDE / SIDE)) * RADIUS;
    }
    rps_bodies_def balls = rps_bodies_def_default();
    balls.count = BALLS;
    balls.def = rps_body_sphere(RADIUS);
    balls.position.data = place;
    balls.radius.data = radius;
    must(rps_world_add_bodies(world, &balls, NULL, &err));
}

/* Half the largest stable step of the balls that will touch each other. */
static double choose_step(rps_world *world) {
    rps_step_limit limit;
    must(rps_world_step_limit(world, &limit, &err));
    const double step = 0.5 * limit.step;
    printf("the step may be %.3g s, by the %s stiffness %.3g N/m; taken: %.3g s\n", limit.step,
           rps_role_name(limit.role), limit.stiffness, step);
    must(rps_world_set_step(world, step, &err));
    return step;
}

/* Steps until the balls rest, and once more with contacts kept: steps before cost nothing for them. */
static void settle(rps_world *world) {
    rps_extremes extremes;
    do {
        must(rps_world_step(world, 500, &err));
        must(rps_world_extremes(world, &extremes, &err));
    } while (extremes.speed > 1e-5 && rps_world_time(world) < 2.0);
    rps_world_keep_contacts(world, true);
    must(rps_world_step(world, 1, &err));
    rps_world_keep_contacts(world, false);
    printf("at rest after %.3g s and %llu steps: the fastest ball moves at %.2g m/s\n", rps_world_time(world),
           (unsigned long long)rps_world_steps(world), extremes.speed);
}

/* Fabric (mean n n) and force times branch, both over the contacts: the second is the stress times the volume, xx yy zz. */
static void look_at_contacts(const rps_world *world, double moment[3]) {
    size_t count, inner = 0;
    const size_t capacity = rps_world_contact_count(world);
    rps_contact *contact = malloc((capacity + 1) * sizeof *contact);
    double fabric[3] = {0};
    if (!contact) exit(1);
    must(rps_world_contacts(world, contact, capacity, &count, &err));
    memset(moment, 0, 3 * sizeof *moment);
    for (size_t c = 0; c < count; c++) {
        double force[3];
        rps_contact_force(&contact[c], force); /* on body i, at the end of both branch vectors */
        for (int k = 0; k < 3; k++) {
            if (contact[c].id_i >= WALLS) moment[k] += force[k] * contact[c].branch_i[k];
            if (contact[c].id_j >= WALLS) moment[k] -= force[k] * contact[c].branch_j[k];
            if (contact[c].id_i >= WALLS) fabric[k] += contact[c].normal[k] * contact[c].normal[k];
        }
        inner += contact[c].id_i >= WALLS;
    }
    printf("%zu contacts, %.3g between balls for each ball; fabric %.3f %.3f %.3f\n", count,
           2.0 * (double)inner / BALLS, fabric[0] / (double)inner, fabric[1] / (double)inner,
           fabric[2] / (double)inner);
    free(contact);
}

/* The balance of a packing at rest; returns how many results are wrong. */
static int check_balance(const rps_world *world) {
    double carried = 0.0, weight = 0.0, moment[3], bodies[3] = {0}, force[3], torque[3], stress[6];
    for (uint64_t id = 0; id < WALLS; id++) { /* friction on the walls carries some of it */
        must(rps_world_body_load(world, id, force, torque, &err));
        carried -= force[2];
    }
    look_at_contacts(world, moment);
    rps_view mass, radius;
    must(rps_world_view(world, "mass", &mass, &err));
    must(rps_world_view(world, "radius", &radius, &err));
    const uint64_t layout = rps_world_layout(world); /* the views hold while this stays */
    for (uint64_t id = WALLS; id < rps_world_id_end(world); id++) {
        const size_t slot = rps_world_slot(world, id);
        const double r = *(const double *)((const char *)radius.data + slot * radius.stride);
        weight += G * *(const double *)((const char *)mass.data + slot * mass.stride);
        must(rps_world_body_stress(world, id, stress, &err));
        const double volume = 4.0 / 3.0 * 3.14159265358979323846 * r * r * r;
        for (int k = 0; k < 3; k++) bodies[k] += volume * stress[k == 0 ? 0 : k == 1 ? 3 : 5];
    }
    printf("the box carries %.6g N of the weight %.6g N; stress times volume %.4g and %.4g J along z\n", carried,
           weight, moment[2], bodies[2]);
    int wrong = fabs(carried - weight) > 1e-3 * weight || rps_world_layout(world) != layout;
    for (int k = 0; k < 3; k++) wrong += fabs(moment[k] - bodies[k]) > 1e-9 * fabs(moment[k]);
    return wrong;
}

/* The contact that carries most is the same by any way to it; with a wall a ball has one at most. */
static int check_pair(const rps_world *world) {
    rps_contact one, merged;
    size_t count;
    bool found = false;
    uint64_t id = WALLS;
    for (; id < rps_world_id_end(world) && !found; id++) must(rps_world_contact(world, 0, id, &merged, &found, &err));
    if (!found) return 1;
    must(rps_world_pair_contacts(world, 0, id - 1, &one, 1, &count, &err));
    printf("ball %llu stands on the floor with %.4g N\n", (unsigned long long)id - 1, one.normal_load[0]);
    return count != 1 || one.normal_load[0] != merged.normal_load[0];
}

/* Gravity turns about y; the same in any world. */
static void tilt(rps_world *world, uint64_t hash[2]) {
    const double gravity[3] = {G * sin(TILT), 0, -G * cos(TILT)};
    must(rps_world_set_gravity(world, gravity, &err));
    must(rps_world_step(world, 2000, &err));
    must(rps_world_hash(world, hash, &err));
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "packing.ckpt";
    rps_world *world = make_box(), *other = make_box();
    uint64_t hash[2], again[2];
    add_balls(world);
    const double step = choose_step(world);
    must(rps_world_start(world, &err)); /* contacts at t = 0: the balls are placed apart */
    int wrong = rps_world_contact_count(world) > 0;
    settle(world);
    wrong += check_balance(world) + check_pair(world);
    must(rps_world_save(world, path, &err));
    must(rps_world_set_step(other, step, &err));
    must(rps_world_restore(other, path, &err));
    tilt(world, hash);
    tilt(other, again);
    printf("tilted: state %016llx%016llx, from the file %016llx%016llx\n", (unsigned long long)hash[0],
           (unsigned long long)hash[1], (unsigned long long)again[0], (unsigned long long)again[1]);
    wrong += hash[0] != again[0] || hash[1] != again[1];
    rps_world_destroy(other);
    rps_world_destroy(world);
    return wrong > 0;
}
