/* The movie grows in the work folder: MP4 is not written from begin to end, and a file half done should not be seen. */
#include "encoder.h"

#include "cli.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"

static rps_status encoder_fail(encoder *e, int number, rps_error *err) {
    char cause[RPS_SYSTEM_ERROR], said[HELPER_SAID];
    if (number == EINTR) return rps_fail(err, RPS_STOPPED, "stopped by a signal");
    if (number == ETIMEDOUT) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "ffmpeg, which writes the movies, did nothing for %g s; give it longer by --wait", e->wait);
    }
    if (number != 0 && number != EPIPE && number != ECONNRESET) {
        return rps_fail(err, RPS_UNSUPPORTED, "cannot talk to ffmpeg, which writes the movies: %s",
                        rps_system_error(number, cause));
    }
    helper_finish(&e->process, 1.0); /* what it says last */
    return rps_fail(err, RPS_UNSUPPORTED, "ffmpeg, which writes the movies, failed: %s",
                    helper_said(&e->process, said));
}

rps_status encoder_start(encoder *e, const char *folder, bool gif, double rate, double wait, rps_error *err) {
    /* Players take the colours of large movies for BT.709, so that the file is written so and says it. */
    static const char *const as_mp4[] = {"-vf",
                                         "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                                         "-c:v",
                                         "libx264",
                                         "-crf",
                                         "18",
                                         "-color_primaries",
                                         "bt709",
                                         "-color_trc",
                                         "bt709",
                                         "-colorspace",
                                         "bt709",
                                         "-movflags",
                                         "+faststart"};
    static const char *const as_gif[] = {"-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse", "-loop",
                                         "0"};
    const char *argument[32] = {"ffmpeg", "-y", "-loglevel", "error", "-f", "image2pipe", "-c:v", "png", "-framerate"};
    char number[RPS_DOUBLE_TEXT], log[RPS_PATH], cause[RPS_SYSTEM_ERROR];
    const char *const *as = gif ? as_gif : as_mp4;
    const size_t count = gif ? sizeof as_gif / sizeof *as_gif : sizeof as_mp4 / sizeof *as_mp4;
    size_t n = 9;
    memset(e, 0, sizeof *e);
    e->process.socket = -1;
    e->wait = wait;
    RPS_TRY(rps_path_join(e->part, folder, gif ? "movie.gif" : "movie.mp4", err));
    RPS_TRY(rps_path_join(log, folder, "encoder.log", err));
    argument[n++] = rps_double_format(rate, number);
    argument[n++] = "-i";
    argument[n++] = "-";
    for (size_t k = 0; k < count; k++) argument[n++] = as[k];
    argument[n] = e->part;
    const int error = helper_start(&e->process, (char *const *)(uintptr_t)argument, 0, -1, log);
    if (error == ENOENT) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "there is no ffmpeg, which writes the movies: install it (Debian's package ffmpeg)");
    }
    if (!error) return RPS_OK;
    return rps_fail(err, RPS_UNSUPPORTED, "cannot start ffmpeg, which writes the movies: %s",
                    rps_system_error(error, cause));
}

rps_status encoder_add(encoder *e, const void *png, size_t bytes, rps_error *err) {
    const int error = helper_send(&e->process, png, bytes, e->wait);
    return error ? encoder_fail(e, error, err) : RPS_OK;
}

rps_status encoder_finish(encoder *e, const char *path, rps_error *err) {
    if (!helper_finish(&e->process, e->wait)) return encoder_fail(e, cli_proceed(NULL) ? ETIMEDOUT : EINTR, err);
    if (e->process.how != 0 || !rps_file_exists(e->part)) return encoder_fail(e, 0, err);
    return rps_file_copy(e->part, path, err);
}

void encoder_end(encoder *e) {
    helper_end(&e->process);
}
