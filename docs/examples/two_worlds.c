/* Two scenes at the same time, each in a thread of its own, their state read while they run.
 *
 * A run calls `each` with its world after every so many steps; there is nothing to free. Each run takes its memory through an
 * allocator that counts. Build: cc two_worlds.c $(pkg-config --cflags --libs repose) -pthread */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <repose/repose.h>

static const char scene[] =
    "repose: 1\n"
    "title: A ball is thrown up and comes back\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"
    "pairs:\n"
    "  - between: [clay, clay]\n"
    "    normal: hertz\n"
    "    damping: {law: restitution, value: 0.6}\n"
    "    slide: {law: tracked, static: 0.5, kinetic: 0.4, stiffness: 1e4 N/m}\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.02], velocity: [0.1, 0, 1]}\n"
    "run: {step: 2e-5 s, until: 0.5 s}\n";

typedef struct job {
    const char *speed;  /* of the throw */
    double highest;     /* m, of the ball */
    size_t bytes, most; /* now in use, and at most */
    rps_run_summary summary;
    rps_status status;
    rps_error error;
} job;

/* Sees the world between steps. Ids count from 0 in the order of the scene. */
static bool watch(void *context, const rps_world *world) {
    job *to = context;
    double ball[3];
    to->status = rps_world_body_position(world, 1, ball, &to->error);
    if (to->status != RPS_OK) return false;
    if (ball[2] > to->highest) to->highest = ball[2];
    return true;
}

/* Memory of one run, which has one thread. */
static void *take(void *context, size_t size, size_t align) {
    job *to = context;
    void *p = rps_default_allocator()->alloc(NULL, size, align);
    to->bytes += p ? size : 0;
    if (to->bytes > to->most) to->most = to->bytes;
    return p;
}

static void give_back(void *context, void *p, size_t size) {
    job *to = context;
    to->bytes -= size;
    rps_default_allocator()->release(NULL, p, size);
}

static void *run(void *context) {
    job *to = context;
    const rps_allocator counting = {take, give_back, to};
    rps_run_options options = rps_run_options_default();
    const char *set[] = {to->speed};
    options.text = scene;
    options.text_bytes = strlen(scene);
    options.set = set;
    options.sets = 1;
    options.threads = 1;
    options.allocator = &counting;
    options.each = watch;
    options.each_steps = 10;
    options.context = to;
    rps_status status = rps_run(&options, &to->summary, &to->error);
    if (to->status == RPS_OK) to->status = status;
    return NULL;
}

int main(void) {
    job slow = {.speed = "bodies.ball.velocity.2=1 m/s"}, fast = {.speed = "bodies.ball.velocity.2=2 m/s"};
    pthread_t other;
    if (pthread_create(&other, NULL, run, &fast) != 0) return 1;
    run(&slow);
    pthread_join(other, NULL);
    const job *const jobs[] = {&slow, &fast};
    for (int k = 0; k < 2; k++) {
        const job *j = jobs[k];
        if (j->status != RPS_OK) {
            fprintf(stderr, "%s: %s\n", rps_status_name(j->status), j->error.text);
            return 1;
        }
        printf("%s: %llu steps, highest %.4f m, at most %zu bytes, state %016llx%016llx\n", j->speed,
               (unsigned long long)j->summary.steps, j->highest, j->most, (unsigned long long)j->summary.hash[0],
               (unsigned long long)j->summary.hash[1]);
    }
    return 0;
}
