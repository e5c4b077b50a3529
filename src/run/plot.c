/* Plots series of runs together: columns of one or more series.csv, one panel per quantity, one line per run. A
 * quantity is a column, a ratio of two, the strain of a length or a logarithm. Only recorded data is drawn, so a
 * figure can be redrawn without the run. */
#include "run/picture.h"
#include "io/file_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 256, PARTS = 8, WORD = 256 };

typedef struct series {
    const char *label, *path;
    size_t columns, rows;
    const char *name[COLUMNS], *unit[COLUMNS];
    const double *value; /* row by row */
} series;

/* Each value is a column or computed from one or two. */
typedef enum operation { COLUMN, RATIO, STRAIN, LOGARITHM } operation;
typedef struct term {
    operation operation;
    char name[2][WORD]; /* of columns */
} term;

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Splits "name [unit]" in place. */
static void split_title(char *title, const char **name, const char **unit) {
    const size_t n = strlen(title);
    char *open = strstr(title, " [");
    *name = title;
    *unit = "";
    if (open && n > 0 && title[n - 1] == ']') {
        title[n - 1] = 0;
        *open = 0;
        *unit = open + 2;
    }
}

static rps_status read_header(series *s, char *line, rps_error *err) {
    for (char *field = line, *comma; field; field = comma ? comma + 1 : NULL) {
        comma = strchr(field, ',');
        if (comma) *comma = 0;
        if (s->columns == COLUMNS) {
            return rps_fail(err, RPS_BAD_INPUT, "%s has more than %d columns", s->path, (int)COLUMNS);
        }
        split_title(field, &s->name[s->columns], &s->unit[s->columns]);
        s->columns++;
    }
    return RPS_OK;
}

static rps_status plot_read_row(const series *s, char *line, double *row, rps_error *err) {
    const bool notes = strcmp(s->name[s->columns - 1], "undefined") == 0; /* words: why probes have no value */
    size_t k = 0;
    for (char *field = line, *comma; field; field = comma ? comma + 1 : NULL, k++) {
        comma = strchr(field, ',');
        if (comma) *comma = 0;
        if (k == s->columns) break;
        row[k] = NAN;
        if (notes && k + 1 == s->columns) continue;
        if (*field && rps_parse_double(field, &row[k], NULL) != RPS_OK) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "%s:%zu: `%.40s` in column %s is no number; a series has a header `name [unit],...` and rows "
                "of numbers, as a run writes it",
                s->path, s->rows + 2, field, s->name[k]);
        }
    }
    if (k != s->columns) {
        return rps_fail(err, RPS_BAD_INPUT, "%s:%zu: the row has not the %zu fields of the header", s->path,
                        s->rows + 2, s->columns);
    }
    return RPS_OK;
}

/* Reads complete lines only: a running or killed run may leave a partial one. */
static rps_status read_text(rps_pool *pool, series *s, const char *text, size_t bytes, rps_error *err) {
    char *line = rps_pool_copy(pool, text, bytes, err), *end = line ? strchr(line, '\n') : NULL;
    size_t lines = 0;
    if (!line) return RPS_NO_MEMORY;
    if (!end) return rps_fail(err, RPS_BAD_INPUT, "%s holds no series: its header is missing", s->path);
    for (const char *c = end; (c = strchr(c, '\n')); c++) lines++;
    *end = 0;
    RPS_TRY(read_header(s, line, err));
    double *value = rps_pool_take(pool, (lines * s->columns + 1) * sizeof *value, err);
    if (!value) return RPS_NO_MEMORY;
    for (line = end + 1; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        RPS_TRY(plot_read_row(s, line, value + s->rows * s->columns, err));
        s->rows++;
    }
    s->value = value;
    return RPS_OK;
}

/* NAME=PATH or PATH of a table or of a directory with a series.csv. */
static rps_status read_series(rps_pool *pool, const char *word, series *s, rps_error *err) {
    char path[RPS_PATH];
    const char *equals = strchr(word, '='), *from = equals ? equals + 1 : word;
    s->label = equals ? rps_pool_copy(pool, word, (size_t)(equals - word), err) : word;
    if (rps_is_directory(from)) {
        RPS_TRY(rps_path_join(path, from, RPS_SERIES_FILE, err));
        bool there;
        RPS_TRY(rps_file_find(path, &there, err));
        if (!there) {
            char plan[RPS_PATH];
            RPS_TRY(rps_path_join(plan, from, RPS_SWEEP_PLAN, err));
            if (rps_file_exists(plan)) {
                return rps_fail(err, RPS_BAD_INPUT,
                                "%s holds a sweep, which keeps no series of its runs: its table is " RPS_SWEEP_TABLE
                                ", its picture " RPS_SWEEP_PICTURE ", and `repose report` shows both",
                                from);
            }
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s holds no " RPS_SERIES_FILE
                            "; a run writes it where its scene says `output: {series: INTERVAL}`",
                            from);
        }
    } else {
        RPS_TRY(rps_path_join(path, NULL, from, err));
    }
    s->path = rps_pool_printf(pool, err, "%s", path);
    if (!s->label || !s->path) return RPS_NO_MEMORY;
    void *text = NULL;
    size_t capacity = 0;
    rps_status status = rps_file_read(s->path, &text, &capacity, err);
    if (status == RPS_OK) status = read_text(pool, s, text, strlen(text), err);
    rps_buffer_release(NULL, &text, &capacity);
    return status;
}

/* --- quantities --------------------------------------------------------------------------------------------------- */

static rps_status take_name(term *t, int which, const char *from, size_t n, rps_error *err) {
    while (n > 0 && *from == ' ') from++, n--;
    while (n > 0 && from[n - 1] == ' ') n--;
    if (n == 0 || n >= WORD) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "`%.60s` names no column where one is expected: write NAME, NAME/NAME, strain(NAME) or "
                        "log10(NAME)",
                        from);
    }
    memcpy(t->name[which], from, n);
    t->name[which][n] = 0;
    return RPS_OK;
}

static rps_status read_term(term *t, const char *text, size_t n, rps_error *err) {
    static const struct {
        const char *word;
        operation operation;
    } function[] = {{"strain(", STRAIN}, {"log10(", LOGARITHM}};
    while (n > 0 && *text == ' ') text++, n--;
    for (size_t k = 0; k < sizeof function / sizeof *function; k++) {
        const size_t length = strlen(function[k].word);
        if (n > length && strncmp(text, function[k].word, length) == 0 && text[n - 1] == ')') {
            t->operation = function[k].operation;
            return take_name(t, 0, text + length, n - length - 1, err);
        }
    }
    const char *slash = memchr(text, '/', n);
    t->operation = slash ? RATIO : COLUMN;
    if (!slash) return take_name(t, 0, text, n, err);
    RPS_TRY(take_name(t, 0, text, (size_t)(slash - text), err));
    return take_name(t, 1, slash + 1, n - (size_t)(slash + 1 - text), err);
}

static rps_status plot_find_column(const series *s, const char *name, size_t *column, rps_error *err) {
    for (*column = 0; *column < s->columns; ++*column) {
        if (strcmp(s->name[*column], name) == 0) return RPS_OK;
    }
    const char *near = rps_closest_name(name, s->name, s->columns);
    return rps_fail(err, RPS_BAD_INPUT, "%s has no column `%.60s`%s%s%s; columns are time and the probes of the scene",
                    s->path, name, near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

typedef struct range {
    size_t begin, end, mean; /* rows; rows averaged per point */
} range;

static rps_status choose_rows(const series *s, const rps_plot_options *options, range *r, rps_error *err) {
    size_t time = 0;
    *r = (range){0, s->rows, options->mean > 1 ? (size_t)options->mean : 1};
    if (isfinite(options->from) || isfinite(options->until)) RPS_TRY(plot_find_column(s, "time", &time, err));
    while (isfinite(options->from) && r->begin < r->end && s->value[r->begin * s->columns + time] < options->from) {
        r->begin++;
    }
    while (isfinite(options->until) && r->end > r->begin &&
           s->value[(r->end - 1) * s->columns + time] > options->until) {
        r->end--;
    }
    if (r->begin == r->end) {
        return rps_fail(err, RPS_BAD_INPUT, "%s has no row in the time that is to be drawn", s->path);
    }
    return RPS_OK;
}

static double value_of(const term *t, double a, double b, double first) {
    switch (t->operation) {
    case RATIO:
        return a / b;
    case STRAIN:
        return 1.0 - a / first;
    case LOGARITHM:
        return log10(a);
    default:
        return a;
    }
}

/* The values of a term, each the mean over `mean` rows, ignoring rows without a value; unit as in the header. */
static rps_status evaluate(rps_pool *pool, const series *s, const term *t, const range *r, const double **values,
                           size_t *count, const char **unit, rps_error *err) {
    size_t column[2] = {0, 0};
    RPS_TRY(plot_find_column(s, t->name[0], &column[0], err));
    column[1] = column[0];
    if (t->operation == RATIO) RPS_TRY(plot_find_column(s, t->name[1], &column[1], err));
    const bool plain = t->operation == STRAIN || t->operation == LOGARITHM;
    const char *over = s->unit[column[1]];
    *unit = plain ? "" : s->unit[column[0]];
    if (t->operation == RATIO && strcmp(*unit, over) == 0) {
        *unit = "";
    } else if (t->operation == RATIO && *over && strcmp(over, "1") != 0) {
        *unit = rps_pool_printf(pool, err, strpbrk(over, "/ *.") ? "%s/(%s)" : "%s/%s", **unit ? *unit : "1", over);
        if (!*unit) return RPS_NO_MEMORY;
    }
    *count = (r->end - r->begin + r->mean - 1) / r->mean;
    double *out = rps_pool_take(pool, *count * sizeof *out, err);
    if (!out) return RPS_NO_MEMORY;
    double first = NAN; /* reference value of the strain */
    for (size_t k = r->begin; k < r->end && isnan(first); k++) first = s->value[k * s->columns + column[0]];
    for (size_t i = 0; i < *count; i++) {
        double sum = 0.0;
        size_t n = 0;
        for (size_t k = r->begin + i * r->mean; k < r->end && k < r->begin + (i + 1) * r->mean; k++) {
            const double *row = s->value + k * s->columns, x = value_of(t, row[column[0]], row[column[1]], first);
            if (!isfinite(x)) continue;
            sum += x;
            n++;
        }
        out[i] = n > 0 ? sum / (double)n : NAN;
    }
    *values = out;
    return RPS_OK;
}

/* --- the picture -------------------------------------------------------------------------------------------------- */

typedef struct plot {
    rps_pool pool;
    const rps_plot_options *options;
    series *run;
    range *range;
    const double **x;
} plot;

static rps_status fill_panel(plot *p, const char *text, picture_panel *panel, rps_error *err) {
    term part[PARTS];
    const char *word[PARTS] = {text}, *unit = NULL;
    size_t parts = 0;
    for (const char *from = text, *plus; from; from = plus ? plus + 1 : NULL) {
        plus = strchr(from, '+');
        const size_t n = plus ? (size_t)(plus - from) : strlen(from);
        if (parts == PARTS) {
            return rps_fail(err, RPS_BAD_INPUT, "`%.60s` has more than %d parts in one panel", text, (int)PARTS);
        }
        RPS_TRY(read_term(&part[parts], from, n, err));
        word[parts] = rps_pool_copy(&p->pool, from, n, err);
        if (!word[parts++]) return RPS_NO_MEMORY;
    }
    const size_t runs = p->options->count;
    picture_line *line = rps_pool_take(&p->pool, runs * parts * sizeof *line, err);
    if (!line) return RPS_NO_MEMORY;
    for (size_t k = 0; k < parts; k++) {
        for (size_t i = 0; i < runs; i++) {
            picture_line *l = &line[k * runs + i];
            const char *own;
            RPS_TRY(evaluate(&p->pool, &p->run[i], &part[k], &p->range[i], &l->y, &l->count, &own, err));
            l->x = p->x[i];
            l->color = k * runs + i;
            l->label = parts == 1  ? p->run[i].label
                       : runs == 1 ? word[k]
                                   : rps_pool_printf(&p->pool, err, "%s, %s", p->run[i].label, word[k]);
            if (!l->label) return RPS_NO_MEMORY;
            if (unit && strcmp(unit, own) != 0) {
                return rps_fail(
                    err, RPS_BAD_INPUT,
                    "`%.60s` has parts in [%s] and in [%s]; one panel has one unit: write a comma for another "
                    "panel",
                    text, unit, own);
            }
            unit = own;
        }
    }
    const char *title = rps_pool_printf(&p->pool, err, "%s", word[0]);
    for (size_t k = 1; k < parts && title; k++) title = rps_pool_printf(&p->pool, err, "%s, %s", title, word[k]);
    if (title && unit) title = rps_picture_label(&p->pool, title, unit, err);
    if (!title) return RPS_NO_MEMORY;
    *panel = (picture_panel){.title = title, .kind = RPS_MEASURE_NUMBER, .line = line, .lines = runs * parts};
    return RPS_OK;
}

static rps_status plot_draw(plot *p, rps_error *err) {
    const rps_plot_options *options = p->options;
    const char *x = options->x ? options->x : "time", *unit = "";
    term along;
    p->run = rps_pool_take(&p->pool, options->count * sizeof *p->run, err);
    p->range = rps_pool_take(&p->pool, options->count * sizeof *p->range, err);
    p->x = rps_pool_take(&p->pool, options->count * sizeof *p->x, err);
    picture_panel *panel = rps_pool_take(&p->pool, options->panels * sizeof *panel, err);
    if (!p->run || !p->range || !p->x || !panel) return RPS_NO_MEMORY;
    RPS_TRY(read_term(&along, x, strlen(x), err));
    for (size_t i = 0; i < options->count; i++) {
        size_t count;
        RPS_TRY(read_series(&p->pool, options->series[i], &p->run[i], err));
        RPS_TRY(choose_rows(&p->run[i], options, &p->range[i], err));
        RPS_TRY(evaluate(&p->pool, &p->run[i], &along, &p->range[i], &p->x[i], &count, &unit, err));
    }
    for (size_t k = 0; k < options->panels; k++) RPS_TRY(fill_panel(p, options->y[k], &panel[k], err));
    const char *label = rps_picture_label(&p->pool, x, unit, err);
    if (!label) return RPS_NO_MEMORY;
    const picture all = {.title = options->title ? options->title : "",
                         .axis = {{.label = label}},
                         .axes = 1,
                         .panel = panel,
                         .panels = options->panels};
    return rps_picture_write(&all, options->picture, err);
}

rps_plot_options rps_plot_options_default(void) {
    return (rps_plot_options){.size = sizeof(rps_plot_options), .from = NAN, .until = NAN, .mean = 1};
}

rps_status rps_plot(const rps_plot_options *options, rps_error *err) {
    RPS_GIVEN(options);
    plot p = {.options = options};
    if (options->size != sizeof *options) {
        return rps_fail(err, RPS_BAD_INPUT, "rps_plot: begin with rps_plot_options_default()");
    }
    RPS_TRY(rps_picture_check_name(options->picture, err));
    if (options->count == 0 || options->panels == 0 || !options->picture) {
        return rps_fail(err, RPS_BAD_INPUT, "rps_plot: series, y and picture must be given");
    }
    rps_pool_init(&p.pool, NULL);
    const rps_status status = plot_draw(&p, err);
    rps_pool_release(&p.pool);
    return status;
}
