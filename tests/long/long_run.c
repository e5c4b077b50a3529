/* No drift in a run of 1e8 steps: time, quaternions, tangent frames and their memory, the energy ledger, memory of
 * the process and file handles. And a run of 100,000 spheres that writes often must not grow.
 *
 * The small world has a ball that rolls on a turntable, one contact that lives for all steps and whose frame is carried
 * around with the ball, and beside it, out of its reach, two balls shaken in a box, whose contacts come and go, stick
 * and slip, and pay for it all the time. Environment: LONG_STEPS (1e8, at least 1e7). */
#include <dirent.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <repose/run.h>

static rps_error err;
#define DO(call) \
    if ((call) != RPS_OK) fail_msg("%s", err.text)

/* kB of this process that lie in memory */
static long resident(void) {
    char line[256];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmRSS: %ld", &kb) == 1) break;
    }
    if (file) fclose(file);
    return kb;
}

static int open_files(void) {
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) n++;
    if (folder) closedir(folder);
    return n;
}

static const double *field(const rps_world *world, const char *name, uint64_t id) {
    rps_view view;
    DO(rps_world_view(world, name, &view, &err));
    return (const double *)((const char *)view.data + rps_world_slot(world, id) * view.stride);
}

static uint64_t add(rps_world *world, rps_body_def def) {
    uint64_t id;
    DO(rps_world_add_body(world, &def, &id, &err));
    return id;
}

static const double step = 1e-4, radius = 0.02, mass = 0.1, gravity = 10.0, table_speed = 2.0, speed = 0.1,
                    box_stiffness = 1e4;

typedef struct setting {
    rps_world *world;
    uint64_t roller, shaken[2];
} setting;

static setting make_world(bool frames) {
    setting s;
    rps_world_options options = rps_world_options_default();
    options.step = step;
    options.gravity[2] = -gravity;
    options.threads = 1;
    options.frames = frames;
    DO(rps_world_create(&options, &s.world, &err));
    int smooth, rough, a, b;
    rps_material material = rps_material_default();
    material.name = "smooth";
    DO(rps_world_add_material(s.world, &material, &smooth, &err));
    material.name = "rough";
    DO(rps_world_add_material(s.world, &material, &rough, &err));

    /* On the turntable: springs alone, so that nothing brakes the ball. */
    rps_pair pair = rps_pair_default();
    pair.law[RPS_ROLE_NORMAL] = rps_law_find(RPS_ROLE_NORMAL, "hooke");
    pair.value[RPS_ROLE_NORMAL][0] = 1e5;
    pair.law[RPS_ROLE_SLIDE] = rps_law_find(RPS_ROLE_SLIDE, "tracked");
    for (int k = 0; k < RPS_LAW_PARAMETERS && pair.law[RPS_ROLE_SLIDE]->parameter[k].name; k++) {
        const char *name = pair.law[RPS_ROLE_SLIDE]->parameter[k].name;
        double *value = &pair.value[RPS_ROLE_SLIDE][k];
        if (strcmp(name, "static") == 0 || strcmp(name, "kinetic") == 0) *value = 0.5;
        if (strcmp(name, "stiffness") == 0) *value = 1e6;
        if (strcmp(name, "damping") == 0) *value = 0.0;
    }
    DO(rps_world_set_pair(s.world, smooth, smooth, &pair, &err));

    /* In the box: every mechanism pays. */
    pair.law[RPS_ROLE_DAMPING] = rps_law_find(RPS_ROLE_DAMPING, "restitution");
    pair.value[RPS_ROLE_DAMPING][0] = 0.5;
    for (int role = RPS_ROLE_SLIDE; role < RPS_ROLE_COUNT; role++) {
        pair.law[role] = rps_law_find((rps_role)role, "tracked");
        for (int k = 0; k < RPS_LAW_PARAMETERS && pair.law[role]->parameter[k].name; k++) {
            const char *name = pair.law[role]->parameter[k].name;
            double *value = &pair.value[role][k];
            *value = NAN;
            if (strcmp(name, "static") == 0) *value = role == RPS_ROLE_SLIDE ? 0.5 : NAN;
            if (strcmp(name, "kinetic") == 0) *value = role == RPS_ROLE_SLIDE ? 0.4 : NAN;
            if (strcmp(name, "stiffness") == 0) *value = role == RPS_ROLE_SLIDE ? box_stiffness : NAN;
            if (strcmp(name, "eta") == 0) *value = 0.2;
        }
    }
    DO(rps_world_set_pair(s.world, rough, rough, &pair, &err));
    rps_pair nothing = rps_pair_default();
    nothing.law[RPS_ROLE_NORMAL] = rps_law_find(RPS_ROLE_NORMAL, "hooke");
    nothing.value[RPS_ROLE_NORMAL][0] = 1e5;
    DO(rps_world_set_pair(s.world, smooth, rough, &nothing, &err));
    DO(rps_world_group(s.world, "turntable", &a, &err));
    DO(rps_world_group(s.world, "box", &b, &err));
    DO(rps_world_exclude(s.world, a, b, &err));

    rps_body_def plane = rps_body_def_default(), ball = rps_body_def_default();
    plane.shape = "plane";
    plane.normal[2] = 1.0;
    plane.kind = RPS_BODY_DRIVEN;
    plane.material = smooth;
    plane.group = a;
    plane.drive = (rps_drive){.angular_velocity = {0.0, 0.0, table_speed}, .until = -1.0};
    add(s.world, plane);
    ball.shape = "sphere";
    ball.radius = radius;
    ball.mass = mass;
    ball.material = smooth;
    ball.group = a;
    ball.position[2] = radius - mass * gravity / 1e5;
    /* Rolls in the middle of the table, where the table does not move under it. */
    ball.velocity[0] = speed;
    ball.angular_velocity[1] = speed / radius;
    s.roller = add(s.world, ball);

    plane.material = rough;
    plane.group = b;
    plane.drive = (rps_drive){.amplitude = {2e-3, 1e-3, 0.0}, .frequency = 5.0, .until = -1.0};
    add(s.world, plane);
    const double half[2] = {2.05 * radius, 1.05 * radius};
    plane.kind = RPS_BODY_FIXED;
    for (int wall = 0; wall < 4; wall++) {
        double side = wall % 2 ? 1.0 : -1.0;
        memset(plane.normal, 0, sizeof plane.normal);
        plane.normal[wall / 2] = -side;
        memset(plane.position, 0, sizeof plane.position);
        plane.position[wall / 2] = side * half[wall / 2];
        add(s.world, plane);
    }
    ball.material = rough;
    ball.group = b;
    memset(ball.velocity, 0, sizeof ball.velocity);
    memset(ball.angular_velocity, 0, sizeof ball.angular_velocity);
    for (int k = 0; k < 2; k++) {
        ball.position[0] = (k ? 1.0 : -1.0) * 1.02 * radius;
        s.shaken[k] = add(s.world, ball);
    }
    rps_world_keep_contacts(s.world, true);
    return s;
}

static double length(const double *v, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += v[k] * v[k];
    return sqrt(sum);
}

/* Holds what must hold after any number of steps. Returns residual over what went through the books. */
static double look(const setting *s, uint64_t steps) {
    if (rps_world_steps(s->world) != steps || rps_world_time(s->world) != (double)steps * step) {
        fail_msg("step %llu, time %.17g: not n x dt", (unsigned long long)rps_world_steps(s->world),
                 rps_world_time(s->world));
    }
    const uint64_t ids[] = {s->roller, s->shaken[0], s->shaken[1]};
    for (int k = 0; k < 3; k++) {
        /* each step normalises, what is left are the few roundings of one step */
        double norm = length(field(s->world, "orientation", ids[k]), 4);
        if (!(fabs(norm - 1.0) < 1e-15 * 8)) fail_msg("body %d: norm of the quaternion - 1 is %g", k, norm - 1.0);
    }
    rps_contact contact[32];
    size_t count;
    DO(rps_world_contacts(s->world, contact, 32, &count, &err));
    bool rolls = false;
    for (size_t k = 0; k < count; k++) {
        const rps_contact *c = &contact[k];
        rolls = rolls || c->id_i == s->roller || c->id_j == s->roller;
        assert_true(fabs(length(c->normal, 3) - 1.0) < 1e-14);
        /* Friction lies in the tangent plane: the memory has not left it, but for the roundings of the largest force
         * that the contact may have carried, which is of the order of its load; and for those of the last increment, the
         * paths on both bodies: R times a difference of unit normals, in which 1 is rounded. A contact that is about to end
         * bears less than that. */
        double out = 0.0, size = length(c->slide_force, 3);
        for (int x = 0; x < 3; x++) out += c->normal[x] * c->slide_force[x];
        const double rounding = 2.0 * DBL_EPSILON * radius * box_stiffness;
        if (!(fabs(out) <= 1e-12 * (size + c->cap_load[0]) + rounding)) {
            fail_msg("slide force %g N under a load of %g N, %g N of it along the normal", size, c->cap_load[0], out);
        }
    }
    assert_true(rolls);
    /* A ball that rolls on a turntable goes in a circle with constant speed, at 2/7 of the speed of the table. The
     * compliance of the slide spring makes it creep by F w/K = m v w^2/K a second, 3e-7 of the speed in each radian at most. */
    double w = 2.0 / 7.0 * table_speed, now = length(field(s->world, "velocity", s->roller), 3);
    double time = (double)steps * step, creep = mass * w * w / 1e6 * w * time;
    if (!(fabs(now / speed - 1.0) < 1e-3 + creep)) {
        fail_msg("after %g s the ball on the turntable moves at %.9g m/s, not %g", time, now, speed);
    }
    rps_ledger ledger;
    DO(rps_world_ledger(s->world, &ledger, &err));
    double paid = 0.0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) paid += ledger.dissipated[role];
    return fabs(ledger.residual) / (paid + ledger.kinetic_translation);
}

static uint64_t long_steps(void) {
    const char *text = getenv("LONG_STEPS");
    double steps = text ? atof(text) : 1e8;
    return steps < 1e7 ? 10000000 : (uint64_t)steps; /* fewer say nothing about drift */
}

static void run_long(bool frames, uint64_t steps) {
    setting s = make_world(frames);
    const uint64_t part = steps / 20;
    double early = 0.0, late = 0.0, other;
    long memory = 0;
    int files = 0;
    for (uint64_t k = 1; k <= 20; k++) {
        DO(rps_world_step(s.world, part, &err));
        other = look(&s, k * part);
        early = k <= 2 && other > early ? other : early;
        late = k > 2 && other > late ? other : late;
        if (k == 2) {
            memory = resident();
            files = open_files();
        }
    }
    /* The integrator's error of the work is the same fraction early and late. */
    print_message("# %g steps: residual over work %.2g early, %.2g late; VmRSS %ld kB, then %ld kB\n", (double)steps,
                  early, late, memory, resident());
    assert_true(late < 2.0 * early + 1e-6);
    /* The process may touch some more pages of its own; one byte lost a step would be 95 MB. */
    assert_true(resident() - memory < 1024);
    assert_int_equal(open_files(), files);
    rps_world_destroy(s.world);
}

static void test_steps(void **state) {
    (void)state;
    run_long(false, long_steps());
}

static void test_steps_with_frames(void **state) {
    (void)state;
    run_long(true, long_steps() / 10);
}

/* --- 100,000 spheres, a frame every 100 steps ---------------------------------------------------------------------- */

static const char many[] = "repose: 1\n"
                           "title: Many spheres settle a little, written often\n"
                           "gravity: [0, 0, -9.81]\n"
                           "materials: {grain: {young: 10 MPa, poisson: 0.3, density: 2500}}\n"
                           "pairs:\n"
                           "  - between: [grain, grain]\n"
                           "    normal: hertz\n"
                           "    damping: {law: restitution, value: 0.5}\n"
                           "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 1e4 N/m}\n"
                           "    roll: none\n"
                           "    spin: none\n"
                           "bodies:\n"
                           "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: grain, fixed: true}\n"
                           "particles:\n"
                           "  - name: grains\n"
                           "    material: grain\n"
                           "    count: 100000\n"
                           "    radius: 4.9 mm\n"
                           "    generator: {lattice: {box: [[0, 0, 5 mm], [1 m, 1 m, 0.105 m]], spacing: 10 mm}}\n"
                           "run: {step: 1e-5 s, until: 0.037 s}\n"
                           "output: {frames: 0.001 s, series: 0.001 s}\n";

typedef struct growth {
    int frames, files;
    int from; /* the frame from which on the contacts are as many as they become */
    long start, most;
    bool same_files;
} growth;

static bool watch(void *context, const rps_world *world) {
    growth *g = context;
    if (rps_world_body_count(world) != 100001) return false;
    long now = resident();
    g->frames++;
    if (g->start == 0 && rps_world_contact_count(world) >= 100000) {
        g->start = now;
        g->files = open_files();
        g->from = g->frames;
    }
    g->most = now > g->most ? now : g->most;
    g->same_files = g->from == 0 || open_files() == g->files;
    return true;
}

static void test_frames(void **state) {
    (void)state;
    char directory[] = "/tmp/repose-long-XXXXXX", command[64];
    assert_non_null(mkdtemp(directory));
    growth g = {0};
    rps_run_options options = rps_run_options_default();
    options.text = many;
    options.text_bytes = strlen(many);
    options.directory = directory;
    options.overwrite = true;
    options.each = watch;
    options.each_steps = 100;
    options.context = &g;
    rps_run_summary summary;
    rps_status status = rps_run(&options, &summary, &err);
    snprintf(command, sizeof command, "rm -rf %s", directory);
    assert_int_equal(system(command), 0); /* NOLINT: the name is our own */
    if (status != RPS_OK) fail_msg("%s", err.text);
    print_message("# %d frames of 100,000 spheres: VmRSS %ld kB at number %d, %ld kB at most\n", g.frames, g.start,
                  g.from, g.most);
    assert_true(g.frames > 30);
    assert_true(g.same_files);
    assert_true(g.from > 0 && g.frames - g.from >= 12);
    assert_true(summary.frames > 30);
    /* From that frame on the world itself grows no more. A frame holds more than 20 MB;
     * keeping a tenth of each would show as 40 MB. */
    assert_true(g.most - g.start < 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_steps_with_frames),
        cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
