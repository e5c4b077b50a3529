/*
 * Broken checkpoints: truncated anywhere, with flipped bits, foreign files, other formats, and files with a valid
 * checksum but invented content. Each is refused with a message, uses little memory, and leaves the world unchanged.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"
#include "io/state.h"
#include "shape/shape.h"

static char directory[] = "/tmp/repose-broken-XXXXXX";
static char whole[RPS_PATH], broken[RPS_PATH];
static char *good; /* content of the whole checkpoint */
static size_t good_bytes;

/* --- counted memory ----------------------------------------------------------------------------------------------- */

static size_t largest, blocks, made, fails = SIZE_MAX; /* from allocation number `fails` on all are refused */

static void *count_alloc(void *context, size_t bytes, size_t alignment) {
    (void)context;
    largest = bytes > largest ? bytes : largest;
    if (made++ >= fails) return NULL;
    if (bytes > (size_t)1 << 28) return NULL; /* none of this machine's memory for made-up sizes */
    blocks++;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void count_release(void *context, void *p, size_t bytes) {
    (void)context, (void)bytes;
    blocks--;
    free(p);
}

static const rps_allocator counted = {.alloc = count_alloc, .release = count_release};

/* --- a world worth saving ----------------------------------------------------------------------------------------- */

static rps_world *set_up(void) {
    rps_world_options options = options_of(5e-6);
    options.gravity[2] = -9.81;
    options.allocator = counted;
    rps_pair pair = tracked_pair();
    rps_world *world = world_of(&options, &pair);
    rps_body_def def = rps_body_def_default();
    def.shape = "plane";
    def.kind = RPS_BODY_DRIVEN;
    def.normal[2] = 1.0;
    def.drive = (rps_drive){.velocity = {0.1, 0.0, 0.0}, .until = -1.0};
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    return world;
}

static void fill(rps_world *world) {
    for (int k = 0; k < 60; k++) {
        rps_vec3 x = {0.00999 * (k % 4), 0.00999 * (k / 4 % 4), 0.00499 + 0.00999 * (k / 16)};
        add_ball(world, x, 0.005, 1e-3, rps_vec3_scale(random_vec(1, (uint64_t)k), 0.1), random_vec(2, (uint64_t)k));
    }
    advance(world, 20);
}

static void write_file(const char *path, const void *data, size_t bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (bytes > 0) assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static int set_up_files(void **state) {
    (void)state;
    if (!mkdtemp(directory)) return -1;
    rps_path_join(whole, directory, "checkpoint-20.ckpt", NULL);
    rps_path_join(broken, directory, "broken.ckpt", NULL);
    rps_world *world = set_up();
    fill(world);
    assert_true(rps_world_contact_count(world) > 50);
    MUST(rps_world_save(world, whole, ERR));
    rps_world_destroy(world);
    FILE *file = fopen(whole, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    good_bytes = (size_t)ftell(file);
    rewind(file);
    good = malloc(good_bytes);
    assert_non_null(good);
    assert_int_equal(fread(good, 1, good_bytes, file), good_bytes);
    fclose(file);
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    free(good);
    unlink(whole);
    unlink(broken);
    return rmdir(directory);
}

/* The file at `broken` is refused; `word` (can be NULL) is in the message. */
static void refused(const char *what, size_t number, const char *word) {
    rps_error err = {0};
    rps_checkpoint *checkpoint;
    largest = 0;
    rps_status status = rps_checkpoint_open(broken, &counted, &checkpoint, &err);
    if (status == RPS_OK) {
        fail_msg("taken for whole: %s %d", what, (int)number);
    }
    assert_null(checkpoint);
    assert_true(status == RPS_BAD_INPUT || status == RPS_IO_ERROR);
    if (strlen(err.text) < 30 || !strstr(err.text, broken) || (word && !strstr(err.text, word))) {
        fail_msg("%s %d: expected a sentence with \"%s\": %s", what, (int)number, word ? word : "", err.text);
    }
    assert_true(largest < good_bytes + (1 << 20));
}

/* --- damage ------------------------------------------------------------------------------------------------------- */

static void test_cut_short(void **state) {
    (void)state;
    SAY("%d bytes\n", (int)good_bytes);
    for (size_t bytes = 0; bytes < good_bytes; bytes += bytes < 2048 ? 1 : 97) {
        write_file(broken, good, bytes);
        refused("cut to", bytes, bytes < 64 ? "not a checkpoint" : "cut short");
    }
    write_file(broken, good, good_bytes - 1);
    refused("cut to", good_bytes - 1, "cut short");
    char *more = calloc(1, good_bytes + 1);
    assert_non_null(more);
    memcpy(more, good, good_bytes);
    write_file(broken, more, good_bytes + 1);
    free(more);
    refused("with one byte more", 0, "appended");
}

static void test_flipped_bits(void **state) {
    (void)state;
    char *bad = malloc(good_bytes);
    assert_non_null(bad);
    for (size_t k = 0; k < 512 + 1500; k++) { /* every bit of the head, and others */
        size_t bit = k < 512 ? k : (size_t)rps_random_index(5, RPS_RANDOM_TEST, k, 0, 8 * (uint64_t)good_bytes);
        memcpy(bad, good, good_bytes);
        bad[bit / 8] ^= (char)(1 << bit % 8);
        write_file(broken, bad, good_bytes);
        refused("flipped bit", bit, NULL);
    }
    free(bad);
}

static void test_foreign_files(void **state) {
    (void)state;
    static const char text[] =
        "repose: 1\ntitle: a scene is no checkpoint, and neither is any other text of this length\n";
    char zeros[5000] = {0};
    write_file(broken, text, sizeof text);
    refused("a scene", 0, "not a checkpoint");
    write_file(broken, zeros, sizeof zeros);
    refused("zeros", 0, "not a checkpoint");
    write_file(broken, "\211HDF\r\n\032\n", 8);
    refused("HDF5", 0, "not a checkpoint");
    unlink(broken);
    refused("no file", 0, "No such file");
    assert_int_equal(mkdir(broken, 0777), 0);
    refused("a directory", 0, "is no file");
    assert_int_equal(rmdir(broken), 0);
}

/* The message names another format, regardless of the rest of the file. */
static void test_other_formats(void **state) {
    (void)state;
    char *other = malloc(good_bytes);
    assert_non_null(other);
    for (uint32_t format = 0; format <= RPS_CHECKPOINT_FORMAT + 1; format++) {
        char word[32];
        if (format == RPS_CHECKPOINT_FORMAT) continue;
        memcpy(other, good, good_bytes);
        memcpy(other + 20, &format, sizeof format);
        write_file(broken, other, good_bytes);
        snprintf(word, sizeof word, "has format %u", format);
        refused("format", format, word);
    }
    free(other);
}

/* --- invented content under a valid checksum ---------------------------------------------------------------------- */

static rps_serializer saved_sections(void) {
    rps_serializer serializer;
    rps_serializer_init(&serializer, NULL);
    rps_world *world = set_up();
    fill(world);
    MUST(rps_state_save(world, &serializer, ERR));
    rps_world_destroy(world);
    return serializer;
}

/* Restores the file at `broken`; if it is refused as bad input, the world is unchanged. */
static rps_status restore(const char *what, size_t number) {
    rps_error err = {0};
    uint64_t before[2], after[2];
    rps_world *world = set_up();
    MUST(rps_world_hash(world, before, ERR));
    rps_status status = rps_world_restore(world, broken, &err);
    if (status == RPS_INTERNAL) fail_msg("%s %d: %s", what, (int)number, err.text);
    if (status != RPS_OK && strlen(err.text) < 30) fail_msg("%s %d: no sentence: %s", what, (int)number, err.text);
    if (status == RPS_OK) {
        MUST(rps_world_hash(world, after, ERR));
        assert_memory_not_equal(before, after, sizeof after);
    }
    rps_world_destroy(world);
    return status;
}

/* Random bytes and words of the sections are replaced, and the checksum is recomputed: the world takes the state only
 * if nothing relevant changed. */
static void test_made_up_content(void **state) {
    (void)state;
    rps_serializer serializer = saved_sections();
    char *kept = malloc(serializer.used);
    assert_non_null(kept);
    memcpy(kept, serializer.data, serializer.used);
    size_t taken = 0;
    enum { TRIES = 800 };
    for (size_t k = 0; k < TRIES; k++) {
        uint64_t word[4];
        rps_random_block(6, RPS_RANDOM_TEST, k, 0, word);
        size_t at = (size_t)(word[0] % serializer.used);
        if (k % 4 == 0) {
            ((char *)serializer.data)[at] ^= (char)(1 << word[1] % 8);
        } else {
            static const double wild[] = {1e300, -1e300, 1e-300, 0.0, -1.0, 1e18};
            uint64_t value = k % 4 == 1 ? word[1] : k % 4 == 2 ? word[1] % 5 : 0;
            if (k % 4 == 3) memcpy(&value, &wild[word[1] % 6], sizeof value);
            memcpy((char *)serializer.data + at / 8 * 8, &value, sizeof value);
        }
        MUST(rps_serializer_write(&serializer, broken, ERR));
        taken += restore("made-up content", k) == RPS_OK;
        memcpy(serializer.data, kept, serializer.used);
    }
    SAY("%d of %d were taken\n", (int)taken, (int)TRIES);
    assert_true(taken < TRIES / 10); /* bytes of padding, and what no hash covers */
    MUST(rps_serializer_write(&serializer, broken, ERR));
    assert_int_equal(restore("whole", 0), RPS_OK);
    free(kept);
    rps_serializer_release(&serializer);
}

/* Every count of every section made huge, and every section left out. */
static void test_counts_and_gaps(void **state) {
    (void)state;
    rps_serializer serializer = saved_sections();
    static const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 8, (uint64_t)1 << 40, 1000000, 0};
    size_t sections = 0;
    for (size_t at = 0; at < serializer.used;) {
        uint32_t front[4];
        uint64_t count;
        char *record = (char *)serializer.data + at;
        memcpy(front, record, sizeof front);
        memcpy(&count, record + 16, sizeof count);
        char name[80];
        snprintf(name, sizeof name, "%s", record + 24);
        for (size_t k = 0; k < sizeof huge / sizeof *huge; k++) {
            memcpy(record + 16, &huge[k], sizeof count);
            MUST(rps_serializer_write(&serializer, broken, ERR));
            largest = 0;
            assert_int_equal(restore(name, k), RPS_BAD_INPUT);
            assert_true(largest < (size_t)1 << 24);
        }
        memcpy(record + 16, &count, sizeof count);
        record[24] ^= 1; /* another name */
        MUST(rps_serializer_write(&serializer, broken, ERR));
        if (restore(name, 100) != RPS_BAD_INPUT) fail_msg("restored without `%s`", name);
        record[24] ^= 1;
        size_t item = front[1] == RPS_SECTION_TEXT ? 1 : front[1] == RPS_TYPE_int32 ? 4 : 8;
        at += 24 + (front[0] + 7) / 8 * 8 + ((size_t)count * front[2] * item + 7) / 8 * 8;
        sections++;
    }
    SAY("%d sections\n", (int)sections);
    assert_true(sections > 20);
    rps_serializer_release(&serializer);
}

/* Memory runs out from any allocation of saving and restoring on: an error, no leak, and the earlier state stays. */
static void test_no_memory(void **state) {
    (void)state;
    rps_error err;
    rps_world *world = set_up();
    fill(world);
    rps_status status = RPS_NO_MEMORY;
    size_t saves = 0, restores = 0;
    for (made = 0; status == RPS_NO_MEMORY; made = 0, saves++) {
        fails = saves;
        status = rps_world_save(world, broken, &err);
        assert_true(status == RPS_OK || status == RPS_NO_MEMORY);
    }
    fails = SIZE_MAX;
    rps_world_destroy(world);
    assert_int_equal(blocks, 0);
    status = RPS_NO_MEMORY;
    for (; status == RPS_NO_MEMORY; restores++) {
        world = set_up();
        made = 0;
        fails = restores;
        status = rps_world_restore(world, broken, &err);
        fails = SIZE_MAX;
        assert_true(status == RPS_OK || status == RPS_NO_MEMORY);
        rps_world_destroy(world);
        assert_int_equal(blocks, 0);
    }
    SAY("%d allocations to save, %d to restore\n", (int)saves - 1, (int)restores - 1);
    assert_true(saves > 5 && restores > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_short),       cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_foreign_files),   cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_made_up_content), cmocka_unit_test(test_counts_and_gaps),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up_files, remove_files);
}
