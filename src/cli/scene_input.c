/* A scene from the standard input, which a command line names "-". Relative files of such a scene are relative to the
 * current folder. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "cli.h"
#include "io/file.h"
#include "language/yaml.h"

bool cli_is_input(const char *path) {
    return path && strcmp(path, "-") == 0;
}

rps_status cli_read_input(cli_input *input, rps_error *err) {
    enum { PIECE = 1 << 16 };
    if (input->read) return rps_fail(err, RPS_BAD_INPUT, "the standard input holds one scene; name - once");
    input->read = true;
    /* One piece too many is enough for the loader to say that the scene is too long. */
    while (input->bytes <= RPS_YAML_BYTES) {
        RPS_TRY(rps_buffer_reserve(NULL, &input->text, &input->capacity, input->bytes, input->bytes + PIECE, err));
        const size_t got = fread((char *)input->text + input->bytes, 1, PIECE, stdin);
        if (got == 0) {
            return ferror(stdin) ? rps_file_fail(err, "read", CLI_INPUT_NAME, errno) : RPS_OK;
        }
        input->bytes += got;
    }
    return RPS_OK;
}

rps_status cli_choose_scene(cli_scene *scene, const char *argument, rps_error *err) {
    scene->options.path = argument;
    if (!cli_is_input(argument)) return RPS_OK;
    RPS_TRY(cli_read_input(&scene->input, err));
    scene->options.path = CLI_INPUT_NAME;
    scene->options.text = scene->input.text;
    scene->options.text_bytes = scene->input.bytes;
    return RPS_OK;
}

void cli_release_input(cli_input *input) {
    rps_buffer_release(NULL, &input->text, &input->capacity);
}
