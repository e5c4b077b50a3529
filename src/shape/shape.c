/* The table of shapes, generated from shape_list.inc, and the checks of parameters common to all shapes. */
#include "shape/parts.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"

static const rps_shape *const table[] = {
#define RPS_SHAPE(name) &rps_shape_##name,
#include "shape/shape_list.inc"
#undef RPS_SHAPE
};

const rps_shape *rps_shape_at(int index) {
    return index >= 0 && index < RPS_SHAPE_COUNT ? table[index] : NULL;
}

int rps_shape_find(const char *name) {
    for (int i = 0; name && i < RPS_SHAPE_COUNT; i++) {
        if (strcmp(table[i]->name, name) == 0) return i;
    }
    return -1;
}

rps_shape_foot rps_shape_nearest(const rps_shape *shape, const double *parameter, rps_vec3 point) {
    rps_shape_foot best = shape->nearest(parameter, 0, point);
    for (int part = 1; part < shape->parts(parameter); part++) {
        const rps_shape_foot foot = shape->nearest(parameter, part, point);
        if (foot.distance < best.distance) best = foot;
    }
    return best;
}

static int components_of(const rps_shape_parameter *p) {
    return p->components > 0 ? p->components : 1;
}

int rps_shape_numbers(const rps_shape *shape) {
    int count = 0;
    for (int k = 0; k < RPS_SHAPE_PARAMETERS && shape->parameter[k].name; k++)
        count += components_of(&shape->parameter[k]);
    return count;
}

rps_status rps_shape_check(const rps_shape *shape, double *parameter, const char *who, rps_error *err) {
    const char *a = strchr("aeiou", shape->name[0]) ? "an" : "a";
    int at = 0;
    for (int k = 0; k < RPS_SHAPE_PARAMETERS && shape->parameter[k].name; k++) {
        const rps_shape_parameter *p = &shape->parameter[k];
        bool may_be_low = p->flags & RPS_SHAPE_MAY_BE_LOW;
        for (int c = 0; c < components_of(p); c++, at++) {
            double *x = &parameter[at];
            if (isnan(*x) && may_be_low) *x = p->low;
            if (isnan(*x) && p->default_value != 0.0) *x = p->default_value;
            if (isnan(*x)) {
                return rps_fail(err, RPS_BAD_INPUT, "%s: the %s of %s %s is not given (%s)", who, p->name, a,
                                shape->name, p->meaning);
            }
            bool high_enough = may_be_low ? *x >= p->low : *x > p->low;
            if (!isfinite(*x) || !high_enough || !(*x <= p->high)) {
                char upto[48] = "";
                if (isfinite(p->high)) rps_snprintf(upto, sizeof upto, " and at most %g", p->high);
                return rps_fail(err, RPS_BAD_INPUT, "%s: the %s of %s %s is %g%s%s; expected a number %s %g%s", who,
                                p->name, a, shape->name, *x, p->unit[0] ? " " : "", p->unit,
                                may_be_low ? "of at least" : "above", p->low, upto);
            }
        }
    }
    rps_status status = shape->check ? shape->check(parameter, err) : RPS_OK;
    if (status != RPS_OK) rps_error_prefix(err, "%s: ", who);
    return status;
}

rps_status rps_shape_check_aspect(const char *shape, const double extent[3], rps_error *err) {
    double longest = rps_larger(rps_larger(extent[0], extent[1]), extent[2]);
    double shortest = rps_smaller(rps_smaller(extent[0], extent[1]), extent[2]);
    if (longest <= RPS_SHAPE_MAX_ASPECT * shortest) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT,
                    "the %s is %g m by %g m by %g m, its longest extent %g times its shortest; expected at most %g",
                    shape, extent[0], extent[1], extent[2], longest / shortest, RPS_SHAPE_MAX_ASPECT);
}
