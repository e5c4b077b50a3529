/* The programs of this folder without a fuzzer: each tries the inputs of its corpus, and none may crash, leak or blame the library.
 * `make fuzz` builds the same programs with libFuzzer, which looks for more (tests/long/fuzz.sh). */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
const char *__lsan_default_suppressions(void); // NOLINT: the name that the sanitizer calls

/* The parser of YAML loses a buffer on some broken texts; ours are counted by the programs themselves. */
const char *__lsan_default_suppressions(void) { // NOLINT
    return "leak:libfyaml\n";
}

static void try_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) exit(EXIT_FAILURE);
    const long size = ftell(file);
    /* of exactly its size, so that a byte too far is seen */
    unsigned char *data = size >= 0 ? malloc(size > 0 ? (size_t)size : 1) : NULL;
    if (!data || fseek(file, 0, SEEK_SET) != 0 || fread(data, 1, (size_t)size, file) != (size_t)size)
        exit(EXIT_FAILURE);
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0); /* so that a crash tells how far it came */
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    char folder[256], path[600];
    struct dirent **entries;
    if (strncmp(name, "fuzz_", 5) != 0) return EXIT_FAILURE;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name + 5);
    const int count = scandir(folder, &entries, is_visible, alphasort);
    if (count <= 0) {
        fprintf(stderr, "There are no inputs in %s: %s\n", folder, count < 0 ? strerror(errno) : "it is empty");
        return EXIT_FAILURE;
    }
    if (LLVMFuzzerInitialize && LLVMFuzzerInitialize(&argc, &argv) != 0) return EXIT_FAILURE;
    printf("1..%d\n", count);
    for (int k = 0; k < count; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
        try_file(path);
        printf("ok %d - %s\n", k + 1, entries[k]->d_name);
        free(entries[k]);
    }
    free(entries);
    return EXIT_SUCCESS;
}
