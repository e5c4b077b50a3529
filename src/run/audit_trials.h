/* The experiments of the audit. Each opens and closes the contacts and worlds that it needs. */
#ifndef RPS_RUN_AUDIT_TRIALS_H
#define RPS_RUN_AUDIT_TRIALS_H

#include "run/audit_contact.h"

/* Receives a measurement as a row of the table. */
typedef struct audit_report {
    void (*add)(void *context, const char *experiment, double measured, const char *unit, const char *verdict);
    void *context;
} audit_report;

/* Runs all experiments that apply to the role; `c` is scratch space. */
rps_status rps_audit_try(audit_contact *c, const audit_subject *subject, const audit_report *report, rps_error *err);

/* Runs the experiments with spring and dashpot together. */
rps_status rps_audit_try_damped(audit_contact *c, const audit_subject *subject, const audit_report *report,
                                rps_error *err);

/* Oblique impacts of a sphere (nu = 0.3, e = 1): psi2 for each psi1, with the law and with the exact contact (Maw,
 * Barber & Fawcett 1976); `exact` may be NULL. */
rps_status rps_audit_impacts(audit_contact *c, const audit_subject *subject, const double *psi1, size_t count,
                             double *psi2, double *exact, rps_error *err);
/* Draws these impacts for the laws of Mindlin's contact, as SVG (audit_picture.c). */
rps_status rps_audit_picture(audit_contact *c, const char *path, rps_error *err);

#endif
