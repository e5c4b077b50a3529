/* Pictures in, a movie out: ffmpeg, which reads PNG from its standard input. */
#ifndef RPS_CLI_ENCODER_H
#define RPS_CLI_ENCODER_H

#include "helper.h"

typedef struct encoder {
    helper process;
    double wait; /* s without progress until it counts as hung */
    char part[RPS_PATH];
} encoder;

/* Starts to write a movie with `rate` pictures a second, as GIF or as MP4 (H.264, yuv420p), into a file in `folder`.
 * encoder_end must follow in any case. */
rps_status encoder_start(encoder *e, const char *folder, bool gif, double rate, double wait, rps_error *err);
rps_status encoder_add(encoder *e, const void *png, size_t bytes, rps_error *err);
/* Waits for the end and copies the movie to `path`, which is replaced whole or not at all. */
rps_status encoder_finish(encoder *e, const char *path, rps_error *err);
void encoder_end(encoder *e);

#endif
