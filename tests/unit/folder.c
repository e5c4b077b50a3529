/* A folder of results has one owner. If many runs, resumed runs or sweeps start at the same moment, one wins, the
 * others report the owner, and the results equal those of a single run. A killed owner leaves the folder free. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "io_common.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <repose/run.h>

#include "io/folder_lock.h"

enum { MANY = 12, ROUNDS = 3 };

static char base[RPS_PATH];

static int set_up(void **state) {
    (void)state;
    make_directory(base);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char command[RPS_PATH + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

static const char scene[] =
    "repose: 1\n"
    "title: drop\n"
    "gravity: [0, 0, -10]\n"
    "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}\n"
    "pairs:\n"
    "  - between: [clay, clay]\n"
    "    normal: {law: hooke, stiffness: 1000 N/m}\n"
    "    damping: {law: ratio, value: 0.3}\n"
    "    slide: none\n"
    "    roll: none\n"
    "    spin: none\n"
    "bodies:\n"
    "  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.02]}\n"
    "run: {step: 1e-4 s, until: 0.05 s}\n"
    "output: {frames: 5 ms, series: 1 ms, checkpoint: 0}\n"
    "probes: {height: {body: ball, quantity: position.z}}\n";

/* Shared by all processes of a round. */
typedef struct round_state {
    atomic_int ready, through, winner; /* winner: its number, from 1 */
    char told[MANY][2048];             /* what the losers were told */
    int pid[MANY];
} round_state;

static void wait_for(atomic_int *count, int wanted) {
    const struct timespec pause = {.tv_nsec = 2000000};
    while (atomic_load(count) < wanted) nanosleep(&pause, NULL);
}

typedef struct starter {
    round_state *round;
    int number;
    bool won;
} starter;

/* The process that reaches this point owns the folder; it waits until all others have tried. */
static bool win(void *context) {
    starter *self = context;
    if (!self->won) {
        self->won = true;
        atomic_store(&self->round->winner, self->number + 1);
        atomic_fetch_add(&self->round->through, 1);
        wait_for(&self->round->through, MANY);
    }
    return true;
}

static bool win_each(void *context, const rps_world *world) {
    (void)world;
    return win(context);
}

static const char *in_base(const char *name, char out[RPS_PATH]) {
    assert_int_equal(rps_path_join(out, base, name, NULL), RPS_OK);
    return out;
}

static rps_run_options options_of(const char *directory) {
    rps_run_options options = rps_run_options_default();
    options.text = scene;
    options.text_bytes = strlen(scene);
    options.directory = directory;
    options.threads = 1;
    return options;
}

/* Every process has its own height, so that mixed results are detected. */
static void height(int number, char out[64]) {
    snprintf(out, 64, "bodies.ball.position.2=%.3f", 0.012 + 0.001 * number);
}

typedef enum start { FRESH, MADE, OVERWRITE, RESUME, SWEEP, STARTS } start;

static rps_status run_one(start how, const char *directory, starter *self, rps_error *err) {
    char set[64];
    const char *const sets[] = {set};
    height(self->number, set);
    if (how == SWEEP) {
        char path[RPS_PATH];
        rps_sweep_options options = rps_sweep_options_default();
        const char *const vary[] = {"bodies.ball.position.2=0.012,0.02"};
        const char *const measure[] = {"height={probe: height, final: true}"};
        options.path = in_base("scene.yaml", path);
        options.directory = directory;
        options.overwrite = true;
        options.vary = vary;
        options.measure = measure;
        options.varies = options.measures = 1;
        options.jobs = 1;
        options.proceed = win;
        options.context = self;
        return rps_sweep(&options, NULL, err);
    }
    rps_run_options options = options_of(directory);
    options.each = win_each;
    options.context = self;
    options.overwrite = how == OVERWRITE;
    if (how == RESUME) {
        options.path = options.text = NULL;
        options.resume = directory;
        options.until = "0.06 s";
    } else {
        options.set = sets;
        options.sets = 1;
    }
    return rps_run(&options, NULL, err);
}

static void child(start how, const char *directory, round_state *round, int number) {
    starter self = {round, number, false};
    rps_error err = {.status = RPS_OK};
    round->pid[number] = (int)getpid();
    atomic_fetch_add(&round->ready, 1);
    wait_for(&round->ready, MANY);
    const rps_status status = run_one(how, directory, &self, &err);
    if (!self.won) {
        snprintf(round->told[number], sizeof round->told[number], "%s", err.text);
        atomic_fetch_add(&round->through, 1);
    }
    _exit(status == RPS_OK ? 0 : status == RPS_BAD_INPUT ? 1 : 2);
}

static char *content(const char *directory, const char *name, size_t *bytes) {
    char path[RPS_PATH];
    void *text = NULL;
    size_t capacity = 0;
    rps_path_join(path, directory, name, NULL);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("there is no %s", path);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    fclose(file);
    assert_int_equal(rps_file_read(path, &text, &capacity, NULL), RPS_OK);
    return text;
}

static void compare(const char *a, const char *b, const char *name) {
    size_t n, m;
    char *x = content(a, name, &n), *y = content(b, name, &m);
    if (n != m || memcmp(x, y, n) != 0) fail_msg("%s of %s and %s differ", name, a, b);
    free(x);
    free(y);
}

static void before(start how, const char *directory) {
    rps_run_options options = options_of(directory);
    char path[RPS_PATH];
    if (how == MADE) assert_int_equal(rps_directory_make(directory, NULL), RPS_OK);
    if (how == OVERWRITE || how == RESUME) assert_int_equal(rps_run(&options, NULL, NULL), RPS_OK);
    if (how == SWEEP)
        assert_int_equal(rps_file_replace(in_base("scene.yaml", path), scene, strlen(scene), NULL), RPS_OK);
}

static void start_many(start how, const char *directory, round_state *round) {
    pid_t pid[MANY];
    int ended = 0;
    for (int k = 0; k < MANY; k++) {
        pid[k] = fork();
        assert_true(pid[k] >= 0);
        if (pid[k] == 0) child(how, directory, round, k);
    }
    for (int k = 0; k < MANY; k++) {
        int status;
        assert_int_equal(waitpid(pid[k], &status, 0), pid[k]);
        if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) fail_msg("starter %d ended with %d", k, status);
        ended += WEXITSTATUS(status) == 0;
    }
    const int winner = atomic_load(&round->winner) - 1;
    char wanted[64];
    if (ended != 1) fail_msg("of %d runs that started together in way %d, %d went to their end", MANY, (int)how, ended);
    snprintf(wanted, sizeof wanted, "process %d on ", round->pid[winner]);
    for (int k = 0; k < MANY; k++) {
        if (k != winner && !(strstr(round->told[k], wanted) && strstr(round->told[k], ", since 2"))) {
            fail_msg("starter %d was told \"%s\", expected \"%s\"", k, round->told[k], wanted);
        }
    }
}

static void test_start_together(void **state) {
    (void)state;
    round_state *round = mmap(NULL, sizeof *round, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(round != MAP_FAILED);
    for (int k = 0; k < STARTS * ROUNDS; k++) {
        const start how = (start)(k % STARTS);
        char name[32], path[RPS_PATH], other[RPS_PATH];
        snprintf(name, sizeof name, "together-%d", k);
        memset(round, 0, sizeof *round);
        before(how, in_base(name, path));
        start_many(how, path, round);
        snprintf(name, sizeof name, "alone-%d", k);
        before(how, in_base(name, other));
        starter self = {round, atomic_load(&round->winner) - 1, true};
        rps_error err;
        if (run_one(how, other, &self, &err) != RPS_OK) fail_msg("%s", err.text);
        if (how == SWEEP) {
            compare(path, other, "sweep.csv");
        } else {
            compare(path, other, "series.csv");
            compare(path, other, "run.h5");
            compare(path, other, "run.xdmf");
        }
        assert_int_equal(rps_path_join(other, path, "run.lock", NULL), RPS_OK);
        assert_false(rps_file_exists(other));
    }
    munmap(round, sizeof *round);
}

/* --- within one process ---------------------------------------------------------------------------------------------- */

typedef struct intruder {
    const char *directory, *link, *elsewhere, *full; /* full: another folder with results */
    bool done;
} intruder;

static void must_be_refused(const char *what, rps_status status, const rps_error *err) {
    char holder[64];
    snprintf(holder, sizeof holder, ": process %ld on ", (long)getpid());
    if (status != RPS_BAD_INPUT || !strstr(err->text, "another run uses the folder") || !strstr(err->text, holder)) {
        fail_msg("%s: status %d, %s", what, (int)status, status == RPS_OK ? "" : err->text);
    }
}

static bool intrude(void *context, const rps_world *world) {
    intruder *in = context;
    rps_error err;
    (void)world;
    if (in->done) return true;
    in->done = true;
    rps_run_options options = options_of(in->directory);
    must_be_refused("a second run", rps_run(&options, NULL, &err), &err);
    options.overwrite = true;
    must_be_refused("a run that overwrites", rps_run(&options, NULL, &err), &err);
    options.directory = in->link;
    must_be_refused("a run that overwrites through a link", rps_run(&options, NULL, &err), &err);
    options.text = NULL;
    options.resume = in->directory;
    options.directory = NULL;
    must_be_refused("a resumed run", rps_run(&options, NULL, &err), &err);
    options.directory = in->elsewhere;
    must_be_refused("a run resumed from here to elsewhere", rps_run(&options, NULL, &err), &err);
    options.resume = in->full;
    options.directory = in->directory;
    must_be_refused("a run resumed from elsewhere to here", rps_run(&options, NULL, &err), &err);
    rps_sweep_options sweep = rps_sweep_options_default();
    char path[RPS_PATH];
    const char *const vary[] = {"bodies.ball.position.2=0.012,0.02"};
    const char *const measure[] = {"height={probe: height, final: true}"};
    sweep.path = in_base("scene.yaml", path);
    sweep.directory = in->directory;
    sweep.vary = vary;
    sweep.measure = measure;
    sweep.varies = sweep.measures = 1;
    must_be_refused("a sweep", rps_sweep(&sweep, NULL, &err), &err);
    return true;
}

static void test_one_process(void **state) {
    (void)state;
    char directory[RPS_PATH], link[RPS_PATH], elsewhere[RPS_PATH], full[RPS_PATH];
    intruder in = {in_base("own", directory), in_base("link", link), in_base("elsewhere", elsewhere),
                   in_base("full", full), false};
    before(RESUME, full);
    before(SWEEP, full);
    assert_int_equal(symlink("own", link), 0);
    rps_run_options options = options_of(directory);
    rps_error err;
    options.each = intrude;
    options.context = &in;
    if (rps_run(&options, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(in.done);
    assert_false(rps_file_exists(elsewhere));
    compare(directory, full, "run.h5");
    compare(directory, full, "series.csv");
}

/* --- its end --------------------------------------------------------------------------------------------------------- */

static bool die(void *context, const rps_world *world) {
    (void)context;
    if (rps_world_steps(world) == 100) raise(SIGKILL);
    return true;
}

static void test_killed_owner(void **state) {
    (void)state;
    char directory[RPS_PATH], lock[RPS_PATH], full[RPS_PATH];
    in_base("killed", directory);
    rps_run_options options = options_of(directory);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        options.each = die;
        rps_run(&options, NULL, NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    rps_path_join(lock, directory, "run.lock", NULL);
    assert_true(rps_file_exists(lock));
    options.overwrite = true;
    rps_error err;
    if (rps_run(&options, NULL, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_false(rps_file_exists(lock));
    compare(directory, in_base("full", full), "run.h5");
}

/* A run that cannot start leaves neither a lock nor a folder. */
static void test_failed_start(void **state) {
    (void)state;
    char directory[RPS_PATH];
    rps_run_options options = options_of(in_base("never", directory));
    options.variant = "none such";
    assert_int_equal(rps_run(&options, NULL, NULL), RPS_BAD_INPUT);
    assert_false(rps_file_exists(directory));
}

/* Readers share a folder; a writer waits for the last reader, and readers wait for the writer. */
static void test_readers(void **state) {
    (void)state;
    rps_folder_lock a, b, c;
    rps_error err;
    assert_int_equal(rps_folder_take(&a, base, RPS_FOLDER_READ, NULL, NULL, &err), RPS_OK);
    assert_int_equal(rps_folder_take(&b, base, RPS_FOLDER_READ, NULL, NULL, &err), RPS_OK);
    assert_int_equal(rps_folder_take(&c, base, RPS_FOLDER_WRITE, NULL, NULL, &err), RPS_BAD_INPUT);
    rps_folder_release(&a);
    assert_int_equal(rps_folder_take(&c, base, RPS_FOLDER_WRITE, NULL, NULL, &err), RPS_BAD_INPUT);
    rps_folder_release(&b);
    assert_int_equal(rps_folder_take(&c, base, RPS_FOLDER_WRITE, NULL, NULL, &err), RPS_OK);
    assert_int_equal(rps_folder_take(&a, base, RPS_FOLDER_READ, NULL, NULL, &err), RPS_BAD_INPUT);
    assert_true(rps_folder_held(&c));
    rps_folder_release(&c);
    assert_false(rps_folder_held(&c));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_together), cmocka_unit_test(test_one_process), cmocka_unit_test(test_killed_owner),
        cmocka_unit_test(test_failed_start),   cmocka_unit_test(test_readers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
