#include "io_common.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void make_directory(char path[RPS_PATH]) {
    const char *base = getenv("TMPDIR");
    assert_int_equal(rps_path_join(path, base && base[0] ? base : "/tmp", "repose-test-XXXXXX", NULL), RPS_OK);
    assert_non_null(mkdtemp(path));
}

void remove_directory(const char *path) {
    DIR *list = opendir(path);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        char name[RPS_PATH];
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            rps_path_join(name, path, entry->d_name, NULL) == RPS_OK) {
            unlink(name);
        }
    }
    closedir(list);
    rmdir(path);
}

char *read_text(const char *directory, const char *name) {
    char path[RPS_PATH];
    assert_int_equal(rps_path_join(path, directory, name, NULL), RPS_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t capacity = 1 << 16, used = 0;
    char *text = malloc(capacity + 1);
    for (size_t n; (n = fread(text + used, 1, capacity - used, file)) > 0;) {
        used += n;
        if (used == capacity) {
            text = realloc(text, (capacity *= 2) + 1);
        }
    }
    fclose(file);
    text[used] = '\0';
    return text;
}
