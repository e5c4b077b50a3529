/* The experiments of the audit. Each opens the contacts and worlds that it needs and gives them back. */
#ifndef RPS_RUN_AUDIT_TRIALS_H
#define RPS_RUN_AUDIT_TRIALS_H

#include "run/audit_contact.h"

/* Receives what was measured, as a row of the table says it. */
typedef struct audit_report {
    void (*add)(void *context, const char *experiment, double measured, const char *unit, const char *verdict);
    void *context;
} audit_report;

/* All experiments that apply to the role; `c` is room for a contact. */
rps_status rps_audit_try(audit_contact *c, const audit_subject *subject, const audit_report *report, rps_error *err);

/* Those of spring and dashpot together. */
rps_status rps_audit_try_damped(audit_contact *c, const audit_subject *subject, const audit_report *report,
                                rps_error *err);

/* Oblique impacts of a sphere (nu = 0.3, e = 1): psi2 of the law and of the exact contact for each psi1 (Maw, Barber &
 * Fawcett 1976); `exact` may be NULL. */
rps_status rps_audit_impacts(audit_contact *c, const audit_subject *subject, const double *psi1, size_t count,
                             double *psi2, double *exact, rps_error *err);
/* Draws them for the laws of Mindlin's contact, as SVG (audit_picture.c). */
rps_status rps_audit_picture(audit_contact *c, const char *path, rps_error *err);

#endif
