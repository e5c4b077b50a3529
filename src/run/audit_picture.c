/* The figure of the audit: oblique impacts with the laws of Mindlin's contact, compared with the exact contact. */
#include <math.h>

#include "run/audit_trials.h"
#include "run/picture.h"

enum { LAWS = 4, LINES = LAWS + 1, POINTS = 65 };

rps_status rps_audit_picture(audit_contact *c, const char *path, rps_error *err) {
    static const audit_subject subject[LAWS] = {
        AUDIT_SUBJECT(RPS_ROLE_SLIDE, "walton", "", {{"friction", 0.5}}),
        AUDIT_SUBJECT(RPS_ROLE_SLIDE, "mindlin_total", "", {{"friction", 0.5}}),
        AUDIT_SUBJECT(RPS_ROLE_SLIDE, "mindlin", "", {{"friction", 0.5}}),
        AUDIT_SUBJECT(RPS_ROLE_SLIDE, "walton", "unloading: off", {{"friction", 0.5}, {"unloading", 1.0}}),
    };
    static const char *const name[LINES] = {"walton", "mindlin_total", "mindlin", "walton, unloading: off", "exact"};
    double psi1[POINTS], psi2[POINTS * LINES], one[POINTS], exact[POINTS], line[LINES];
    for (int k = 0; k < POINTS; k++) psi1[k] = 0.1 * (k + 1);
    for (int n = 0; n < LINES; n++) line[n] = n;
    for (int n = 0; n < LAWS; n++) {
        RPS_TRY(rps_audit_impacts(c, &subject[n], psi1, POINTS, one, exact, err));
        for (int k = 0; k < POINTS; k++) {
            psi2[k * LINES + n] = one[k];
            psi2[k * LINES + LAWS] = exact[k];
        }
    }
    picture_panel panel = {.title = "psi2 = kappa v_t'/(mu v_n)", .kind = RPS_MEASURE_NUMBER, .value = psi2};
    const picture p = {.title = "Oblique impact of a sphere, nu = 0.3, e = 1",
                       .axis = {{.label = "psi1 = kappa v_t/(mu v_n)", .count = POINTS, .value = psi1},
                                {.label = "law", .count = LINES, .value = line, .word = name}},
                       .axes = 2,
                       .panel = &panel,
                       .panels = 1};
    return rps_picture_write(&p, path, err);
}
