/* A program that works with bodies while a world runs: a box of balls is filled from arrays, blown at from below,
 * watched by contacts and their events, asked where things are, and emptied of what left it. The energy ledger
 * accounts for all of it. Build: cc bodies.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

enum { SIDE = 6, BALLS = SIDE * SIDE * SIDE };

static const double RADIUS = 0.01, WIDTH = 0.15;
static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

static rps_world *make_world(void) {
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 2e-5;
    options.gravity[2] = -9.81;
    options.contacts = true; /* contacts and their events can be read after each call of rps_world_step */
    must(rps_world_create(&options, &world, &err));
    rps_material glass = rps_material_default();
    glass.name = "glass";
    glass.young = 1e7;
    glass.poisson = 0.2;
    glass.density = 2500.0;
    must(rps_world_add_material(world, &glass, NULL, &err));
    rps_pair pair = rps_pair_default();
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", &err));
    must(rps_pair_law(&pair, RPS_ROLE_DAMPING, "restitution", &err));
    must(rps_pair_set(&pair, RPS_ROLE_DAMPING, "value", 0.6, &err));
    must(rps_pair_law(&pair, RPS_ROLE_SLIDE, "tracked", &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "static", 0.4, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "kinetic", 0.3, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "stiffness", 2e4, &err));
    must(rps_world_set_pair(world, 0, 0, &pair, &err));
    return world;
}

/* Four walls and a floor: ids 0 to 4. */
static void add_box(rps_world *world) {
    rps_body_def wall[5] = {rps_body_plane(0, 0, 1), rps_body_plane(1, 0, 0), rps_body_plane(-1, 0, 0),
                            rps_body_plane(0, 1, 0), rps_body_plane(0, -1, 0)};
    wall[2].position[0] = wall[4].position[1] = WIDTH;
    for (int k = 0; k < 5; k++) must(rps_world_add_body(world, &wall[k], NULL, &err));
}

/* All balls in one call; returns the id of the first. */
static uint64_t add_balls(rps_world *world) {
    static double place[BALLS][3];
    for (int n = 0; n < BALLS; n++) {
        place[n][0] = (1.2 + 2.3 * (n % SIDE) + 0.1 * (n / SIDE % 2)) * RADIUS;
        place[n][1] = (1.2 + 2.3 * (n / SIDE % SIDE)) * RADIUS;
        place[n][2] = (1.2 + 2.3 * (n / SIDE / SIDE)) * RADIUS;
    }
    rps_bodies_def balls = rps_bodies_def_default();
    balls.count = BALLS;
    balls.def = rps_body_sphere(RADIUS);
    balls.position.data = place; /* close together: stride 0 */
    uint64_t first;
    must(rps_world_add_bodies(world, &balls, &first, &err));
    return first;
}

/* Air that rises in the middle drags what it meets; loads of one step, as a flow solver would give them. */
static void blow(rps_world *world, uint64_t first) {
    const double speed = 8.0, drag = 0.04; /* m/s, N s/m */
    for (uint64_t id = first; id < rps_world_id_end(world); id++) {
        double x[3], v[3], force[3] = {0};
        if (!rps_world_has_body(world, id)) continue;
        must(rps_world_body_position(world, id, x, &err));
        must(rps_world_body_velocity(world, id, v, &err));
        if (hypot(x[0] - 0.5 * WIDTH, x[1] - 0.5 * WIDTH) > 0.04) continue;
        force[2] = drag * (speed - v[2]);
        must(rps_world_apply_load(world, id, force, NULL, &err));
    }
}

/* Water carries a tenth of the weight of every ball from now on, and a gust pushes them for one step: loads from arrays. */
static void flood(rps_world *world, uint64_t first, double weight) {
    static double lift[BALLS][3], gust[BALLS][3];
    uint64_t id[BALLS];
    size_t count = 0;
    for (uint64_t k = first; k < rps_world_id_end(world); k++) {
        if (!rps_world_has_body(world, k)) continue;
        lift[count][2] = 0.1 * weight;
        gust[count][0] = 0.5 * weight;
        id[count++] = k;
    }
    const rps_array no_torque = {NULL, 0};
    must(rps_world_hold_loads(world, id, count, (rps_array){lift, 0}, no_torque, &err));
    must(rps_world_apply_loads(world, id, count, (rps_array){gust, 0}, no_torque, &err));
}

/* Removes what is above the box; returns how many. */
static size_t take_out(rps_world *world) {
    const double low[3] = {-INFINITY, -INFINITY, 0.25}, high[3] = {INFINITY, INFINITY, INFINITY};
    uint64_t id[BALLS];
    size_t count;
    must(rps_world_bodies_in_box(world, low, high, id, BALLS, &count, &err));
    must(rps_world_remove_bodies(world, id, count, &err));
    return count;
}

/* One ball is marked, turned, thrown, lifted and pushed by a constant force at its top. */
static void play_with(rps_world *world, uint64_t id, int *mark) {
    const double up[3] = {0.5 * WIDTH, 0.5 * WIDTH, 0.23}, v[3] = {0.1, 0, 0}, w[3] = {0, 30, 0},
                 push[3] = {1e-3, 0, 0};
    const double half_turn[4] = {0, 0, 0, 1}, top[3] = {up[0], up[1], up[2] + RADIUS};
    double back[4];
    void *user;
    must(rps_world_set_user(world, id, mark, &err));
    must(rps_world_set_position(world, id, up, &err));
    must(rps_world_set_orientation(world, id, half_turn, &err));
    must(rps_world_set_velocity(world, id, v, &err));
    must(rps_world_set_angular_velocity(world, id, w, &err));
    must(rps_world_hold_load(world, id, push, NULL, &err));
    must(rps_world_apply_force_at(world, id, push, top, &err));
    must(rps_world_body_user(world, id, &user, &err));
    must(rps_world_body_orientation(world, id, back, &err));
    if (user != mark || back[3] != 1.0) exit(1);
    must(rps_world_body_angular_velocity(world, id, back, &err));
    if (back[1] != 30.0) exit(1);
}

/* Where is the surface of the heap, what lies near its middle, and what is nearest to a point? */
static void look_around(const rps_world *world) {
    const double from[3] = {0.3 * WIDTH, 0.3 * WIDTH, 0.5}, down[3] = {0, 0, -1};
    const double middle[3] = {0.5 * WIDTH, 0.5 * WIDTH, 0.03};
    rps_hit hit;
    bool found;
    size_t count;
    must(rps_world_cast_ray(world, from, down, 1.0, &hit, &found, &err));
    if (found) printf("a ray from above meets body %llu at height %.4f m\n", (unsigned long long)hit.id, hit.point[2]);
    must(rps_world_bodies_in_sphere(world, middle, 0.03, NULL, 0, &count, &err));
    printf("%zu balls are within 3 cm of the middle\n", count);
    must(rps_world_nearest_body(world, middle, &hit, &found, &err));
    if (found)
        printf("the nearest surface there is %.4f m away, of body %llu\n", hit.distance, (unsigned long long)hit.id);
}

int main(void) {
    rps_world *world = make_world();
    add_box(world);
    const uint64_t first = add_balls(world);
    size_t began = 0, ended = 0, removed = 0;
    int mark = 0;
    const double weight = 9.81 * 2500.0 * 4.0 / 3.0 * 3.14159265358979 * RADIUS * RADIUS * RADIUS;
    for (int n = 0; n < 5000; n++) {
        if (n > 1500) blow(world, first);
        if (n == 1500) flood(world, first, weight);
        if (n == 2000) play_with(world, first, &mark);
        must(rps_world_step(world, 1, &err));
        rps_contact_events events;
        must(rps_world_contact_events(world, &events, &err));
        began += events.begins;
        ended += events.ends;
        if (n % 100 == 99) removed += take_out(world);
    }
    must(rps_world_step(world, 1, &err)); /* contacts can be read after a step */
    const rps_contact *contact;
    size_t count;
    double deepest = 0.0;
    must(rps_world_contact_view(world, &contact, &count, &err));
    for (size_t c = 0; c < count; c++) deepest = fmax(deepest, contact[c].overlap[0]);
    printf("%zu contacts began, %zu ended; the deepest of %zu is %.3g m\n", began, ended, count, deepest);
    look_around(world);
    rps_ledger ledger;
    must(rps_world_ledger(world, &ledger, &err));
    printf("%zu balls left with %.4g J; the program brought %.4g J; the ledger is off by %.2g J\n", removed,
           ledger.removed, ledger.external, ledger.residual);
    const int good = removed > 0 && fabs(ledger.residual) < 1e-2 * ledger.external;
    rps_world_destroy(world);
    return good ? 0 : 1;
}
