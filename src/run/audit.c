/*
 * The audit: which laws gain or lose energy, creep or drift. Every registered law is tried as set up in the table
 * below, in all variants that differ. A law that is missing from the table is tried with its defaults; if it refuses
 * them, a row reports that.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/json.h"
#include "language/schema.h"
#include "language/units.h"
#include "law/arrays.h"
#include "run/audit_bonds.h"
#include "run/audit_trials.h"
#include "run/picture.h"
#include <repose/run.h>

static const audit_subject subjects[] = {
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "hooke", "", {{"stiffness", 3e6}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "hertz", "", {{NULL, 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "hertz2d", "", {{NULL, 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "imposed", "", {{NULL, 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "jkr", "", {{"work_of_adhesion", 100.0}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "dmt", "", {{"work_of_adhesion", 1.0}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "sjkr", "", {{"cohesion_energy_density", 1e6}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "walton_braun", "", {{"stiffness", 3e6}, {"unloading", 6e6}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "luding", "", {{"stiffness", 3e6}, {"unloading", 6e6}, {"cohesion", 1e6}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "eepa", "", {{"plasticity", 0.5}, {"work_of_adhesion", 100.0}}),
    AUDIT_SUBJECT(RPS_ROLE_NORMAL, "thornton_ning", "", {{"yield_pressure", 3e8}}),
    AUDIT_SUBJECT(RPS_ROLE_DAMPING, "ratio", "0.2", {{"value", 0.2}}),
    AUDIT_SUBJECT(RPS_ROLE_DAMPING, "restitution", "0.5", {{"value", 0.5}}),
    AUDIT_SUBJECT(RPS_ROLE_DAMPING, "tsuji", "0.5", {{"value", 0.5}}),
    AUDIT_SUBJECT(RPS_ROLE_DAMPING, "coefficient", "", {{"value", 10.0}}),
    AUDIT_SUBJECT(RPS_ROLE_DAMPING, "mass", "", {{"value", 1e4}}),
    AUDIT_SUBJECT(RPS_ROLE_DAMPING, "mass_radius", "", {{"value", 1e8}}),
    AUDIT_SUBJECT(RPS_ROLE_DAMPING, "viscoelastic", "", {{"value", 1e-5}}),
    AUDIT_SUBJECT(RPS_ROLE_BRIDGE, "willett", "", {{"volume", 1e-10}, {"surface_tension", 0.072}}),
    AUDIT_SUBJECT(RPS_ROLE_BRIDGE, "willett", "viscosity: 1 mPa s",
                  {{"volume", 1e-10}, {"surface_tension", 0.072}, {"viscosity", 1e-3}, {"roughness", 1e-6}}),
    AUDIT_SUBJECT(RPS_ROLE_BRIDGE, "rabinovich", "", {{"volume", 1e-10}, {"surface_tension", 0.072}}),
    AUDIT_SUBJECT(RPS_ROLE_BRIDGE, "soulie", "", {{"volume", 1e-10}, {"surface_tension", 0.072}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "tracked", "",
                  {{"static", 0.5}, {"kinetic", 0.4}, {"stiffness", 3e6}, {"damping", 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "cundall_strack", "", {{"friction", 0.5}, {"stiffness", 3e6}, {"damping", 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "luding", "", {{"static", 0.5}, {"kinetic", 0.4}, {"stiffness", 3e6}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "viscous_coulomb", "", {{"friction", 0.5}, {"damper", 10.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "walton", "", {{"friction", 0.5}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "walton", "kinetic: 0.4", {{"friction", 0.5}, {"kinetic", 0.4}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "walton", "unloading: off", {{"friction", 0.5}, {"unloading", 1.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "walton", "rotation: projection", {{"friction", 0.5}, {"rotation", 1.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "walton", "rotation: projection_with_length", {{"friction", 0.5}, {"rotation", 2.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "mindlin", "", {{"friction", 0.5}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "mindlin_total", "", {{"friction", 0.5}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "mindlin_deresiewicz", "", {{"friction", 0.5}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "mindlin_deresiewicz", "kinetic: 0.4", {{"friction", 0.5}, {"kinetic", 0.4}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "tsuji", "e = 1", {{"friction", 0.5}, {"restitution", 1.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "tsuji", "e = 1, carries: force",
                  {{"friction", 0.5}, {"restitution", 1.0}, {"carries", 0}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "stribeck", "", {{"static", 0.5}, {"kinetic", 0.4}, {"speed", 0.01}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "stribeck", "stiffness: 3e6",
                  {{"static", 0.5}, {"kinetic", 0.4}, {"speed", 0.01}, {"stiffness", 3e6}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "rate_state", "",
                  {{"friction", 0.5},
                   {"direct", 0.01},
                   {"evolution", 0.015},
                   {"distance", 1e-6},
                   {"speed", 1e-6},
                   {"stiffness", 3e6}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "hertz2d", "", {{"friction", 0.5}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "hertz2d", "unloading: on", {{"friction", 0.5}, {"unloading", 1.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SLIDE, "hertz2d_partial_slip", "", {{"friction", 0.5}}),
    AUDIT_SUBJECT(RPS_ROLE_ROLL, "tracked", "", {{"eta", 0.3}, {"damping", 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_ROLL, "iwashita_oda", "", {{"coefficient", 0.1}}),
    AUDIT_SUBJECT(RPS_ROLE_ROLL, "jiang", "", {{"coefficient", 0.1}, {"damping", 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_ROLL, "ai", "", {{"coefficient", 0.1}}),
    AUDIT_SUBJECT(RPS_ROLE_ROLL, "luding", "", {{"static", 0.1}, {"kinetic", 0.1}}),
    AUDIT_SUBJECT(RPS_ROLE_ROLL, "constant_torque", "", {{"coefficient", 0.1}}),
    AUDIT_SUBJECT(RPS_ROLE_ROLL, "viscous", "", {{"time", 1e-3}}),
    AUDIT_SUBJECT(RPS_ROLE_SPIN, "tracked", "", {{"eta", 0.2}, {"damping", 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SPIN, "tracked", "curvature: hertz", {{"eta", 0.5}, {"curvature", 1.0}, {"damping", 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SPIN, "tracked", "curvature: hertz, carry: angle",
                  {{"carry", RPS_CARRY_ANGLE}, {"eta", 0.5}, {"curvature", 1.0}, {"damping", 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SPIN, "torsional", "", {{"coefficient", 0.5}, {"damping", 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SPIN, "torsional", "slope: exact", {{"coefficient", 0.5}, {"slope", 2.0}, {"damping", 0.0}}),
    AUDIT_SUBJECT(RPS_ROLE_SPIN, "luding", "", {{"static", 0.1}, {"kinetic", 0.1}}),
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* Behavior that violates no contract but that users should know. */
static const rps_audit_note notes[] = {
    {"slide", "tsuji",
     "with `carries: force` it cycles like mindlin, with `carries: displacement` like mindlin_total; cure: the law "
     "`walton` or `tracked`",
     ""},
    {"slide", "viscous_coulomb",
     "the force vanishes with the slip: it creeps under any force; cure: a law with a spring, `tracked` or `mindlin`",
     ""},
    {"roll", "tracked",
     "with `carry: angle` energy changes by Theta.dK_R Theta/2 where the curvature does, as of all but spheres; cure: "
     "`carry: length`, the default",
     ""},
    {"spin", "tracked",
     "with `carry: angle` energy changes by dK_psi Psi^2/2 where the curvature does, and with `curvature: hertz` where "
     "the "
     "load does; cure: `carry: length`, the default",
     ""},
    {"roll", "constant_torque",
     "without a memory nothing can be at rest on it: under any steady torque it creeps; cure: a law with a spring, "
     "`tracked`, `jiang` or `iwashita_oda`",
     "Ai et al. 2011"},
    {"roll", "viscous",
     "the torque vanishes with the motion: it creeps under any torque; cure: a law with a spring, `tracked`, `jiang` "
     "or "
     "`iwashita_oda`",
     "Ai et al. 2011"},
};

/* --- rows --------------------------------------------------------------------------------------------------------- */

typedef struct audit {
    const rps_audit_options *options;
    const audit_subject *subject;
    audit_subject plain; /* for a law that the table lacks */
    const rps_law *law;
    const rps_bond_law *bond; /* while bonds are tried */
    rps_json json;
    rps_audit_summary summary;
} audit;

/* The exception in a law's descriptor that a verdict on an experiment confirms. */
static const struct {
    const char *verdict, *experiment, *property; /* experiment: how its name begins */
} borne_out[] = {{"creates", "", "passive"},
                 {"creeps", "", "whole load within the static cap"},
                 {"holds on", "", "whole load within the static cap"},
                 {"creeps", "", "keeps its force while the load cycles"},
                 {"loses", "100 cycles", "keeps its force while the load cycles"},
                 {"loses", "radial unloading", "gives back what radial loading stored"},
                 {"stays behind", "", "turns with its pair"},
                 {"keeps", "closed loop", "closed motion leaves nothing"}};

static bool bears_out(const rps_law_exception *exception, const char *experiment, const char *verdict) {
    for (size_t n = 0; n < sizeof borne_out / sizeof *borne_out; n++) {
        if (strcmp(verdict, borne_out[n].verdict) != 0) continue;
        if (strncmp(experiment, borne_out[n].experiment, strlen(borne_out[n].experiment)) != 0) continue;
        for (int k = 0; k < RPS_LAW_EXCEPTIONS && exception[k].property; k++) {
            if (strcmp(exception[k].property, borne_out[n].property) == 0) return true;
        }
    }
    return false;
}

static bool declares(const rps_law *law, const audit_subject *subject, const char *experiment, const char *verdict) {
    if (rps_audit_is_angle(subject) && strcmp(verdict, "creates") == 0) return true; /* notes */
    return bears_out(law->exception, experiment, verdict);
}

static void add_audit_row(audit *a, const rps_audit_row *row) {
    static const char *const defect[] = {"creates", "drifts", "stays behind", "holds on", "keeps"};
    a->summary.rows++;
    for (size_t k = 0; k < sizeof defect / sizeof *defect; k++) {
        a->summary.undeclared += strcmp(row->verdict, defect[k]) == 0 && !row->declared;
    }
    rps_json_open(&a->json, NULL, '{', true);
    rps_json_string(&a->json, "role", row->role);
    rps_json_string(&a->json, "law", row->law);
    rps_json_string(&a->json, "variant", row->variant);
    rps_json_string(&a->json, "experiment", row->experiment);
    rps_json_number(&a->json, "measured", row->measured);
    rps_json_string(&a->json, "unit", row->unit);
    rps_json_string(&a->json, "verdict", row->verdict);
    rps_json_boolean(&a->json, "declared", row->declared);
    rps_json_close(&a->json, '}');
    if (a->options->row) a->options->row(a->options->context, row);
}

static void audit_add(void *context, const char *experiment, double measured, const char *unit, const char *verdict) {
    audit *a = context;
    const rps_audit_row row = {.role = rps_role_name(a->subject->role),
                               .law = a->subject->law,
                               .variant = a->subject->variant,
                               .experiment = experiment,
                               .unit = unit,
                               .measured = measured,
                               .verdict = verdict,
                               .declared = declares(a->law, a->subject, experiment, verdict)};
    add_audit_row(a, &row);
}

static void add_bond_row(void *context, const char *experiment, double measured, const char *unit,
                         const char *verdict) {
    audit *a = context;
    const rps_audit_row row = {.role = "bond",
                               .law = a->bond->name,
                               .variant = "",
                               .experiment = experiment,
                               .unit = unit,
                               .measured = measured,
                               .verdict = verdict,
                               .declared = bears_out(a->bond->exception, experiment, verdict)};
    add_audit_row(a, &row);
}

/* --- which laws --------------------------------------------------------------------------------------------------- */

static bool is_named(const char *word, const char *role, const char *name) {
    const size_t n = strlen(role);
    return strcmp(word, name) == 0 ||
           (strncmp(word, role, n) == 0 && word[n] == '.' && strcmp(word + n + 1, name) == 0);
}

static bool is_wanted_name(const rps_audit_options *options, const char *role, const char *name) {
    bool wanted = options->laws == 0;
    for (size_t k = 0; k < options->laws; k++) wanted = wanted || is_named(options->law[k], role, name);
    return wanted;
}

static bool is_wanted(const rps_audit_options *options, const rps_law *law) {
    return is_wanted_name(options, rps_role_name(law->role), law->name) && !rps_law_is_idle(law);
}

/* The laws to choose from: those of the caller, or of the library. */
static const rps_law *subject_at(const rps_audit_options *options, size_t index) {
    if (!options->own) return rps_law_at(index);
    return index < options->owns ? options->own[index] : NULL;
}

/* Bonds are those of the library. */
static const rps_bond_law *bond_at(const rps_audit_options *options, size_t index) {
    return options->own ? NULL : rps_bond_law_at(index);
}

static bool is_known_law(const rps_audit_options *options, const char *word) {
    bool known = false;
    for (size_t i = 0; subject_at(options, i); i++) {
        const rps_law *law = subject_at(options, i);
        known = known || (is_named(word, rps_role_name(law->role), law->name) && !rps_law_is_idle(law));
    }
    for (size_t i = 0; bond_at(options, i); i++) known = known || is_named(word, "bond", bond_at(options, i)->name);
    return known;
}

static rps_status audit_check_names(const rps_audit_options *options, rps_error *err) {
    const char *name[64];
    size_t names = 0;
    for (size_t i = 0; subject_at(options, i) && names < sizeof name / sizeof *name; i++) {
        if (!rps_law_is_idle(subject_at(options, i))) name[names++] = subject_at(options, i)->name;
    }
    for (size_t i = 0; bond_at(options, i) && names < sizeof name / sizeof *name; i++) {
        name[names++] = bond_at(options, i)->name;
    }
    for (size_t k = 0; k < options->laws; k++) {
        if (is_known_law(options, options->law[k])) continue;
        const char *near = rps_closest_name(options->law[k], name, names);
        return rps_fail(err, RPS_BAD_INPUT,
                        "there is no law %s%s%s; `repose list laws%s` shows them, and slide.tracked "
                        "names that of one role",
                        options->law[k], near ? "; did you mean " : "", near ? near : "",
                        options->own ? " --laws FILE" : "");
    }
    return RPS_OK;
}

/* --- the audit ---------------------------------------------------------------------------------------------------- */

/* Gives the subject the usual dashpot, half of critical damping (tsuji: restitution 0.5); false if it cannot have
 * one. */
static bool damp(const rps_law *law, audit_subject *subject) {
    if (law->role < RPS_ROLE_SLIDE) return false;
    int k = rps_law_parameter_of(law, RPS_PARAMETER_DAMPING);
    if (k < 0) k = rps_law_parameter_of(law, RPS_PARAMETER_RESTITUTION);
    const char *name = k < 0 ? NULL : law->parameter[k].name;
    int at = 0;
    while (name && at < AUDIT_VALUES && subject->value[at].name && strcmp(subject->value[at].name, name) != 0) at++;
    if (!name || at == AUDIT_VALUES) return false;
    subject->value[at].name = name;
    subject->value[at].value = 0.5;
    return true;
}

static rps_status try_damped(audit *a, audit_contact *contact, const audit_report *report, rps_error *err) {
    audit_subject damped = *a->subject;
    char variant[96];
    if (!damp(a->law, &damped)) return RPS_OK;
    if (strncmp(damped.variant, "e = 1", 5) == 0) {
        snprintf(variant, sizeof variant, "e = 0.5%s", damped.variant + 5);
    } else {
        snprintf(variant, sizeof variant, "%s%shalf of critical", damped.variant, damped.variant[0] ? ", " : "");
    }
    damped.variant = variant;
    const audit_subject *const plain = a->subject;
    a->subject = &damped;
    const rps_status status = rps_audit_try_damped(contact, &damped, report, err);
    a->subject = plain;
    return status;
}

/* The parameter that "viscosity=0.1 Pa s" sets, and the text of its value; NULL if the law has none of that name. */
static const rps_law_parameter *set_parameter_of(const rps_law *law, const char *set, const char **value) {
    const size_t length = strcspn(set, "=");
    for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name && set[length]; k++) {
        const char *name = law->parameter[k].name;
        *value = set + length + 1;
        if (strlen(name) == length && strncmp(name, set, length) == 0) return &law->parameter[k];
    }
    return NULL;
}

static rps_status read_set_value(const rps_law_parameter *p, const char *text, double *value, rps_error *err) {
    if (!p->choices) RPS_TRY(rps_units_read(text, p->unit, value, err));
    if (p->choices) *value = rps_choice(p->choices, text);
    if (*value >= (p->choices ? 0.0 : p->low) && (p->choices || *value <= p->high)) return RPS_OK;
    if (p->choices) return rps_fail(err, RPS_BAD_INPUT, "`%s` is one of %s, not %.60s", p->name, p->choices, text);
    return rps_fail(err, RPS_BAD_INPUT, "`%s` must lie from %g to %g %s, not %.60s", p->name, p->low, p->high, p->unit,
                    text);
}

/* The parameters that the caller gives to a law of its own. */
static rps_status set_up_own(audit *a, rps_error *err) {
    int n = 0;
    a->plain.own = a->law;
    for (size_t k = 0; k < a->options->sets; k++) {
        const char *text;
        const rps_law_parameter *p = set_parameter_of(a->law, a->options->set[k], &text);
        if (!p) continue; /* another law's */
        if (n == AUDIT_VALUES) {
            return rps_fail(err, RPS_BAD_INPUT, "the audit sets at most %d parameters of a law", AUDIT_VALUES);
        }
        a->plain.value[n].name = p->name;
        RPS_TRY(read_set_value(p, text, &a->plain.value[n++].value, err));
    }
    return RPS_OK;
}

static rps_status try_law(audit *a, audit_contact *contact, rps_error *err) {
    const audit_report report = {audit_add, a};
    bool found = false;
    for (int k = 0; k < SUBJECTS && !a->options->own; k++) {
        a->subject = &subjects[k];
        if (subjects[k].role != a->law->role || strcmp(subjects[k].law, a->law->name) != 0) continue;
        found = true;
        RPS_TRY(rps_audit_try(contact, a->subject, &report, err));
        RPS_TRY(try_damped(a, contact, &report, err));
    }
    a->summary.laws++;
    if (found) return RPS_OK;
    a->plain = (audit_subject){.role = a->law->role, .law = a->law->name, .variant = ""};
    a->subject = &a->plain;
    if (a->options->own) {
        RPS_TRY(set_up_own(a, err));
        const rps_status tried = rps_audit_try(contact, a->subject, &report, err);
        if (tried == RPS_BAD_INPUT)
            rps_error_prefix(err, "with the parameters of --set, and defaults for all others: ");
        return tried == RPS_OK ? try_damped(a, contact, &report, err) : tried;
    }
    rps_error refusal = {0};
    const rps_status status = rps_audit_try(contact, a->subject, &report, &refusal);
    if (status == RPS_BAD_INPUT) { /* it needs parameters that the table lacks */
        audit_add(a, "not tried: it has no set-up in src/run/audit.c", NAN, "", "-");
        return RPS_OK;
    }
    return status == RPS_OK ? RPS_OK : rps_fail(err, status, "%s", refusal.text);
}

static rps_status try_bonds(audit *a, rps_error *err) {
    const audit_report report = {add_bond_row, a};
    for (size_t i = 0; bond_at(a->options, i); i++) {
        a->bond = bond_at(a->options, i);
        if (!is_wanted_name(a->options, "bond", a->bond->name)) continue;
        RPS_TRY(rps_audit_try_bond(a->bond, &report, err));
        a->summary.laws++;
    }
    return RPS_OK;
}

/* Every value is for a parameter of some law. */
static rps_status check_values(const rps_audit_options *options, rps_error *err) {
    for (size_t k = 0; k < options->sets; k++) {
        const char *text;
        bool known = false;
        for (size_t i = 0; i < options->owns; i++)
            known = known || set_parameter_of(options->own[i], options->set[k], &text);
        if (known) continue;
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s` sets no parameter of these laws; expected NAME=VALUE",
                        options->set[k]);
    }
    return RPS_OK;
}

static void tell_exceptions(const rps_audit_options *options, const char *role, const char *name,
                            const rps_law_exception *exception) {
    for (int k = 0; k < RPS_LAW_EXCEPTIONS && exception[k].property; k++) {
        const rps_law_exception *e = &exception[k];
        const rps_audit_note note = {role, name, e->why, e->citation ? e->citation : ""};
        options->note(options->context, &note);
    }
}

static void tell_law(const rps_audit_options *options, const rps_law *law) {
    const char *role = rps_role_name(law->role);
    tell_exceptions(options, role, law->name, law->exception);
    for (size_t k = 0; !options->own && k < sizeof notes / sizeof *notes; k++) {
        if (strcmp(notes[k].role, role) == 0 && strcmp(notes[k].law, law->name) == 0) {
            options->note(options->context, &notes[k]);
        }
    }
}

static void tell_notes(const rps_audit_options *options) {
    for (int role = 0; role < RPS_ROLE_COUNT && options->note; role++) {
        for (size_t i = 0; subject_at(options, i); i++) {
            const rps_law *law = subject_at(options, i);
            if ((int)law->role == role && is_wanted(options, law)) tell_law(options, law);
        }
    }
    for (size_t i = 0; bond_at(options, i) && options->note; i++) {
        const rps_bond_law *bond = bond_at(options, i);
        if (is_wanted_name(options, "bond", bond->name)) tell_exceptions(options, "bond", bond->name, bond->exception);
    }
}

rps_audit_options rps_audit_options_default(void) {
    return (rps_audit_options){.size = sizeof(rps_audit_options)};
}

rps_status rps_audit(const rps_audit_options *options, rps_audit_summary *summary, rps_error *err) {
    RPS_GIVEN(options);
    if (options->size != sizeof *options) {
        return rps_fail(err, RPS_BAD_INPUT, "the options of the audit must come from rps_audit_options_default()");
    }
    RPS_TRY(audit_check_names(options, err));
    RPS_TRY(check_values(options, err));
    RPS_TRY(rps_picture_check_name(options->picture, err));
    void *capacity;
    RPS_TRY(rps_memory_alloc_zeroed(NULL, sizeof(audit_contact), &capacity, err));
    audit_contact *contact = capacity;
    audit a = {.options = options};
    rps_status status = RPS_OK;
    rps_json_init(&a.json, NULL);
    rps_json_open(&a.json, NULL, '{', false);
    rps_json_open(&a.json, "audit", '[', false);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        for (size_t i = 0; subject_at(options, i) && status == RPS_OK; i++) {
            a.law = subject_at(options, i);
            if ((int)a.law->role == role && is_wanted(options, a.law)) status = try_law(&a, contact, err);
        }
    }
    if (status == RPS_OK) status = try_bonds(&a, err);
    if (status == RPS_OK && options->picture) status = rps_audit_picture(contact, options->picture, err);
    rps_audit_contact_close(contact);
    rps_memory_release(NULL, capacity, sizeof(audit_contact));
    rps_json_close(&a.json, ']');
    rps_json_close(&a.json, '}');
    if (status == RPS_OK) tell_notes(options);
    if (status == RPS_OK && options->json) status = rps_json_save(&a.json, options->json, err);
    rps_json_release(&a.json);
    if (summary) *summary = a.summary;
    return status;
}
