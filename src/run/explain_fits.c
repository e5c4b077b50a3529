/* The clumps that stand for meshes: how well their spheres fill them. */
#include "base/elementary.h"
#include "run/explain.h"
#include "scene/scene_internal.h"
#include "world/fit_volume.h"

rps_status rps_explain_fits(rps_explain_sink *to, const rps_run_state *run, rps_error *err) {
    const rps_scene_fit *in = run->scene->fits;
    if (in == NULL) return RPS_OK;
    rps_explain_print(to, "\nClumps fitted to meshes\n");
    for (; in != NULL; in = in->next) {
        double volume;
        RPS_TRY(rps_fit_volume(&in->fit, &volume, err));
        const double percent = 100.0 / rps_cbrt(in->volume);
        rps_explain_print(to,
                          "  %s%s\n                  %zu of %zu spheres in %zu triangles; they fill " NUMBER
                          " m^3, %.3g %% less than the mesh\n                  surface: " NUMBER
                          " m inside that of the mesh in the mean, " NUMBER
                          " m at most: %.3g and %.3g %% of the cube root of its volume\n",
                          in->path, in->hull ? ", its convex hull" : "", in->fit.count, in->wanted, in->triangles,
                          volume, 100.0 * (1.0 - volume / in->volume), in->fit.mean, in->fit.largest,
                          percent * in->fit.mean, percent * in->fit.largest);
    }
    return RPS_OK;
}
