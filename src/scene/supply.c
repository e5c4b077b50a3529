/*
 * How much a source has to have given by a time: a number of particles or a mass.
 *
 * Particles either come one after the other at equal intervals, the first at `from`; or by the amount that is due, the
 * integral of a rate. Then the next particle enters in the first step with given + next/2 <= due, so that a source is never
 * more than half a particle off while it finds places. As sizes are fixed by the seed, so is the number of particles. A
 * source that recycles has to give the mass that a sink has taken.
 */
#include <math.h>

#include "base/c_locale.h"
#include "scene/scene_internal.h"

enum { PARTICLES_MOST = 100000000, HALVINGS = 60 };
static const double ALL_OF_A_SET = 0x1p40 - 2.0; /* that random numbers have keys for */

/* --- the amount due ------------------------------------------------------------------------------------------------ */

/* Integral of the table from its beginning; the rate is linear between two rows. */
static double table_integral(const rps_supply *s, double time) {
    double sum = 0.0;
    for (size_t i = 0; i + 1 < s->rates; i++) {
        const double *a = s->rate[i], *b = s->rate[i + 1], end = fmin(time, b[0]), span = end - a[0];
        if (!(span > 0.0)) break;
        const double last = a[1] + (b[1] - a[1]) * (span / (b[0] - a[0]));
        sum += 0.5 * (a[1] + last) * span;
    }
    return sum;
}

double rps_supply_due(const rps_supply *s, double time) {
    if (s->recycles) return s->taken ? rps_tally_total(s->taken, -1).mass : 0.0;
    const double at = fmin(time, s->until);
    if (!(at >= s->from)) return 0.0;
    if (s->rates > 1) return fmin(table_integral(s, at) - table_integral(s, s->from), s->most);
    return s->instant ? s->most : fmin(s->rate[0][1] * (at - s->from), s->most);
}

/* The time at which an amount becomes due, by bisection. */
static double time_of(const rps_supply *s, double amount, double latest) {
    double low = s->from, high = fmin(s->until, latest);
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (low + high);
        if (rps_supply_due(s, middle) < amount)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* --- particles ----------------------------------------------------------------------------------------------------- */

double rps_insertion_mass(const rps_insertion *insertion, uint64_t k, uint64_t seed) {
    const double size = rps_sizes_draw(&insertion->particle_template.sizes, seed, rps_set_key(insertion->number, k));
    const int power = insertion->same_mass ? 0 : insertion->particle_template.sizes.power;
    return insertion->unit_mass * (power == 0 ? 1.0 : power == 2 ? size * size : size * size * size);
}

static double amount_of(const rps_insertion *insertion, uint64_t k, uint64_t seed) {
    return insertion->supply.of_mass ? rps_insertion_mass(insertion, k, seed) : 1.0;
}

/* Rounding of times and amounts must not put a particle off by a step. */
static const double SLACK = 1.0 + 1e-12;

bool rps_insertion_due(const rps_insertion *insertion, uint64_t ahead, double given, double time, uint64_t seed) {
    const uint64_t k = insertion->done + ahead;
    if (k >= insertion->count) return false;
    if (!insertion->supply.by_due) return insertion->first + (double)k * insertion->interval <= time * SLACK;
    return given + 0.5 * amount_of(insertion, k, seed) <= rps_supply_due(&insertion->supply, time) * SLACK;
}

void rps_insertion_behind(const rps_insertion *insertion, double time, uint64_t seed, uint64_t *number, double *mass) {
    double given = insertion->given;
    *mass = 0.0;
    for (*number = 0; rps_insertion_due(insertion, *number, given, time, seed); ++*number) {
        const uint64_t k = insertion->done + *number;
        if (insertion->supply.by_due) given += amount_of(insertion, k, seed);
        *mass += rps_insertion_mass(insertion, k, seed);
    }
}

double rps_insertion_time(const rps_insertion *insertion, uint64_t seed) {
    if (insertion->supply.recycles) return INFINITY; /* at no time that is known */
    if (!insertion->supply.by_due) return insertion->first + (double)insertion->done * insertion->interval;
    const double amount = insertion->given + 0.5 * amount_of(insertion, insertion->done, seed);
    return time_of(&insertion->supply, amount, insertion->first + insertion->span);
}

void rps_insertion_advance(rps_insertion *insertion, uint64_t seed) {
    if (insertion->supply.by_due) insertion->given += amount_of(insertion, insertion->done, seed);
    insertion->done++;
}

rps_status rps_insertion_resume(rps_insertion *insertion, uint64_t done, uint64_t seed, rps_error *err) {
    insertion->done = 0;
    insertion->given = 0.0;
    if (!insertion->supply.by_due) {
        insertion->done = done;
        return RPS_OK;
    }
    RPS_TRY(rps_sizes_prepare(&insertion->particle_template.sizes, done, err));
    while (insertion->done < done) rps_insertion_advance(insertion, seed);
    return rps_supply_prepare(insertion, err);
}

rps_status rps_supply_prepare(const rps_insertion *insertion, rps_error *err) {
    const rps_sizes *sizes = &insertion->particle_template.sizes;
    if (!insertion->supply.recycles) return RPS_OK;
    const double low = sizes->low, part = sizes->power == 2 ? low * low : low * low * low;
    const double least = insertion->unit_mass * (insertion->same_mass ? 1.0 : part);
    const double ahead = fmax(rps_supply_due(&insertion->supply, 0.0) - insertion->given, 0.0) / least;
    return rps_sizes_prepare(sizes, insertion->done + (uint64_t)fmin(ahead, ALL_OF_A_SET) + 2, err);
}

/* --- reading ------------------------------------------------------------------------------------------------------- */

/* A rate in 1/s, else in kg/s. */
static rps_status read_rate(rps_node *node, double *value, bool *of_mass, rps_error *err) {
    rps_error unused;
    *of_mass = rps_schema_quantity(node, "1/s", value, &unused) != RPS_OK;
    if (*of_mass && rps_schema_quantity(node, "kg/s", value, &unused) != RPS_OK)
        return rps_schema_quantity(node, "1/s", value, err);
    return *value >= 0.0 ? RPS_OK : rps_place_fail(err, node->place, "a rate must not be negative");
}

static rps_status read_rate_table(rps_scene *scene, const rps_node *table, rps_supply *s, rps_error *err) {
    s->rates = table->count;
    s->rate = rps_pool_take(&scene->pool, (s->rates + 1) * sizeof *s->rate, err);
    if (!s->rate) return RPS_NO_MEMORY;
    if (s->rates < 2) return rps_place_fail(err, table->place, "a table of rates has at least two times");
    for (size_t i = 0; i < s->rates; i++) {
        const rps_node *row = table->entry[i].value;
        bool of_mass;
        RPS_TRY(rps_schema_quantity(row->entry[0].value, "s", &s->rate[i][0], err));
        RPS_TRY(read_rate(row->entry[1].value, &s->rate[i][1], &of_mass, err));
        if (i > 0 && of_mass != s->of_mass) {
            return rps_place_fail(err, row->place, "the rates are masses and numbers by time: give all in one unit");
        }
        if (i > 0 && !(s->rate[i][0] > s->rate[i - 1][0])) {
            return rps_place_fail(err, row->place, "the times of a table rise, but %g s follows %g s", s->rate[i][0],
                                  s->rate[i - 1][0]);
        }
        s->of_mass = of_mass;
    }
    s->from = fmax(s->from, s->rate[0][0]);
    s->until = fmin(s->until, s->rate[s->rates - 1][0]);
    return RPS_OK;
}

/* A constant rate, or that which makes `total` within the time of pouring. */
static rps_status read_constant(rps_scene *scene, rps_node *rate, rps_supply *s, rps_error *err) {
    s->rates = 1;
    s->rate = rps_pool_take(&scene->pool, sizeof *s->rate, err);
    if (!s->rate) return RPS_NO_MEMORY;
    if (rate) return read_rate(rate, &s->rate[0][1], &s->of_mass, err);
    s->of_mass = true;
    s->instant = s->until == s->from;
    s->rate[0][1] = s->instant ? 0.0 : s->most / (s->until - s->from);
    return RPS_OK;
}

/* The mass of a particle of size 1, kg; NAN if it is not needed and takes an integration. */
static rps_status read_unit_mass(const rps_world *world, const rps_node *set, rps_insertion *insertion,
                                 rps_error *err) {
    const rps_particle_template *t = &insertion->particle_template;
    rps_body_def def;
    insertion->unit_mass = NAN;
    insertion->same_mass = rps_node_get(set, "mass") || (t->def.piece && t->sizes.kind == RPS_SIZE_FIXED);
    if (t->def.piece && !insertion->supply.of_mass) return RPS_OK;
    const double size = t->mesh ? t->sizes.low : 1.0; /* there is a mesh of that size */
    rps_particle_template_of_size(t, size, &def);
    if (rps_shape_is_round(rps_shape_find(def.shape))) def.parameter[0] = def.radius;
    RPS_TRY(rps_place_wrap(err, set->place, rps_mass_of_def(world, &def, &insertion->unit_mass, err)));
    if (!insertion->same_mass) insertion->unit_mass /= size * size * size;
    if (insertion->unit_mass > 0.0 || !insertion->supply.of_mass) return RPS_OK;
    return rps_place_fail(err, set->place,
                          "a rate or total of mass needs the mass of the particles\ngive `mass`, or the material a "
                          "density");
}

/* Counts the particles that enter by the end, and finds when the last is due. */
static rps_status plan_supply(const rps_scene *scene, const rps_node *pour, rps_insertion *insertion, uint64_t most,
                              rps_error *err) {
    const double end = scene->run.until > 0.0 ? scene->run.until : INFINITY;
    const double last = fmin(end, insertion->supply.until), total = rps_supply_due(&insertion->supply, last);
    if (!isfinite(total)) {
        return rps_place_fail(err, pour->place,
                              "neither the source nor the run says when it ends\nadd `until` or `total` to `pour`");
    }
    insertion->span = last - insertion->supply.from;
    insertion->count = most;
    double given = 0.0, half = 0.0;
    uint64_t n = 0;
    for (; n < most; n++) {
        if (n == PARTICLES_MOST)
            return rps_place_fail(err, pour->place, "that is more than %d particles", PARTICLES_MOST);
        RPS_TRY(rps_sizes_prepare(&insertion->particle_template.sizes, n + 1, err));
        const double amount = amount_of(insertion, n, scene->seed);
        if (!(given + 0.5 * amount <= total * SLACK)) break;
        half = given + 0.5 * amount;
        given += amount;
        if (n % RPS_SCENE_ASK_EVERY == 0) RPS_TRY(rps_scene_may_proceed(scene, err));
    }
    insertion->count = n;
    if (n == 0) return rps_place_fail(err, pour->place, "the source gives less than half a particle until its end");
    if (!insertion->supply.instant) insertion->span = time_of(&insertion->supply, half, last) - insertion->supply.from;
    return RPS_OK;
}

/* A total that cannot be given by the end of the run. */
static rps_status check_total(const rps_scene *scene, const rps_node *total, const rps_supply *s, rps_error *err) {
    const double end = scene->run.until > 0.0 ? scene->run.until : INFINITY;
    const double given = total ? rps_supply_due(s, fmin(end, s->until)) : 0.0;
    if (!total || given >= s->most * (1.0 - 1e-9)) return RPS_OK;
    return rps_place_fail(err, total->place, "only %.6g kg are due by the end of the source or of the run, not %.6g kg",
                          given, s->most);
}

/* A source that gives again what a sink takes. */
static rps_status read_recycling(const rps_world *world, const rps_node *set, rps_insertion *insertion,
                                 rps_error *err) {
    static const char *const own[] = {"rate", "total", "from", "until"};
    const rps_node *pour = rps_node_get(set, "pour"), *count = rps_node_get(set, "count");
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        const rps_node *other = rps_node_get(pour, own[k]);
        if (!other || !other->given) continue;
        return rps_place_fail(err, other->place, "a source that recycles takes no `%s`: it gives what the sink takes",
                              own[k]);
    }
    if (count) return rps_place_fail(err, count->place, "a source that recycles takes no `count`");
    insertion->supply.of_mass = true;
    insertion->count = (uint64_t)ALL_OF_A_SET;
    return read_unit_mass(world, set, insertion, err);
}

rps_status rps_supply_read(rps_scene *scene, const rps_world *world, const rps_node *set, rps_insertion *insertion,
                           rps_error *err) {
    const rps_node *pour = rps_node_get(set, "pour");
    rps_node *rate = rps_node_get(pour, "rate");
    const rps_node *total = rps_node_get(pour, "total"), *until = rps_node_get(pour, "until");
    const rps_node *count = rps_node_get(set, "count");
    rps_supply *s = &insertion->supply;
    *s = (rps_supply){.by_due = true, .most = rps_node_number(pour, "total", INFINITY)};
    s->recycles = rps_node_get(pour, "recycles");
    if (s->recycles) return read_recycling(world, set, insertion, err);
    s->from = rps_node_number(pour, "from", 0.0);
    s->until = rps_node_number(pour, "until", INFINITY);
    insertion->first = s->from;
    if (!rate && !(total && until)) {
        return rps_place_fail(err, pour->place, "pouring takes a `rate`, or a `total` with `until`");
    }
    if (until && !(s->until >= s->from)) {
        return rps_place_fail(err, until->place, "pouring ends before it begins at %g s", s->from);
    }
    if (rate && rate->kind == RPS_NODE_LIST)
        RPS_TRY(read_rate_table(scene, rate, s, err));
    else
        RPS_TRY(read_constant(scene, rate, s, err));
    if (total && !s->of_mass) {
        return rps_place_fail(err, total->place, "`total` is a mass, but the rate is a number by time\ngive `count`");
    }
    insertion->first = s->from;
    RPS_TRY(read_unit_mass(world, set, insertion, err));
    RPS_TRY(check_total(scene, total, s, err));
    return plan_supply(scene, pour, insertion, count ? (uint64_t)count->number[0] : UINT64_MAX, err);
}

/* --- constant numbers ---------------------------------------------------------------------------------------------- */

rps_status rps_supply_read_count(const rps_scene *scene, const rps_world *world, const rps_node *set,
                                 rps_insertion *insertion, rps_error *err) {
    const rps_node *pour = rps_node_get(set, "pour"), *until = rps_node_get(pour, "until");
    rps_node *rate = rps_node_get(pour, "rate");
    double value = 0.0;
    bool of_mass;
    if (!rate == !until) return rps_place_fail(err, pour->place, "pouring takes exactly one of: rate, until");
    if (rate) RPS_TRY(read_rate(rate, &value, &of_mass, err));
    if (rate && !(value > 0.0)) return rps_place_fail(err, rate->place, "`rate` must be above 0, not %s", rate->text);
    insertion->count = (uint64_t)rps_node_get(set, "count")->number[0];
    insertion->first = rps_node_number(pour, "from", 0.0);
    if (until && !(until->number[0] >= insertion->first)) {
        return rps_place_fail(err, until->place, "pouring ends before it begins at %g s", insertion->first);
    }
    const double gaps = (double)(insertion->count - 1);
    insertion->interval = rate ? 1.0 / value : gaps > 0.0 ? (until->number[0] - insertion->first) / gaps : 0.0;
    insertion->span = insertion->interval * gaps;
    if (!(insertion->first + insertion->span <= scene->run.until)) {
        return rps_place_fail(err, pour->place, "pouring %llu particles takes until %.4g s, but the run ends at %.4g s",
                              (unsigned long long)insertion->count, insertion->first + insertion->span,
                              scene->run.until);
    }
    return read_unit_mass(world, set, insertion, err);
}

bool rps_supply_is_counted(const rps_node *set) {
    const rps_node *pour = rps_node_get(set, "pour");
    rps_node *rate = rps_node_get(pour, "rate");
    double value;
    bool of_mass = false;
    if (!rps_node_get(set, "count") || rps_node_get(pour, "total") || rps_node_get(pour, "recycles")) return false;
    if (rate && rate->kind == RPS_NODE_LIST) return false;
    return !rate || read_rate(rate, &value, &of_mass, NULL) != RPS_OK || !of_mass;
}

/* --- what came of it ----------------------------------------------------------------------------------------------- */

double rps_scene_insertion_mass(const rps_scene *scene, size_t index) {
    const rps_insertion *insertion = &scene->insertions.item[index];
    double mass = 0.0;
    for (uint64_t k = 0; k < insertion->done; k++) mass += rps_insertion_mass(insertion, k, scene->seed);
    return isnan(insertion->unit_mass) ? NAN : mass;
}

bool rps_scene_insertion_part(const rps_scene *scene, size_t index, size_t part, rps_size_part *out) {
    const rps_insertion *insertion = &scene->insertions.item[index];
    const rps_sizes *sizes = &insertion->particle_template.sizes;
    double all = 0.0, mine = 0.0;
    if (sizes->kind != RPS_SIZE_CLASSES || part >= sizes->count) return false;
    *out = (rps_size_part){.from = sizes->from[part], .to = sizes->to[part], .asked = sizes->asked[part]};
    out->by_mass = sizes->by_mass;
    for (uint64_t k = 0; k < insertion->done; k++) {
        const double amount = sizes->by_mass ? rps_insertion_mass(insertion, k, scene->seed) : 1.0;
        const bool own = rps_sizes_class(sizes, k) == part;
        out->number += own;
        mine += own ? amount : 0.0;
        all += amount;
    }
    out->came = all > 0.0 ? mine / all : NAN;
    return true;
}
